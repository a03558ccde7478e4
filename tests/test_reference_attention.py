"""The attention that every key is computed with, against loops in plain Python and against PyTorch."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.attention import cross_attention, future, multi_head_attention, self_attention, softmax
from reference.steps import Steps, run

Array = np.ndarray
OPTIONS = [
    {"scaled": scaled, "causal": causal, "temperature": temperature}
    for scaled in (True, False)
    for causal in (True, False)
    for temperature in (1.0, 0.5, 3.0)
]


@pytest.fixture(scope="module")
def torch() -> ModuleType:
    import torch

    torch.set_num_threads(1)
    return torch


def tokens(seed: int, T: int = 4, D: int = 6, d_k: int = 3, d_v: int = 5) -> tuple[Array, Array, Array, Array]:
    """X, W_Q, W_K, W_V."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(T, D)), rng.normal(size=(D, d_k)), rng.normal(size=(D, d_k)), rng.normal(size=(D, d_v))


# Against loops


def by_loops(X1, X2, W_Q, W_K, W_V, scaled: bool, causal: bool, temperature: float) -> dict[str, list[list[float]]]:
    """Attention one number at a time, with nothing but Python."""
    X1, X2, W_Q, W_K, W_V = (matrix.tolist() for matrix in (X1, X2, W_Q, W_K, W_V))
    Q = [[sum(x[d] * W_Q[d][j] for d in range(len(x))) for j in range(len(W_Q[0]))] for x in X1]
    K = [[sum(x[d] * W_K[d][j] for d in range(len(x))) for j in range(len(W_K[0]))] for x in X2]
    V = [[sum(x[d] * W_V[d][j] for d in range(len(x))) for j in range(len(W_V[0]))] for x in X2]
    scores, attention_map, output = [], [], []
    for i, query in enumerate(Q):
        row = [sum(q * k for q, k in zip(query, key, strict=True)) for key in K]
        scores.append(row)
        seen = range(min(i + 1, len(K))) if causal else range(len(K))
        logits = [row[j] / (math.sqrt(len(query)) if scaled else 1) / temperature for j in seen]
        total = sum(math.exp(logit) for logit in logits)
        weights = [math.exp(logit) / total for logit in logits] + [0.0] * (len(K) - len(logits))
        attention_map.append(weights)
        output.append([sum(weights[j] * V[j][v] for j in range(len(V))) for v in range(len(V[0]))])
    return {"Q": Q, "K": K, "V": V, "scores": scores, "map": attention_map, "output": output}


@pytest.mark.parametrize("options", OPTIONS)
def test_self_attention_is_what_loops_compute(options: dict) -> None:
    for seed in range(5):
        X, *weights = tokens(seed)
        steps = run(self_attention(X, *weights, **options))
        for name, value in by_loops(X, X, *weights, **options).items():
            assert steps[name] == pytest.approx(np.array(value)), name


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("T1", "T2"), [(2, 5), (5, 2), (1, 3), (3, 1)])
def test_cross_attention_is_what_loops_compute(options: dict, T1: int, T2: int) -> None:
    rng = np.random.default_rng(T1)
    X1, X2 = rng.normal(size=(T1, 3)), rng.normal(size=(T2, 2))
    weights = (rng.normal(size=(3, 4)), rng.normal(size=(2, 4)), rng.normal(size=(2, 3)))
    steps = run(cross_attention(X1, X2, *weights, **options))
    for name, value in by_loops(X1, X2, *weights, **options).items():
        assert steps[name] == pytest.approx(np.array(value)), name


def test_self_attention_is_cross_attention_of_a_set_with_itself() -> None:
    X, *weights = tokens(0)
    alone, crossed = run(self_attention(X, *weights)), run(cross_attention(X, X, *weights))
    assert list(alone) == list(crossed) == ["Q", "K", "scores", "root", "scaled", "map", "V", "output"]
    assert all((alone[name] == crossed[name]).all() for name in alone)


