"""Models: the program's files from the same data, and what they say of pixels."""
import pickle

import numpy
import pytest

import skinmask
from conftest import SOURCE

TABLE = SOURCE / "samples" / "labelled-pixels.csv"
MASKS = SOURCE / "samples" / "masks"
KINDS = [
    ({}, []),
    (
        {"kind": "lda", "space": "YCrCb", "max_f1": True},
        ["--kind", "lda", "--space", "YCrCb", "--max-f1"],
    ),
    (
        {
            "channels": ["Cr", "Cb"],
            "space": "YCrCb",
            "covariance": "unbiased",
            "shrinkage": "auto",
            "prior": 0.1,
        },
        [
            "--channels",
            "Cr,Cb",
            "--space",
            "YCrCb",
            "--covariance",
            "unbiased",
            "--shrinkage",
            "auto",
            "--prior",
            "0.1",
        ],
    ),
    (
        {
            "kind": "mixture",
            "components": {"skin": 1, "non-skin": 2},
            "seed": 3,
            "iterations": 9,
            "threshold": 0.25,
        },
        [
            "--kind",
            "mixture",
            "--components",
            "skin=1,non-skin=2",
            "--seed",
            "3",
            "--iterations",
            "9",
            "--threshold",
            "0.25",
        ],
    ),
    (
        {
            "kind": "logistic",
            "terms": "squares",
            "ridge": 0.01,
            "cost": (1, 5),
            "notes": {"licence": "none"},
        },
        [
            "--kind",
            "logistic",
            "--features",
            "squares",
            "--ridge",
            "0.01",
            "--cost",
            "1:5",
            "--card",
            "licence=none",
        ],
    ),
    (
        {"kind": "histogram", "bins": 8, "smoothing": 0.5, "min_recall": 0.9},
        ["--kind", "histogram", "--bins", "8", "--smoothing", "0.5", "--min-recall", "0.9"],
    ),
    (
        {"kind": "gaussian-nb", "max_fpr": 0},
        ["--kind", "gaussian-nb", "--max-fpr", "0"],
    ),
    (
        {"kind": "gaussian-nb", "min_recall": 0},
        ["--kind", "gaussian-nb", "--min-recall", "0"],
    ),
    (
        {"kind": "gaussian-nb", "max_fpr": 0.05, "prior": {"skin": 0.25, "non-skin": 0.75}},
        [
            "--kind",
            "gaussian-nb",
            "--max-fpr",
            "0.05",
            "--prior",
            "skin=0.25",
            "--prior",
            "non-skin=0.75",
        ],
    ),
]


@pytest.mark.parametrize("options, flags", KINDS)
def test_training_writes_the_file_of_the_program(program, samples, tmp_path, options, flags):
    program("train", "--samples", TABLE, "-o", tmp_path / "theirs.json", *flags, "-q")
    model = skinmask.Model.train(samples, **options)
    model.save(tmp_path / "ours.json")
    assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "theirs.json").read_bytes()
    loaded = skinmask.Model.load(tmp_path / "theirs.json")
    assert loaded.to_json() == model.to_json()
    assert pickle.loads(pickle.dumps(model)).to_json() == model.to_json()


def test_validation_images_choose_the_threshold(program, photos, samples, tmp_path):
    program(
        "train",
        "--samples",
        TABLE,
        "-o",
        tmp_path / "m.json",
        "--max-f1",
        "-q",
        "--validation-images",
        photos,
        "--validation-masks",
        MASKS,
    )
    told = []
    model = skinmask.Model.train(
        samples,
        max_f1=True,
        validation=(photos, MASKS),
        progress=lambda done, total: told.append((done, total)),
    )
    assert model.to_json() == (tmp_path / "m.json").read_text()
    assert told[-1] == (2, 2)
    scored = [score["data"] for score in model.card["scores"]]
    assert scored == ["training samples", "photos", "photos"]
    inverted = tmp_path / "inverted"
    inverted.mkdir()
    for mask in MASKS.iterdir():
        grey = 255 - skinmask.read_image(mask)[..., 0]
        header = f"P5 {grey.shape[1]} {grey.shape[0]} 255\n".encode()
        (inverted / f"{mask.stem}_m.pgm").write_bytes(header + grey.tobytes())
    how = {"mask_name": "{stem}_m", "invert": True}
    other = skinmask.Model.train(samples, max_f1=True, validation=(photos, inverted, how))
    assert other.threshold == model.threshold


def test_one_channel_may_be_named_without_a_list(samples):
    assert skinmask.Model.train(samples, space="YCrCb", channels="Cr").channels == ["Cr"]


