"""Training that is watched, and ended before its time."""
import signal
import threading

import numpy
import pytest

import skinmask

ENDLESS = (  # an iteration takes a moment, and none is the last
    {"kind": "logistic", "solver": "sgd", "iterations": 1 << 30, "tolerance": 0},
    {"kind": "logistic", "solver": "gradient", "rate": 1e-9, "iterations": 1 << 30, "tolerance": 0},
)


@pytest.mark.parametrize(
    "options", ({"class_costs": [[]]}, {"prior": {}}, {"kind": "mixture", "components": {}})
)
def test_what_is_empty_is_refused(samples, options):
    with pytest.raises(skinmask.Error, match="is empty"):
        skinmask.Model.train(samples, **options)


@pytest.mark.parametrize("options", (*ENDLESS, {"kind": "mixture"}))
def test_what_a_callback_raises_ends_the_training(samples, options):
    told = []

    def boom(done, total):
        told.append((done, total))
        if done == 3:
            raise ZeroDivisionError("boom")

    with pytest.raises(ZeroDivisionError, match="boom"):
        skinmask.Model.train(samples, progress=boom, **options)
    assert [done for done, _ in told] == [1, 2, 3] and all(total >= 3 for _, total in told)


@pytest.mark.parametrize("options", ENDLESS)
def test_ctrl_c_ends_the_training(samples, options):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.get_ident()
    try:
        with pytest.raises(KeyboardInterrupt):
            skinmask.Model.train(
                samples,
                progress=lambda done, _: done == 3 and signal.pthread_kill(main, signal.SIGINT),
                **options,
            )
    finally:
        signal.signal(signal.SIGINT, before)


def test_callbacks_that_are_no_functions_are_refused(samples):
    for call in (
        lambda: skinmask.Model.train(samples, progress=3),
        lambda: skinmask.Samples.from_pairs("none", "none", progress=3),
        lambda: skinmask.evaluate("none", "none", progress=3),
        lambda: skinmask.detect_files("none", "none", progress=3),
    ):
        with pytest.raises(TypeError, match=r"progress: is 3 \(a function is wanted\)"):
            call()
    with pytest.raises(TypeError, match="each: is 'all'"):
        skinmask.detect_files("none", "none", each="all")


def test_a_fit_that_is_cut_short_warns(samples):
    for kind, how in (("logistic", {"iterations": 1}), ("mixture", {"iterations": 1})):
        with pytest.warns(RuntimeWarning, match=f"{kind}.* did not converge") as told:
            skinmask.Model.train(samples, kind=kind, **how)
        assert len(told) == 1


def test_no_channel_is_an_error(samples):
    with pytest.raises(skinmask.Error, match="channels: is empty"):
        skinmask.Model.train(samples, channels=[])


def test_switches_of_numpy_are_switches(samples, photos):
    assert skinmask.Model.train(samples, max_f1=numpy.False_).rule == "fixed"
    assert skinmask.Model.train(samples, threshold=0.3, max_f1=numpy.False_).threshold == 0.3
    assert skinmask.Model.train(samples, max_f1=numpy.True_).rule == "max-f1"
    assert len(skinmask.Samples.from_pairs(photos, whole="skin", invert=numpy.False_, step=64)) > 0