def test_every_step_is_yielded_and_only_those_that_are_done() -> None:
    X, *weights = tokens(0)
    assert list(run(self_attention(X, *weights, scaled=False))) == ["Q", "K", "scores", "map", "V", "output"]
    causal = run(self_attention(X, *weights, causal=True))
    assert list(causal) == ["Q", "K", "scores", "root", "scaled", "masked", "map", "V", "output"]


def test_whoever_runs_it_may_hand_back_another_value_to_go_on_from() -> None:
    X, *weights = tokens(0)
    doubled = run(self_attention(X, *weights), lambda name, value: 2 * value if name == "V" else value)
    plain = run(self_attention(X, *weights))
    assert (doubled["V"] == plain["V"]).all()  # what is recorded is what was computed
    assert doubled["output"] == pytest.approx(2 * plain["output"])


# Against PyTorch


@pytest.mark.parametrize("causal", [True, False])
def test_self_attention_is_what_pytorch_computes(torch: ModuleType, causal: bool) -> None:
    X, *weights = tokens(7)
    steps = run(self_attention(X, *weights, causal=causal))
    Q, K, V = (torch.from_numpy(steps[name]) for name in "QKV")
    theirs = torch.nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None], is_causal=causal)[0]
    assert steps["output"] == pytest.approx(theirs.numpy())


