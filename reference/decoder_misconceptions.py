"""A decoder's loss as it is often got wrong. Each function yields the steps of one misconception, under the names of
decoder.py; its docstring is the sentence that tells a student what happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reference.attention import future, softmax
from reference.decoder import log, rows, side_by_side
from reference.steps import Steps


def not_causal(**given: Any) -> Steps:
    """later tokens were not masked out: in a decoder a token sees itself and those before it"""
    return _decoder(**given, weigh=lambda scores, mask: softmax(scores, temperature=0))


def masked_with_zeros(**given: Any) -> Steps:
    """masked scores were set to 0, which can still win or tie: they must be minus infinity"""
    return _decoder(**given, weigh=lambda scores, mask: softmax(scores * np.exp(mask), temperature=0))


def masked_too_late(**given: Any) -> Steps:
    """the mask was put on the weights, after the argmax: the rows no longer sum to 1; mask the scores"""
    return _decoder(**given, weigh=lambda scores, mask: softmax(scores, temperature=0) * np.exp(mask))


def usual_softmax(**given: Any) -> Steps:
    """this is the softmax at temperature 1: at zero temperature the largest scores of a row share all its weight"""
    return _decoder(**given, weigh=lambda scores, mask: softmax(scores + mask))


def shifted(**given: Any) -> Steps:
    """each target was read one position early, where it is still to come; here it is read at its own position"""
    return _decoder(**given, shift=1)


def base_ten(**given: Any) -> Steps:
    """the logarithm was taken to base 10; the cross-entropy has the natural one"""
    return _decoder(**given, log_of=lambda probabilities: log(probabilities) / np.log(10))


def averaged(**given: Any) -> Steps:
    """the loss was divided by the number of targets; here it is their sum"""
    return _decoder(**given, log_of=lambda probabilities: log(probabilities) / len(given["targets"]))


def _decoder(
    tokens: Any,
    targets: Any,
    E: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_O: Any,
    heads: int = 1,
    *,
    weigh: Callable[[Any, Any], Any] = lambda scores, mask: softmax(scores + mask, temperature=0),
    log_of: Callable[[Any], Any] = log,
    shift: int = 0,
) -> Steps:
    """The loss with one of its moves replaced."""
    X = yield "X", E[rows(tokens)]
    Q = yield "Q", X @ W_Q
    K = yield "K", X @ W_K
    scores = yield "scores", Q @ K.T
    attention_map = yield "map", weigh(scores, future(len(tokens), len(tokens)))
    V = yield "V", X @ W_V
    Z = yield "Z", attention_map @ V
    R = yield "R", Z @ side_by_side(heads, W_V) @ W_O
    first = len(tokens) - len(targets) - shift
    logits = yield "logits", (R @ E.T)[first : first + len(targets)]
    probabilities = yield "probabilities", softmax(logits)[np.arange(len(targets)), rows(targets)]
    yield "loss", -sum(log_of(probabilities)[at] for at in range(len(targets)))
