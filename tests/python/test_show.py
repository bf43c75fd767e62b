"""What is shown of models, evaluations, frames and files, by matplotlib, pandas and notebooks."""
import base64
import dataclasses
import re
import shutil
import subprocess
import sys

import numpy
import pytest

import skinmask
from conftest import SOURCE

TABLE = SOURCE / "samples" / "labelled-pixels.csv"


def flat(samples):
    """A model of two channels: one plane, which is drawn sooner than three."""
    return skinmask.Model.train(samples, channels="G,R")


@pytest.fixture(scope="module")
def matplotlib():
    module = pytest.importorskip("matplotlib")
    module.use("agg")
    return module


@pytest.fixture(scope="module")
def frame(tmp_path_factory, face):
    if not shutil.which("ffmpeg"):
        pytest.skip("needs ffmpeg")
    folder = tmp_path_factory.mktemp("clip")
    raw = folder / "face.rgb"
    raw.write_bytes(numpy.ascontiguousarray(face[..., ::-1]).tobytes())
    size = f"{face.shape[1]}x{face.shape[0]}"
    words = f"ffmpeg -v error -f rawvideo -pix_fmt rgb24 -s {size} -i {raw} -c:v ffv1"
    subprocess.run([*words.split(), folder / "clip.mkv"], check=True)
    return next(skinmask.video(folder / "clip.mkv", adapt="off"))


def test_pictures_are_those_of_the_program(program, samples, tmp_path):
    qda, of_two = skinmask.Model.train(samples), flat(samples)
    lda = skinmask.Model.train(samples, channels="G,R", kind="lda")
    lda.save(tmp_path / "other.json")
    beside = ["--samples", TABLE, "--beside", tmp_path / "other.json"]
    for model, flags, how in (
        (qda, ["--at", "B=90"], {"at": {"B": 90}}),
        (qda, ["--marginal"], {"marginal": True}),
        (of_two, beside, {"samples": samples, "beside": {"other": lda}}),
    ):
        file, written = tmp_path / "qda.json", tmp_path / "p.png"  # by its name it is drawn
        model.save(file, overwrite=True)
        program("show", file, "--picture", written, "--force", *flags)
        assert model.picture(**how) == written.read_bytes(), flags
    assert of_two.picture(format="svg").startswith(b"<?xml")


def test_pixels_that_are_not_drawn_are_told_of(samples):
    pixels = numpy.array([[10, 20, 30], [200, 90, 50]], numpy.uint8)
    both = samples + skinmask.Samples(pixels, numpy.array(["hair", "hair"]))
    model = flat(samples)
    with pytest.warns(RuntimeWarning, match="samples: of hair, which the model lacks"):
        picture = model.picture(samples=both)
    assert picture == model.picture(samples=samples)


def test_what_no_picture_can_be_made_of_is_told(samples):
    model = skinmask.Model.default()
    for how, error, line in (
        ({"format": "jpg"}, skinmask.Error, "format: is 'jpg'"),
        ({"at": {"Q": 1}}, skinmask.Error, "channel 'Q'"),
        ({"at": {"B": 1}, "marginal": True}, skinmask.Error, "one of them"),
        ({"at": {"B": "x"}}, TypeError, "number"),
        ({"samples": [1]}, TypeError, "samples: is list"),
        ({"beside": {"m": 3}}, TypeError, "model: is int"),
    ):
        with pytest.raises(error, match=re.escape(line)):
            model.picture(**how)
    logistic = skinmask.Model.train(samples, kind="logistic")
    with pytest.raises(skinmask.Error, match="no marginal boundary"):
        logistic.picture(marginal=True)


def png_in(text):
    return base64.b64decode(re.search(r"data:image/png;base64,([^']+)'", text)[1])


def test_models_show_themselves_in_notebooks(samples):
    model = flat(samples)
    text = model._repr_html_()
    assert png_in(text) == model.picture()
    assert "qda in BGR" in text and "G R" in text and f"{model.threshold:.6g}" in text


def test_evaluations_show_their_scores(samples):
    result = skinmask.evaluate(samples)
    text = result._repr_html_()
    assert f"{result.pooled['f1']:.6g}" in text and "recall" in text


def test_frames_show_the_border_of_their_skin(frame, tmp_path):
    (tmp_path / "frame.png").write_bytes(png_in(frame._repr_html_()))
    shown = skinmask.read_image(tmp_path / "frame.png")
    assert shown.shape == frame.bgr.shape
    green = (shown == (0, 255, 0)).all(axis=2)
    skin = frame.mask == 255
    assert green.any() and skin[green].all() and not green.all()
    numpy.testing.assert_array_equal(shown[~green], frame.bgr[~green])


