"""A decoder of one attention layer, trained by teacher forcing: from tokens to the loss, step by step (see steps.py).

T tokens out of a vocabulary of S, embedded in D dimensions, queries, keys and values of width d. The last tokens are
what the decoder is to output; it attends causally, at zero temperature, without scaling.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.attention import future, softmax
from reference.steps import Steps

Array = NDArray[np.float64]


@singledispatch
def log(values: Any) -> Any:
    """The natural logarithm, entry by entry."""
    # singledispatch: the grader registers one of intervals.
    return np.log(values)


def sequence_loss(
    tokens: Array,  # (T,), numbers of rows of E, from 1
    targets: Array,  # (N,), of the last N tokens
    E: Array,  # (S, D)
    W_Q: Array,  # (D, d)
    W_K: Array,  # (D, d)
    W_V: Array,  # (D, d)
    W_O: Array,  # (heads * d, D)
    *,
    heads: int = 1,
) -> Steps:
    """Each target's probability is read at the target's own position; `heads` are copies of one and the same head."""
    X = yield "X", E[rows(tokens)]  # (T, D)
    Q = yield "Q", X @ W_Q  # (T, d)
    K = yield "K", X @ W_K  # (T, d)
    scores = yield "scores", Q @ K.T  # (T, T)
    masked = yield "masked", scores + future(len(tokens), len(tokens))
    attention_map = yield "map", softmax(masked, temperature=0)  # (T, T), rows sum to one
    V = yield "V", X @ W_V  # (T, d)
    Z = yield "Z", attention_map @ V  # (T, d)
    together = Z @ side_by_side(heads, W_V)  # (T, heads * d)
    R = yield "R", together @ W_O  # (T, D)
    logits = yield "logits", (R @ E.T)[-len(targets) :]  # (N, S)
    probabilities = yield "probabilities", softmax(logits)[np.arange(len(targets)), rows(targets)]  # (N,)
    yield "loss", -sum(log(probabilities)[at] for at in range(len(targets)))


def rows(tokens: Array) -> NDArray[np.int64]:
    """Tokens are numbered from 1, as rows of E are on paper."""
    return tokens.astype(np.int64) - 1


def side_by_side(heads: int, W_V: Array) -> Array:
    """What turns Z into copies of it, next to one another: [Z Z] is Z [I I]."""
    return np.tile(np.eye(W_V.shape[-1]), heads)  # (d, heads * d)