def test_a_model_tells_of_itself(samples):
    model = skinmask.Model.train(
        samples, kind="lda", space="YCrCb", channels=["Cr", "Cb"], prior=0.25
    )
    assert (model.kind, model.space, model.channels) == ("lda", "YCrCb", ["Cr", "Cb"])
    assert model.classes == ["skin", "non-skin"]
    assert model.prior == 0.25 and model.priors == {"skin": 0.25, "non-skin": 0.75}
    assert model.threshold == 0.5 and model.rule == "fixed"
    assert model.card["training"]["counts"] == samples.counts
    assert model.with_threshold(0.125).threshold == 0.125
    assert model.with_prior(0.5).prior == 0.5
    assert repr(model) == "<skinmask.Model lda YCrCb, 'skin' above 0.5>"
    assert skinmask.Model.default() is skinmask.Model.default()


def test_a_class_s_name_gives_a_terminal_no_orders():
    text = skinmask.Model.default().to_json().replace('"skin"', '"sk\\u202ein"')
    assert repr(skinmask.Model.from_json(text)).isprintable()
    samples = skinmask.Samples(numpy.zeros((2, 3), numpy.uint8), ["sk\u202ein", "non-skin"])
    assert repr(samples).isprintable()


def test_models_are_equal_where_their_files_are(samples):
    model = skinmask.Model.default()
    again = skinmask.Model.from_json(model.to_json())
    assert model == again == pickle.loads(pickle.dumps(model)) and hash(model) == hash(again)
    assert len({model, again, model.with_threshold(0.3), model.with_threshold(0.3)}) == 2
    nearly = numpy.nextafter(model.prior, 1)
    others = [model.with_prior(nearly), skinmask.Model.train(samples), model.to_json(), None, 1]
    assert all(model != other and other != model for other in others)
    assert model.__eq__(model.to_json()) is NotImplemented
    assert skinmask.Model.train(samples, notes={"a": "b"}) != skinmask.Model.train(samples)


def test_pixels_have_one_answer(noise):
    model = skinmask.Model.default()
    pixels = noise.reshape(-1, 3)
    p, z = model.predict_proba(pixels), model.decision_function(pixels)
    assert p.shape == (len(pixels), 2) and z.shape == (len(pixels),)
    assert abs(p.sum(axis=1) - 1).max() < 1e-12
    assert numpy.allclose(p[:, 0], 1 / (1 + numpy.exp(-z)), rtol=1e-9, atol=0)
    assert (model.predict(pixels) == (p[:, 0] > model.threshold)).all()
    assert (model.predict_class(pixels) == p.argmax(axis=1)).all()
    mask = skinmask.detect(noise, model, adapt="off")
    assert (model.predict(pixels).reshape(mask.shape) == (mask == 255)).all()
    empty = numpy.zeros((0, 3), numpy.uint8)
    assert model.predict_proba(empty).shape == (0, 2)
    assert (model.predict(pixels[::2]) == model.predict(pixels)[::2]).all()


def test_a_prior_shifts_log_odds(noise):
    model = skinmask.Model.default()
    pixels = noise.reshape(-1, 3)
    logit = numpy.log(0.3 / 0.7) - numpy.log(model.prior / (1 - model.prior))
    shifted = model.with_prior(0.3).decision_function(pixels)
    assert abs(shifted - model.decision_function(pixels) - logit).max() < 1e-9


def test_three_classes(noise):
    rng = numpy.random.default_rng(1)
    pixels = numpy.clip(
        rng.normal([[90, 120, 200]] * 50 + [[200, 180, 90]] * 50 + [[40, 30, 20]] * 50, 9), 0, 255
    )
    labels = ["skin"] * 50 + ["sky"] * 50 + ["hair"] * 50
    model = skinmask.Model.train(skinmask.Samples(pixels.astype(numpy.uint8), labels))
    assert model.classes == ["skin", "hair", "sky"]
    p = model.predict_proba(noise.reshape(-1, 3))
    assert p.shape[1] == 3 and abs(p.sum(axis=1) - 1).max() < 1e-12
    classes = skinmask.detect(noise, model, output="classes")
    assert (classes.ravel() == p.argmax(axis=1)).all()
    costs = numpy.array([[0, 1, 7], [4, 0, 2], [1, 9.5, 0]])
    cheapest = skinmask.detect(noise, model, output="classes", class_costs=costs)
    expected = (p @ costs).argmin(axis=1)
    assert (cheapest.ravel() == expected).all() and (cheapest != classes).any()
    with pytest.raises(skinmask.Error, match="class_costs.*needs output classes"):
        skinmask.detect(noise, model, class_costs=costs)
    with pytest.raises(skinmask.Error, match="class_costs.*4 costs"):
        skinmask.detect(noise, model, output="classes", class_costs=[[0, 1], [2, 0]])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"kind": "svm"}, "svm.*qda"),
        ({"space": "CMYK"}, "CMYK.*BGR"),
        ({"channels": ["Q"]}, "Q"),
        ({"covariance": "map"}, r"covariance: 'map' is unknown \(there are: mle unbiased\)"),
        ({"shrinkage": 2.0}, "shrinkage 2.0: is out of range"),
        ({"prior": 1.0}, "prior 1.0: is out of range"),
        ({"prior": {"skin": 0.3}}, "prior"),
        ({"positive": "cats"}, "cats"),
        ({"threshold": 0.5, "max_f1": True}, "give one of threshold"),
        ({"cost": (0, 1)}, "cost 0.0 is out of range"),
        ({"kind": "mixture", "components": 0}, "components 0: is less than 1"),
        ({"kind": "histogram", "bins": 1}, "bins: '1' is no whole number from 2 to 256"),
        ({"kind": "logistic", "terms": "square"}, r"terms: 'square' .*did you mean squares\?"),
        ({"kind": "logistic", "solver": "sdg"}, r"solver: 'sdg' .*did you mean sgd\?"),
        ({"kind": "logistic", "rate": 0}, "rate: '0' is no number above 0"),
        ({"kind": "logistic", "rate": 0.5}, "rate: is of solver gradient and sgd"),
        ({"kind": "lda", "components": 2}, "components: is of mixture, and kind is lda"),
        ({"kind": "mixture", "shrinkage": 0.1}, "shrinkage: is of qda, lda, and kind is mixture"),
        ({"bins": 8}, "bins: is of histogram-nb, histogram, and kind is qda"),
    ],
)
def test_options_of_training_that_are_wrong_are_named(samples, options, message):
    with pytest.raises(skinmask.Error, match=message):
        skinmask.Model.train(samples, **options)


