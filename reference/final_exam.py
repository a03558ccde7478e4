"""Proofs for the choices of problems/dl-final-2025: which of the options are true, found out by running them.

Each function returns option letter -> truth, as the options stand in the file. torch is imported inside of those that
need it: audit runs them one by one, and nothing else does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Truths = dict[str, bool]


def temperature_limits() -> Truths:
    """1.1: softmax(z / T) for random z, for equal z, and as T goes to infinity and to 0."""
    vectors = np.random.default_rng(0).normal(scale=3, size=(50, 4))
    equal = np.full(4, 1.7)
    decreasing = np.array([4.0, 3.0, 2.0, 1.0])
    finite_temperatures = (0.01, 1.0, 100.0)
    return {
        "A": not any(_is_uniform(log_softmax(equal / T), 1e-12) for T in finite_temperatures),
        "B": all(_is_uniform(log_softmax(z / 1e6), 1e-4) for z in vectors),
        "C": bool(np.allclose(np.exp(log_softmax(decreasing / 0.01)), [1, 0, 0, 0], atol=1e-12)),
        # In logarithms: exp(-1000) is no zero, only too small for a float.
        "D": all(np.isfinite(log_softmax(z / T)).all() for z in vectors for T in finite_temperatures),
    }


def log_softmax(z: Array) -> Array:
    shifted = z - z.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def _is_uniform(log_weights: Array, within: float) -> bool:
    return bool(np.allclose(np.exp(log_weights), 1 / len(log_weights), rtol=0, atol=within))


def separable_logistic_loss() -> Truths:
    """1.2: the loss is above 0 everywhere and goes to 0 along w*, so that no point attains its infimum; and it is
    convex, so that a local minimum would be a global one."""
    random = np.random.default_rng(0)
    w_star = np.array([0.3, -1.0, 2.0])
    X = np.column_stack([np.ones(40), random.normal(size=(40, 2))])
    y = np.sign(X @ w_star)

    def loss(w: Array) -> float:
        return float(np.logaddexp(0, -y * (X @ w)).sum())

    along = [loss(scale * w_star) for scale in (1, 10, 100, 1000)]
    vanishes = along == sorted(along, reverse=True) and along[-1] < 1e-6
    pairs = random.normal(scale=5, size=(200, 2, 3))
    positive = all(loss(w) > 0 for w, _ in pairs)
    convex = all(loss((v + w) / 2) <= (loss(v) + loss(w)) / 2 + 1e-9 for v, w in pairs)
    attained = not (vanishes and positive)
    return {"A": attained, "B": not attained, "C": attained, "D": attained or not convex}


def infinity_norm_gradient() -> Truths:
    """1.3: the step that autograd takes, against each of the four rules, at random points."""
    import torch

    torch.manual_seed(0)
    agree: dict[str, list[bool]] = {letter: [] for letter in "ABCD"}
    for label in (0.0, 1.0) * 10:
        w = torch.randn(5, dtype=torch.float64, requires_grad=True)
        x = torch.randn(5, dtype=torch.float64)
        p, rate, strength = torch.sigmoid(w @ x), 0.1, 0.7
        loss = -label * torch.log(p) - (1 - label) * torch.log(1 - p) + strength / 2 * w.abs().max() ** 2
        (gradient,) = torch.autograd.grad(loss, w)
        penalties = {
            "A": w * _unit_at_largest(w),
            "B": w * _unit_at_largest(x),
            "C": _unit_at_largest(w),
            "D": _unit_at_largest(x),
        }
        for letter, penalty in penalties.items():
            rule = w - rate * ((p - label) * x + strength * penalty)
            agree[letter].append(bool(torch.allclose(w - rate * gradient, rule)))
    return {letter: all(found) for letter, found in agree.items()}


def _unit_at_largest(values: Any) -> Any:
    import torch

    return torch.nn.functional.one_hot(values.abs().argmax(), len(values))


def strided_convolution() -> Truths:
    """1.4: the layer, run on a map of 128 by 128."""
    import torch

    layer = torch.nn.Conv2d(1, 1, kernel_size=(3, 5), stride=(1, 3))
    size = tuple(layer(torch.zeros(1, 1, 128, 128)).shape[-2:])
    return {"A": size == (126, 124), "B": size == (126, 42), "C": size == (42, 126), "D": size == (42, 42)}


def recurrent_update() -> Truths:
    """1.6: the gradient that autograd finds for w after two time steps, against each of the four, with g = tanh."""
    import torch

    torch.manual_seed(0)
    agree: dict[str, list[bool]] = {letter: [] for letter in "ABCD"}
    for _ in range(20):
        w, a, x1, x2, y = torch.randn(5, dtype=torch.float64).unbind()
        w.requires_grad_()
        h1 = torch.tanh(a * x1)  # h_0 is 0, so that w h_0 is as well
        h2 = torch.tanh(w * h1 + a * x2)
        (gradient,) = torch.autograd.grad((h2 - y) ** 2 / 2, w)
        slope1, slope2 = 1 - h1**2, 1 - h2**2  # g' at z_1 and z_2
        after = {"A": x2 + w * slope1 * x1, "B": h1, "C": slope1, "D": w}
        for letter, factor in after.items():
            agree[letter].append(bool(torch.allclose(gradient, (h2 - y) * slope2 * factor)))
    return {letter: all(found) for letter, found in agree.items()}
