"""An attention plot as SVG: input tokens on the left, output tokens on the right, lines between them."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from graders.edges import Edges

LEFT, RIGHT, TOP, STEP, RADIUS = 60, 260, 50, 44, 7


def plot_svg(title: str, edges: Mapping[int, Edges], inputs: int, outputs: int) -> str:
    """A picture of its own: no script, no font, nothing to load."""
    height = TOP + STEP * max(inputs, outputs)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 {height}" width="320" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<text x="160" y="18" text-anchor="middle">{escape(title)}</text>',
        *(_line(output, token, dashed=False) for output, row in sorted(edges.items()) for token in row.solid),
        *(_line(output, token, dashed=True) for output, row in sorted(edges.items()) for token in row.dashed),
        *(_token(LEFT, token, "in", "end", -14) for token in range(1, inputs + 1)),
        *(_token(RIGHT, token, "out", "start", 14) for token in range(1, outputs + 1)),
        "</svg>",
    ]
    return "\n".join(parts)


def _line(output: int, token: int, *, dashed: bool) -> str:
    style = ' stroke-dasharray="6 5"' if dashed else ""
    how = "second" if dashed else "most"
    return (
        f'<line x1="{LEFT}" y1="{_height(token)}" x2="{RIGHT}" y2="{_height(output)}" '
        f'stroke="black" stroke-width="2"{style}>'
        f"<title>output {output} weighs input {token} {how}</title></line>"
    )


def _token(x: int, token: int, name: str, anchor: str, shift: int) -> str:
    y = _height(token)
    return (
        f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="black"/>'
        f'<text x="{x + shift}" y="{y + 4}" text-anchor="{anchor}">{name} {token}</text>'
    )


def _height(token: int) -> int:
    return TOP + STEP * (token - 1)