def test_plots_are_on_axes_of_matplotlib(matplotlib, samples, frame):
    from matplotlib import pyplot

    ax = flat(samples).plot()
    assert len(ax.images) == 1
    assert flat(samples).plot(ax) is ax
    with pytest.raises(skinmask.Error, match="a model of 2 channels has none to integrate out"):
        flat(samples).plot(ax, marginal=True)
    assert len(frame.plot().images) == 1
    result = skinmask.evaluate(samples)
    errors, roc = result.plot()
    curves = result.data["curves"]
    # Stairs: a rate holds from its score down to the next one.
    thresholds, rates = errors.lines[2].get_data()
    numpy.testing.assert_allclose(rates[:-1], curves["error_rate"])
    assert errors.lines[2].get_drawstyle() == "steps-post" and thresholds[-1] == 0
    pixels, names, counts = samples.arrays()
    counts = counts * (names == "skin")
    probability = skinmask.Model.default().predict_proba(pixels)[:, 0]
    thresholds, rates = errors.lines[0].get_data()
    for threshold in (0.2, 0.5, 0.8):
        missed = counts[probability <= threshold].sum() / counts.sum()
        assert rates[thresholds >= threshold][-1] == pytest.approx(missed, abs=0.01)
    false_positives, recall = roc.lines[0].get_data()
    area = numpy.sum(numpy.diff(false_positives) * (recall[1:] + recall[:-1]) / 2)
    assert area == pytest.approx(result.pooled["auc"], abs=1e-3)
    assert result.plot((errors, roc)) == (errors, roc)
    for plot, ax, line in (
        (result.plot, "x", "ax: is str (a pair of axes of matplotlib is wanted)"),
        (result.plot, errors, "ax: is Axes"),
        (result.plot, [roc, 3], "ax: is list"),
        (frame.plot, pyplot, "ax: is module (axes of matplotlib are wanted)"),
        (skinmask.Model.default().plot, (errors, roc), "ax: is tuple"),
    ):
        with pytest.raises(TypeError, match=re.escape(line)):
            plot(ax)
    pyplot.close("all")


def test_without_matplotlib_one_line_says_so():
    code = """import sys
sys.modules['matplotlib'] = None
import skinmask
samples = skinmask.Samples.read(sys.argv[1])
assert skinmask.Model.train(samples, channels='G,R').picture()
result = skinmask.Evaluation({'curves': {}, 'positive': 'skin'})
for plot in (skinmask.Model.default().plot, result.plot):
    try:
        plot()
    except skinmask.Error as error:
        assert str(error).startswith('matplotlib: is not installed'), error
    else:
        raise AssertionError('was drawn')
"""
    subprocess.run([sys.executable, "-c", code, TABLE], check=True)


def test_files_are_rows_of_a_data_frame(photos, tmp_path):
    files = skinmask.detect_files([photos, "/no/such.png"], tmp_path / "out", adapt="off")
    assert dataclasses.is_dataclass(files[0])
    row = dataclasses.asdict(files[0])
    assert row["input"] == files[0].input and row["skin_fraction"] == files[0].skin_fraction
    assert {"input", "outputs", "size", "skin_fraction", "frames", "faces", "error"} <= set(row)
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(files)
    assert list(table["error"]) == [file.error for file in files]
    assert table.loc[table.error == "", "skin_fraction"].between(0, 1).all()


def test_outliers_are_those_of_the_map(noise):
    lda = skinmask.Model.train(skinmask.Samples.read(TABLE), kind="lda")
    for model, share in ((skinmask.Model.default(), 0.999), (lda, 0.9)):
        unknown = skinmask.detect(noise, model, output="uncertainty", adapt="off", outlier=share)
        found = model.is_outlier(noise.reshape(-1, 3), share)
        numpy.testing.assert_array_equal(found, (unknown == 255).ravel())
        assert found.any() and not found.all()
    logistic = skinmask.Model.train(skinmask.Samples.read(TABLE), kind="logistic")
    with pytest.raises(skinmask.Error, match="logistic"):
        logistic.is_outlier(noise.reshape(-1, 3))
    with pytest.raises(skinmask.Error, match="outlier 1"):
        skinmask.Model.default().is_outlier(noise.reshape(-1, 3), 1)