def test_arguments_of_another_type_are_refused(samples, noise):
    with pytest.raises(TypeError, match="unexpected keyword argument 'gamma'"):
        skinmask.Model.train(samples, gamma=1)
    with pytest.raises(TypeError, match=r"cost: is \(1,\) \(\(FP, FN\) are wanted"):
        skinmask.Model.train(samples, cost=(1,))
    with pytest.raises(TypeError, match="samples: is str"):
        skinmask.Model.train("samples.csv")
    for options, message in (
        ({"calibration": "c.csv"}, "calibration: is str"),
        ({"shrinkage": [0.5]}, "shrinkage: is list .a text or a number is wanted"),
        ({"notes": {"a": 1}}, r"notes\['a'\]: is 1"),
        ({"kind": "histogram", "bins": 0.5}, "bins: is float"),
        ({"kind": None}, "kind: is NoneType"),
        ({"notes": ["a"]}, "notes: is list .texts by their names are wanted"),
        ({"max_f1": "yes"}, "max_f1: is str .True or False is wanted"),
        ({"channels": [1]}, "channels: have 1"),
        ({"channels": 3}, "channels: is int .texts are wanted"),
        ({"validation": 1}, "validation: is int .*a folder of images and one of their masks"),
        ({"validation": ("images",)}, "validation: has 1 entries"),
    ):
        with pytest.raises(TypeError, match=message):
            skinmask.Model.train(samples, **options)
    with pytest.raises(skinmask.Error, match=r"1001 notes \(at most 1000\)"):
        skinmask.Model.train(samples, notes={str(i): "" for i in range(1001)})
    with pytest.raises(skinmask.Error, match="notes: have a text without a name"):
        skinmask.Model.train(samples, notes={"": "b"})
    with pytest.raises(skinmask.Error, match="seed: '-1' is no whole number"):
        skinmask.Model.train(samples, kind="mixture", seed=-1)
    with pytest.raises(TypeError, match="made by Model.load"):
        skinmask.Model("m.json")
    with pytest.raises(TypeError, match=r"pixels: is uint8 of shape \(61, 83, 3\) .*\(n, 3\)"):
        skinmask.Model.default().predict(noise)
    with pytest.raises(TypeError, match="pixels: is float64"):
        skinmask.Model.default().predict_proba(numpy.zeros((4, 3)))


def test_none_is_no_number():
    model = skinmask.Model.default()
    for name, call in (
        ("threshold", model.with_threshold),
        ("prior", model.with_prior),
        ("outlier", lambda value: model.is_outlier(numpy.zeros((1, 3), numpy.uint8), value)),
    ):
        with pytest.raises(TypeError, match=f"^{name}: is NoneType .a number is wanted.$"):
            call(None)


def test_models_that_cannot_be_read_are_named(tmp_path):
    foreign = tmp_path / "foreign.json"
    foreign.write_text('{"a": 1}')
    for path in (foreign, tmp_path / "none.json", tmp_path):
        with pytest.raises(skinmask.Error, match=path.name):
            skinmask.Model.load(path)
    with pytest.raises(skinmask.Error, match="model"):
        skinmask.Model.from_json("{")
    with pytest.raises(skinmask.Error, match="text: have .*which is no text"):
        skinmask.Model.from_json("\ud800")
    with pytest.raises(TypeError, match="text: is int"):
        skinmask.Model.from_json(3)
