"""Shows models, evaluations and frames in notebooks and by matplotlib."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterable
from typing import Any

import numpy

from . import _skinmask
from ._common import require_range, require_switch, require_type, texts, warn
from ._samples import Samples
from ._skinmask import Error, Frame


def axes_or_new(ax: Any, count: int = 1) -> Any:
    """`ax`, or axes of a new figure. Only these functions need matplotlib."""
    try:
        from matplotlib.axes import Axes

        if ax is None:
            from matplotlib import pyplot

            return pyplot.subplots(1, count, figsize=(6.0 * count, 5.0))[1]
    except ImportError:
        raise Error(
            "matplotlib: is not installed, and plot needs it (Model.picture and _repr_html_ do not)"
        ) from None
    given = list(ax) if count > 1 and isinstance(ax, Iterable) else [ax]
    if len(given) != count or not all(isinstance(one, Axes) for one in given):
        wanted = "axes of matplotlib are" if count == 1 else "a pair of axes of matplotlib is"
        raise TypeError(f"ax: is {type(ax).__name__} ({wanted} wanted)")
    return ax if count == 1 else given


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
    """Shows a picture on axes of matplotlib, without ticks."""
    from matplotlib import image

    ax.imshow(image.imread(io.BytesIO(png), format="png"))
    ax.set_axis_off()
    return ax


def draw_models(
    cores: list[_skinmask.Model],
    names: list[str],
    samples: Samples | None,
    at: dict[str, float],
    marginal: bool,
    format: str,
) -> bytes:
    """The file of `Model.picture`, for models with these names."""
    if format not in ("png", "svg"):
        raise Error(f"format: is {format!r} (png, svg)")
    if samples is not None:
        require_type("samples", samples, Samples, "a skinmask.Samples is wanted")
        known = cores[0].classes
        lacking = [name for name, count in samples.counts.items() if count and name not in known]
        if lacking:
            unknown = ", ".join(lacking)
            warn(f"samples: of {unknown}, which the model lacks, are not drawn", RuntimeWarning)
    held = dict(at)
    for channel, value in held.items():
        require_type("at", channel, str, "names of channels are wanted")
        require_range(f"at[{channel!r}]", value, -1e6, 1e6, "a value of the channel")
    require_switch("marginal", marginal)
    if held and marginal:
        raise Error("at: cuts where marginal integrates (one of them)")
    return _skinmask.draw_models(
        cores,
        texts("beside", names),
        [(channel, float(value)) for channel, value in held.items()],
        marginal,
        None if samples is None else samples._core,
        format == "svg",
    )


def plot_curves(data: dict[str, Any], ax: Any) -> Any:
    """Draws the curves in an evaluation's data, in which None stands for 0/0."""
    curves = data.get("curves")
    if curves is None:
        raise Error("plot: there are no scores to draw curves of")
    errors, roc = axes_or_new(ax, 2)
    positive = data["positive"]
    # Rates change at scores alone, from 1, where nothing is positive, down to 0.
    ends = [
        float(threshold > 0) if score is None else 0.5 + 0.5 * numpy.tanh(score / 2)
        for score, threshold in zip(curves["score"], curves["threshold"])
    ]
    for name, text in (
        ("false_negative_rate", f"{positive} that is missed"),
        ("false_positive_rate", f"others that are called {positive}"),
        ("error_rate", "all errors"),
    ):
        rates = numpy.array(curves[name], float)
        errors.plot([*ends, 0], [*rates, rates[-1]], drawstyle="steps-post", label=text)
    at = curves["operating_point"]
    errors.axvline(curves["threshold"][at], color="0.6", linewidth=1)
    errors.set(xlabel=f"threshold on P({positive})", ylabel="rate", xlim=(0, 1), ylim=(0, 1))
    errors.legend()
    false_positives = numpy.array(curves["false_positive_rate"], float)
    recall = numpy.array(curves["recall"], float)
    auc = data["pooled"]["auc"]
    roc.plot(false_positives, recall, label="AUC " + ("-" if auc is None else f"{auc:.4f}"))
    roc.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--")
    roc.plot(false_positives[at], recall[at], "kD", label="the threshold")
    roc.set(xlabel="false-positive rate", ylabel="recall", xlim=(0, 1), ylim=(0, 1))
    roc.legend()
    return errors, roc


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
