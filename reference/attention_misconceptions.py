"""Attention as it is often got wrong. Each function yields the steps of one misconception, under the names of
attention.py; its docstring is the sentence that tells a student what happened."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from reference.attention import future, softmax
from reference.steps import Steps


def _self_or_cross(misconception: Callable[..., Steps]) -> Callable[..., Steps]:
    """Self-attention is given X, cross-attention X1 and X2."""

    @wraps(misconception)
    def steps(*, X: Any = None, X1: Any = None, X2: Any = None, **rest: Any) -> Steps:
        return misconception(X1 if X is None else X, X2 if X is None else X, **rest)

    return steps


@_self_or_cross
def scaled(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """the scores were divided by sqrt(d_k), and this question says not to scale"""
    return _attention(X1, X2, W_Q, W_K, W_V, **(options | {"scaled": True}))


@_self_or_cross
def unscaled(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """the scores were not divided by sqrt(d_k)"""
    return _attention(X1, X2, W_Q, W_K, W_V, **options, scale=lambda scores, root: scores)


@_self_or_cross
def softmax_over_queries(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """softmax was taken over queries, down the columns; each row, the weights of one query, must sum to 1"""
    return _attention(X1, X2, W_Q, W_K, W_V, **options, weigh=lambda scores, T: softmax(scores.T, T).T)


@_self_or_cross
def transposed_scores(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """the scores are K Q^T, with keys in the rows; Q K^T has one row for each query"""
    return _attention(X1, X2, W_Q, W_K, W_V, **options, score=lambda Q, K: K @ Q.T)


@_self_or_cross
def keys_and_queries_swapped(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """keys and queries are swapped: queries come from W_Q and keys from W_K"""
    return _attention(X1, X2, W_K, W_Q, W_V, **options)


@_self_or_cross
def largest_takes_all(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """each row has a 1 at its largest score and 0 elsewhere: that is argmax, softmax gives every token a weight"""
    return _attention(X1, X2, W_Q, W_K, W_V, **options, weigh=lambda scores, T: softmax(scores, 0))


@_self_or_cross
def later_tokens_hidden(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """later tokens were masked out, as in a decoder; here every token attends to all"""
    return _attention(X1, X2, W_Q, W_K, W_V, **(options | {"causal": True}))


@_self_or_cross
def later_tokens_seen(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """later tokens were not masked out; in a decoder no token attends to what comes after it"""
    return _attention(X1, X2, W_Q, W_K, W_V, **(options | {"causal": False}))


@_self_or_cross
def softmax_forgotten(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """these are the scores themselves: the softmax of each row is still to be taken"""
    return _attention(X1, X2, W_Q, W_K, W_V, **options, weigh=lambda scores, T: scores)


@_self_or_cross
def values_forgotten(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """the map was applied to the input tokens themselves: multiply them by W_V first"""
    return _attention(X1, X2, W_Q, W_K, W_V, **options, mix=lambda attention_map, V: attention_map @ X2)


@_self_or_cross
def map_transposed(X1: Any, X2: Any, W_Q: Any, W_K: Any, W_V: Any, **options: Any) -> Steps:
    """the map was transposed before it met the values: row i of the map holds the weights of output token i"""
    return _attention(X1, X2, W_Q, W_K, W_V, **options, mix=lambda attention_map, V: attention_map.T @ V)


def _attention(
    X1: Any,
    X2: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    *,
    scaled: bool = True,
    causal: bool = False,
    temperature: float = 1.0,
    score: Callable[[Any, Any], Any] = lambda Q, K: Q @ K.T,
    scale: Callable[[Any, Any], Any] = lambda scores, root: scores / root,
    weigh: Callable[[Any, float], Any] = softmax,
    mix: Callable[[Any, Any], Any] = lambda attention_map, V: attention_map @ V,
) -> Steps:
    """Cross-attention with one of its moves replaced."""
    Q = yield "Q", X1 @ W_Q
    K = yield "K", X2 @ W_K
    scores = yield "scores", score(Q, K)
    if scaled:
        root = yield "root", np.sqrt(W_K.shape[-1])
        scores = yield "scaled", scale(scores, root)
    if causal:
        scores = yield "masked", scores + future(len(X1), len(X2))
    attention_map = yield "map", weigh(scores, temperature)
    V = yield "V", X2 @ W_V
    yield "output", mix(attention_map, V)
