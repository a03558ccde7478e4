"""Attention, step by step (Vaswani et al. 2017, "Attention Is All You Need", section 3.2).

Every function is a plain computation that yields its steps (see steps.py); `run(self_attention(...))["map"]`
is the attention map. T tokens of width D, queries and keys of width d_k, values of width d_v.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.steps import Steps

Array = NDArray[np.float64]


@singledispatch
def softmax(scores: Any, temperature: float = 1.0) -> Any:
    """Each row becomes weights that sum to one; at temperature 0 the largest take all and ties share equally."""
    # singledispatch: the grader registers a softmax of intervals, which knows what rounding can do to it.
    if temperature == 0:
        largest = scores == scores.max(axis=-1, keepdims=True)
        return largest / largest.sum(axis=-1, keepdims=True)
    scaled = scores / temperature
    # Subtracting the row's maximum changes nothing but keeps exp from overflowing.
    exponentials = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def self_attention(
    X: Array,  # (T, D)
    W_Q: Array,  # (D, d_k)
    W_K: Array,  # (D, d_k)
    W_V: Array,  # (D, d_v)
    *,
    scaled: bool = True,
    causal: bool = False,
    temperature: float = 1.0,
) -> Steps:
    """Tokens attend to one another: cross-attention of a set with itself."""
    return cross_attention(X, X, W_Q, W_K, W_V, scaled=scaled, causal=causal, temperature=temperature)


def cross_attention(
    X1: Array,  # (T1, D1)
    X2: Array,  # (T2, D2)
    W_Q: Array,  # (D1, d_k)
    W_K: Array,  # (D2, d_k)
    W_V: Array,  # (D2, d_v)
    *,
    scaled: bool = True,
    causal: bool = False,
    temperature: float = 1.0,
) -> Steps:
    """The tokens of X1 ask, those of X2 answer: softmax(Q K^T / sqrt(d_k)) V."""
    Q = yield "Q", X1 @ W_Q  # (T1, d_k)
    K = yield "K", X2 @ W_K  # (T2, d_k)
    scores = yield "scores", Q @ K.T  # (T1, T2)
    if scaled:
        root = yield "root", np.sqrt(W_K.shape[-1])
        scores = yield "scaled", scores / root
    if causal:
        scores = yield "masked", scores + future(len(X1), len(X2))
    attention_map = yield "map", softmax(scores, temperature)  # (T1, T2), rows sum to one
    V = yield "V", X2 @ W_V  # (T2, d_v)
    yield "output", attention_map @ V  # (T1, d_v)


def multi_head_attention(
    X: Array,  # (T, D)
    W_Q: Array,  # (H, D, d_k)
    W_K: Array,  # (H, D, d_k)
    W_V: Array,  # (H, D, d_v)
    W_O: Array,  # (H * d_v, D_out)
    *,
    scaled: bool = True,
    causal: bool = False,
    temperature: float = 1.0,
) -> Steps:
    """H heads side by side, each with projections of its own, concatenated and mixed by W_O."""
    Q = yield "Q", X @ W_Q  # (H, T, d_k)
    K = yield "K", X @ W_K  # (H, T, d_k)
    scores = yield "scores", Q @ K.swapaxes(-1, -2)  # (H, T, T)
    if scaled:
        root = yield "root", np.sqrt(W_K.shape[-1])
        scores = yield "scaled", scores / root
    if causal:
        scores = yield "masked", scores + future(len(X), len(X))
    attention_map = yield "map", softmax(scores, temperature)  # (H, T, T)
    V = yield "V", X @ W_V  # (H, T, d_v)
    heads = yield "heads", attention_map @ V  # (H, T, d_v)
    together = heads.swapaxes(0, 1).reshape(len(X), -1)  # (T, H * d_v)
    yield "output", together @ W_O  # (T, D_out)


def future(rows: int, columns: int) -> Array:
    """What is added to scores so that no token sees a later one: 0 up to the diagonal, minus infinity after."""
    later = np.triu(np.ones((rows, columns), dtype=bool), k=1)
    return np.where(later, -np.inf, 0.0)
