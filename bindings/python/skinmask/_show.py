"""What notebooks and matplotlib show of models, evaluations and frames."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterable
from typing import Any

import numpy

from . import _skinmask
from ._skinmask import Error, Frame


def axes_or_new(ax: Any, count: int = 1) -> Any:
    """`ax`, or axes of a new figure of matplotlib, which nothing else here needs."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise Error(
            "matplotlib: is not installed, and plot needs it (Model.picture and _repr_html_ do not)"
        ) from None
    return pyplot.subplots(1, count, figsize=(6.0 * count, 5.0))[1]


def html_table(caption: str, rows: Iterable[tuple[str, object]]) -> str:
    lines = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
        f"<td style='text-align:left'>{html.escape(_text(value))}</td></tr>"
        for name, value in rows
    )
    return f"<table><caption>{html.escape(caption)}</caption>{lines}</table>"


def html_png(png: bytes, text: str) -> str:
    encoded = base64.b64encode(png).decode()
    return (
        f"<img alt='{html.escape(text)}' style='max-width:100%' "
        f"src='data:image/png;base64,{encoded}'>"
    )


def show_png(png: bytes, ax: Any) -> Any:
    """A picture on axes of matplotlib, without ticks."""
    from matplotlib import image

    ax.imshow(image.imread(io.BytesIO(png), format="png"))
    ax.set_axis_off()
    return ax


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _bordered(frame: Frame) -> numpy.ndarray[Any, numpy.dtype[numpy.uint8]]:
    """The frame as R G B, with the inner border of its skin in green."""
    skin = frame.mask == 255
    inside = numpy.pad(skin, 1)
    border = skin & ~(inside[2:, 1:-1] & inside[:-2, 1:-1] & inside[1:-1, 2:] & inside[1:-1, :-2])
    rgb = frame.bgr[..., ::-1].copy()
    rgb[border] = (0, 255, 0)
    return rgb


def _plot_frame(self: Frame, ax: Any = None) -> Any:
    """Draws the frame with the border of its skin on axes of matplotlib, which are returned."""
    ax = axes_or_new(ax)
    ax.imshow(_bordered(self))
    ax.set_title(f"frame {self.index}, {self.seconds:.3f} s")
    ax.set_axis_off()
    return ax


def _frame_html(self: Frame) -> str:
    rgb = _bordered(self)
    step = max(1, max(rgb.shape[:2]) // 800)  # pages hold many
    small = numpy.ascontiguousarray(rgb[::step, ::step, ::-1])
    share = float((self.mask == 255).mean())
    text = f"frame {self.index}, {self.seconds:.3f} s, {100 * share:.1f} % skin"
    return f"<div>{html_png(_skinmask.encode_png(small), text)}<p>{html.escape(text)}</p></div>"


setattr(Frame, "plot", _plot_frame)
setattr(Frame, "_repr_html_", _frame_html)
