"""Parameters of a convolutional network as they are often counted wrongly. Each function yields the steps of one
misconception, under the names of convnet.py; its docstring is the sentence that tells a student what happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference.convnet import pooling_parameters
from reference.steps import Steps


def bias_forgotten(**given: Any) -> Steps:
    """the biases are missing: each filter has one"""
    return _two_blocks(**given, count=lambda filters, kernel, channels: filters * kernel.prod() * channels)


def one_bias_for_all(**given: Any) -> Steps:
    """one bias was counted for the whole layer: each filter has its own"""
    return _two_blocks(**given, count=lambda filters, kernel, channels: filters * kernel.prod() * channels + 1)


def one_filter(**given: Any) -> Steps:
    """these are the parameters of a single filter: multiply by the number of filters"""
    return _two_blocks(**given, count=lambda filters, kernel, channels: kernel.prod() * channels + 1)


def channels_forgotten(**given: Any) -> Steps:
    """a filter has weights for each of the input channels, and here it has them for one"""
    return _two_blocks(**given, count=lambda filters, kernel, channels: filters * (kernel.prod() + 1))


def _two_blocks(filters: Any, kernels: Any, channels: Any, count: Callable[[Any, Any, Any], Any]) -> Steps:
    yield "conv_1", count(filters[0], kernels[0], channels[0])
    yield "avgpool_1", pooling_parameters()
    yield "conv_2", count(filters[1], kernels[1], channels[1])
    yield "avgpool_2", pooling_parameters()