@pytest.mark.parametrize(("scale", "options"), [(1.0, {"scaled": False}), (0.5, {"scaled": False, "temperature": 2.0})])
def test_scaling_and_temperature_are_pytorchs_scale(torch: ModuleType, scale: float, options: dict) -> None:
    rng = np.random.default_rng(1)
    X1, X2 = rng.normal(size=(2, 3)), rng.normal(size=(5, 3))
    weights = (rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.normal(size=(3, 2)))
    steps = run(cross_attention(X1, X2, *weights, **options))
    Q, K, V = (torch.from_numpy(steps[name])[None] for name in "QKV")
    theirs = torch.nn.functional.scaled_dot_product_attention(Q, K, V, scale=scale)[0]
    assert steps["output"] == pytest.approx(theirs.numpy())


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("heads", [1, 2, 4])
def test_several_heads_are_what_pytorchs_module_computes(torch: ModuleType, heads: int, causal: bool) -> None:
    T, D = 5, 8
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(D, heads, bias=False, batch_first=True, dtype=torch.float64)
    X = torch.randn(1, T, D, dtype=torch.float64)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64) if causal else None
    with torch.no_grad():
        theirs, their_maps = module(X, X, X, attn_mask=mask, average_attn_weights=False)
    # in_proj_weight stacks W_Q, W_K and W_V, each (D, D) and transposed, head after head.
    W_Q, W_K, W_V = (
        block.T.reshape(D, heads, D // heads).permute(1, 0, 2).numpy()
        for block in module.in_proj_weight.detach().chunk(3)
    )
    W_O = module.out_proj.weight.detach().T.numpy()
    steps = run(multi_head_attention(X[0].numpy(), W_Q, W_K, W_V, W_O, causal=causal))
    assert steps["map"] == pytest.approx(their_maps[0].numpy())
    assert steps["output"] == pytest.approx(theirs[0].numpy())


def test_one_head_that_is_not_mixed_is_self_attention() -> None:
    X, W_Q, W_K, W_V = tokens(3)
    one = run(multi_head_attention(X, W_Q[None], W_K[None], W_V[None], np.eye(W_V.shape[1])))
    alone = run(self_attention(X, W_Q, W_K, W_V))
    assert one["map"][0] == pytest.approx(alone["map"])
    assert one["output"] == pytest.approx(alone["output"])


def test_each_head_fills_its_own_columns() -> None:
    X, W_Q, W_K, W_V = tokens(3)
    both = [np.stack([W, 2 * W]) for W in (W_Q, W_K, W_V)]
    steps = run(multi_head_attention(X, *both, np.eye(2 * W_V.shape[1])))
    second = run(self_attention(X, 2 * W_Q, 2 * W_K, 2 * W_V))
    assert steps["output"][:, W_V.shape[1] :] == pytest.approx(second["output"])


# The causal mask


def attend(kind: str, X: Array, **options: object) -> Steps:
    _, *weights = tokens(5, D=X.shape[1])
    if kind == "one head":
        return self_attention(X, *weights, **options)
    heads = [np.stack([W, W[::-1]]) for W in weights]
    return multi_head_attention(X, *heads, np.random.default_rng(0).normal(size=(10, 4)), **options)


@pytest.mark.parametrize("kind", ["one head", "two heads"])
def test_a_later_token_changes_no_earlier_output(kind: str) -> None:
    X, *_ = tokens(5, T=6)
    before = run(attend(kind, X, causal=True))["output"]
    for changed in range(len(X)):
        perturbed = X.copy()
        perturbed[changed] += 10.0
        after = run(attend(kind, perturbed, causal=True))["output"]
        assert (after[:changed] == before[:changed]).all()
        assert not np.allclose(after[changed:], before[changed:])
        unmasked = run(attend(kind, perturbed))["output"], run(attend(kind, X))["output"]
        assert not np.isclose(*unmasked).all(axis=-1).any()  # without the mask every output changes


def test_the_first_token_sees_itself_alone() -> None:
    X, *weights = tokens(5)
    assert run(self_attention(X, *weights, causal=True))["map"][0].tolist() == [1, 0, 0, 0]


def test_the_future_is_what_lies_right_of_the_diagonal() -> None:
    assert future(2, 3).tolist() == [[0, -math.inf, -math.inf], [0, 0, -math.inf]]


# Softmax

SCORES = st.lists(st.lists(st.integers(-80, 80).map(lambda n: n / 8), min_size=3, max_size=3), min_size=1, max_size=3)


@given(SCORES, st.floats(-1e4, 1e4))
@settings(max_examples=200, deadline=None)
def test_a_row_is_a_distribution_that_a_shift_leaves_alone(scores: list[list[float]], shift: float) -> None:
    weights = softmax(np.array(scores))
    assert weights.sum(axis=-1) == pytest.approx(1)
    assert (weights >= 0).all()
    assert softmax(np.array(scores) + shift) == pytest.approx(weights, abs=1e-9)


@pytest.mark.parametrize("size", [1e4, 1e300])
def test_huge_scores_do_not_overflow(size: float) -> None:
    assert softmax(np.array([[size, 0, -size], [size, size, 0]])).tolist() == [[1, 0, 0], [0.5, 0.5, 0]]
    assert softmax(np.array([[-size, -size]])).tolist() == [[0.5, 0.5]]


@given(SCORES)
@settings(max_examples=200, deadline=None)
def test_temperature_zero_is_the_limit_of_small_temperatures(scores: list[list[float]]) -> None:
    # Scores are an eighth apart, so that at 0.001 a loser has e^-125.
    assert softmax(np.array(scores), 0) == pytest.approx(softmax(np.array(scores), 0.001), abs=1e-12)


def test_at_temperature_zero_ties_share_equally() -> None:
    assert softmax(np.array([[2, 2, 1], [3, 1, 2], [5, 5, 5]]), 0) == pytest.approx(
        np.array([[0.5, 0.5, 0], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])
    )


def test_a_high_temperature_makes_all_weights_equal() -> None:
    assert softmax(np.array([[2.0, -1.0, 5.0]]), 1e9) == pytest.approx(np.full((1, 3), 1 / 3))


def test_temperature_zero_and_a_mask_go_together() -> None:
    X, *weights = tokens(5)
    steps = run(self_attention(X, *weights, causal=True, temperature=0.0))
    assert (np.sort(steps["map"], axis=-1) == [0, 0, 0, 1]).all()
    assert (np.triu(steps["map"], k=1) == 0).all()
