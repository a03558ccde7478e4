"""What layers of a convolutional network cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.steps import Steps

Array = NDArray[np.float64]


def two_blocks(
    filters: Array,  # (2,), of the first and the second convolution
    kernels: Array,  # (2, 2), height and width
    channels: Array,  # (2,), that go in
) -> Steps:
    """The trainable parameters of convolution, pooling, convolution, pooling."""
    yield "conv_1", parameters(filters[0], kernels[0], channels[0])
    yield "avgpool_1", pooling_parameters()
    yield "conv_2", parameters(filters[1], kernels[1], channels[1])
    yield "avgpool_2", pooling_parameters()


def parameters(filters: Any, kernel: Array, channels: Any) -> Any:
    """Each filter has a weight for each place of its kernel in each input channel, and one bias."""
    return filters * (kernel.prod() * channels + 1)


def pooling_parameters() -> float:
    """An average or a maximum is taken, nothing is learned."""
    return 0.0
