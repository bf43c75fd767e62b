"""SkinClassifier among scikit-learn's own."""
import doctest
import importlib
import pickle
import signal
import subprocess
import sys
import types
import warnings
from unittest import SkipTest

import numpy
import pytest

import page
import skinmask
from conftest import research

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.metrics import confusion_matrix
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

from skinmask.sklearn import EXPECTED_FAILED_CHECKS, SkinClassifier

OURS = {
    "qda": QuadraticDiscriminantAnalysis,
    "lda": LinearDiscriminantAnalysis,
    "gaussian-nb": GaussianNB,
}


@pytest.fixture(scope="module")
def table(samples):
    pixels, classes, counts = samples.arrays()
    return pixels.repeat(counts.astype(int), axis=0), classes.repeat(counts.astype(int))


class Unlisted(SkinClassifier):
    """Whose checks are all run, those too that are said to fail."""

    def _more_tags(self):
        return {"_xfail_checks": {}}


class OfAnyNumbers(Unlisted):
    """Makes three bytes of whatever numbers the checks have; how it behaves is what is left."""

    def __init__(self, kind="gaussian-nb"):
        super().__init__(kind, options=None)

    def _validated(self, X, *rest, **how):
        checked = super()._validated(X, *rest, **how)
        X = checked[0] if rest else checked
        mixed = X @ numpy.cos(numpy.outer(numpy.arange(X.shape[1]), [0, 1, 2]))
        X = (128 + 100 * numpy.sin(mixed / 2)).astype(numpy.uint8)
        return (X, checked[1]) if rest else X


def failures(estimator):
    failed, passed = {}, set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for tried, check in check_estimator(estimator, generate_only=True):
            try:
                check(tried)
                passed.add(check.func.__name__)
            except SkipTest:  # for lack of pandas, at its beginning or its end: no verdict
                pass
            except Exception as failure:
                failed[check.func.__name__] = failure
    return failed, passed


def test_the_checks_that_fail_are_those_that_are_listed():
    failed, passed = failures(Unlisted())
    known = set(EXPECTED_FAILED_CHECKS) & (set(failed) | passed)  # versions have other checks
    assert set(failed) == known, failed
    assert len(passed) > 15 and all(EXPECTED_FAILED_CHECKS.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(SkinClassifier())  # passes over the listed ones


def test_on_bytes_all_checks_hold():
    failed, passed = failures(OfAnyNumbers())
    assert failed == {}
    assert len(passed & set(EXPECTED_FAILED_CHECKS)) > 20


@pytest.mark.parametrize("kind", OURS)
def test_on_the_uci_file_confusion_counts_are_those_of_scikit_learn(kind):
    rows = numpy.loadtxt(research("uci/Skin_NonSkin.txt"), dtype=numpy.uint8)
    X, y = rows[:, :3], rows[:, 3]
    ours = SkinClassifier(kind=kind).fit(X, y)
    theirs = OURS[kind]().fit(X.astype(float), y)
    assert (
        confusion_matrix(y, ours.predict(X)) == confusion_matrix(y, theirs.predict(X.astype(float)))
    ).all()
    p = theirs.predict_proba(X.astype(float))
    assert abs(ours.predict_proba(X) - p).max() < 1e-3
    bytes_of_all = numpy.random.default_rng(0).integers(0, 256, (3000, 3))
    logs = ours.predict_log_proba(bytes_of_all)
    assert numpy.isfinite(logs).all()
    assert abs(numpy.exp(logs) - ours.predict_proba(bytes_of_all)).max() < 1e-9


def test_of_more_classes_answers_are_those_of_scikit_learn():
    rng = numpy.random.default_rng(2)
    centres = numpy.array([[60, 80, 120], [130, 120, 90], [180, 190, 200], [90, 140, 60]])
    y = rng.integers(0, 4, 3000)
    X = numpy.clip(centres[y] + rng.normal(0, 18, (3000, 3)), 0, 255).round()
    for kind in OURS:
        ours = SkinClassifier(kind, covariance="unbiased").fit(X, y)
        theirs = OURS[kind]().fit(X, y)
        assert (ours.predict(X) == theirs.predict(X)).mean() > 0.998
        assert abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() < 0.02
        assert (ours.decision_function(X).argmax(axis=1) == y).mean() > 0.9
        assert abs(numpy.exp(ours.predict_log_proba(X)) - ours.predict_proba(X)).max() < 1e-12
        bytes_of_all = numpy.random.default_rng(0).integers(0, 256, (3000, 3))
        assert numpy.isfinite(ours.predict_log_proba(bytes_of_all)).all()


def test_priors_are_of_classes_in_their_order():
    X = numpy.random.default_rng(3).integers(0, 256, (200, 3))
    y = numpy.where(X[:, 2] > 140, "skin", "other")
    ours = SkinClassifier(priors=[0.9, 0.1]).fit(X, y)
    theirs = QuadraticDiscriminantAnalysis(priors=[0.9, 0.1]).fit(X, y)
    assert list(ours.classes_) == ["other", "skin"]
    assert abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() < 0.05
    assert ours.model_.priors == {"skin": 0.1, "other": 0.9}
    for priors, labels in (
        ({"skin": 0.1, "other": 0.9}, y),
        ({True: 0.1, False: 0.9}, y == "skin"),
        ({"skin": 0.1, "non-skin": 0.9}, y == "skin"),
        (types.SimpleNamespace(to_dict=lambda: {"skin": 0.1, "other": 0.9}), y),  # as of pandas
    ):
        by_name = SkinClassifier(priors=priors).fit(X, labels)
        assert abs(by_name.predict_proba(X) - ours.predict_proba(X)).max() == 0
    for priors, line in (
        ([1.0], "priors: have shape"),
        (["a", "b"], r"priors: are .* \(a number for each class is wanted\)"),
        ({"skin": 1.0}, r"priors: are of \['skin'\] \(of \['other', 'skin'\] are wanted\)"),
    ):
        with pytest.raises(ValueError, match=line):
            SkinClassifier(priors=priors).fit(X, y)


# Labels of skin and of all else, as people have them, and what the model calls them.
LABELS = [
    (1, 2, ["skin", "non-skin"]),  # the UCI file
    (1, 0, ["skin", "non-skin"]),
    (1, -1, ["skin", "non-skin"]),
    (True, False, ["skin", "non-skin"]),
    ("skin", "wall", ["skin", "wall"]),
    ("face", "back", ["face", "back"]),
    (7, 3, ["class 7", "class 3"]),
    ("7", "3", ["class 7", "class 3"]),
    ("1", "2", ["skin", "non-skin"]),
    ("b,b", "a,a", ["class 1", "class 0"]),
]


@pytest.mark.parametrize("skin, rest, names", LABELS)
def test_whatever_the_labels_are_the_model_finds_skin(table, skin, rest, names):
    X, y = table
    X, is_skin = X[::5], y[::5] == "skin"
    labels = numpy.where(is_skin, skin, rest)
    fitted = SkinClassifier().fit(X, labels)
    assert fitted.model_.classes == names
    expected = skinmask.Model.train(skinmask.Samples(X, is_skin))
    assert (fitted.model_.predict(X) == expected.predict(X)).all()
    # and in scikit-learn's own words log-odds are of the second label
    z = fitted.decision_function(X)
    assert ((z > 0) == (fitted.predict(X) == fitted.classes_[1])).all()
    assert ((fitted.predict_proba(X)[:, 1] > 0.5) == (z > 0)).all()
    assert (fitted.predict(X) == labels).mean() > 0.9


def test_positive_is_the_label_that_the_model_finds(table):
    X, y = table
    X, is_skin = X[::5], y[::5] == "skin"
    expected = skinmask.Model.train(skinmask.Samples(X, is_skin)).predict(X)
    for skin, rest, names in (("face", "wall", ["face", "wall"]), (5, 9, ["skin", "non-skin"])):
        fitted = SkinClassifier(positive=skin).fit(X, numpy.where(is_skin, skin, rest))
        assert fitted.model_.classes == names
        assert (fitted.model_.predict(X) == expected).all()
        assert ((fitted.decision_function(X) > 0) == ~expected).all()
    three = SkinClassifier(positive=8).fit(X, numpy.arange(len(X)) % 3 + 7)
    assert three.model_.classes == ["skin", "class 7", "class 9"]
    assert abs(three.predict_proba(X).sum(axis=1) - 1).max() < 1e-9
    with pytest.raises(ValueError, match="positive: is 'hair', and y has False, True"):
        SkinClassifier(positive="hair").fit(X, is_skin)


def test_what_is_fitted_to_booleans_is_adapted_as_a_model_of_skin_is(table, face):
    X, y = table
    fitted = SkinClassifier().fit(X, y == "skin").model_
    trained = skinmask.Model.train(skinmask.Samples(X, y == "skin"))
    assert (skinmask.detect(face, fitted) == skinmask.detect(face, trained)).all()
    assert (skinmask.detect(face, fitted) != skinmask.detect(face, fitted, adapt="off")).any()


def test_to_adapt_what_is_not_called_skin_warns(table, face):
    X, y = table
    hair = SkinClassifier().fit(X, numpy.where(y == "skin", "hair", "all")).model_
    for adapt in ("auto", "faces"):
        with pytest.warns(UserWarning, match="adapt: takes what the model finds, 'hair', for"):
            skinmask.detect(face, hair, adapt=adapt)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        skinmask.detect(face, hair)
        skinmask.detect(face, hair, adapt="off")
        skinmask.detect(face, adapt="auto")


def test_a_fit_that_does_not_converge_warns_of_the_caller_s_line(table):
    with pytest.warns(RuntimeWarning, match="did not converge") as warned:
        SkinClassifier("mixture", options={"iterations": 1}).fit(*table)
    assert {one.filename for one in warned} == {__file__}


def test_weights_are_how_often_a_row_counts(samples):
    X, y, counts = samples.arrays()
    weighted = SkinClassifier().fit(X, y, sample_weight=counts)
    times = counts.astype(int)
    assert weighted.model_ == SkinClassifier().fit(X.repeat(times, axis=0), y.repeat(times)).model_
    assert weighted.model_ == skinmask.Model.train(samples)
    for wrong in (counts + 0.5, -counts.astype(int)):
        with pytest.raises(ValueError, match="sample_weight: has entries that are no whole"):
            SkinClassifier().fit(X, y, sample_weight=wrong)
    for wrong in (counts * 0, counts * 10**15, counts * 1e30):
        with pytest.raises(ValueError, match="sample_weight: is .* pixels together"):
            SkinClassifier().fit(X, y, sample_weight=wrong)
    # More than memory has, were each row there so often; and the model is the same.
    many = SkinClassifier().fit(X, y, sample_weight=counts * 2**20).model_
    assert abs(many.predict_proba(X) - weighted.model_.predict_proba(X)).max() < 1e-9
    zero = numpy.where(y == "skin", 0, 1)
    with pytest.raises(ValueError, match="y has one class"):
        SkinClassifier().fit(X, y, sample_weight=zero)


def test_labels_as_masks_have_them_are_skin(table):
    X, y = table
    model = SkinClassifier().fit(X, numpy.where(y == "skin", 255, 0)).model_
    assert model.classes == ["skin", "non-skin"]
    assert SkinClassifier().fit(X, numpy.where(y == "skin", "1", "class 1")).model_.classes == [
        "class 1",
        "class 0",
    ]


def test_what_is_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        SkinClassifier().is_outlier(numpy.zeros((2, 3), "uint8"))


def test_it_stands_in_pipelines_and_searches(table):
    X, y = table
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(SkinClassifier(), X, y, cv=folds, scoring="roc_auc")
    assert scores.min() > 0.9
    rgb = make_pipeline(FunctionTransformer(lambda pixels: pixels[:, ::-1]), SkinClassifier())
    assert (
        rgb.fit(X[:, ::-1], y).predict(X[:, ::-1]) == SkinClassifier().fit(X, y).predict(X)
    ).all()
    search = GridSearchCV(
        SkinClassifier(), {"space": ["BGR", "HSV"], "kind": ["qda", "lda"]}, cv=folds
    )
    assert search.fit(X, y).best_score_ > 0.8
    for method in ("sigmoid", "isotonic"):
        calibrated = CalibratedClassifierCV(SkinClassifier("lda"), cv=folds, method=method).fit(
            X, y
        )
        p = calibrated.predict_proba(X)
        assert abs(p.sum(axis=1) - 1).max() < 1e-9 and (calibrated.predict(X) == y).mean() > 0.8


def test_it_is_cloned_and_pickled(table):
    X, y = table
    fitted = SkinClassifier("mixture", options={"components": 2}).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict_proba(X) == fitted.predict_proba(X)).all()
    assert clone(fitted).get_params() == fitted.get_params()
    image = X[: 100 * 10].reshape(10, 100, 3)
    mask = skinmask.detect(image, fitted.model_, adapt="off")
    assert ((mask.ravel() == 255) == (fitted.predict(X[:1000]) == fitted.classes_[1])).all()


def test_what_is_no_byte_is_refused(table):
    X, y = table
    fitted = SkinClassifier().fit(X[::7], y[::7])
    assert (fitted.predict(X.astype(float)) == fitted.predict(X)).all()
    for wrong in (X + 0.5, X.astype(int) - 300, X.astype(int) + 1):
        with pytest.raises(ValueError, match="whole numbers from 0 to 255"):
            fitted.predict(wrong)
    with pytest.raises(ValueError, match="3"):
        fitted.predict(X[:, :2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="whole numbers from 0 to 255"):
            fitted.predict([[1, 2, 1e300]])
    # predict decides by no threshold; a parameter of the classifier is no option
    for options in ({"threshold": 0.9}, {"max_f1": True}, {"covariance": "unbiased"}):
        with pytest.raises(ValueError, match="options: have"):
            SkinClassifier(options=options).fit(X[::7], y[::7])
    with pytest.raises(ValueError, match="one class"):
        SkinClassifier().fit(X, ["skin"] * len(X))


def test_columns_of_another_order_are_no_pixels(table):
    class Frame(numpy.ndarray):  # as far as a data frame is one here
        columns: list

    X, y = table
    frame = X[::7].view(Frame)
    expected = SkinClassifier().fit(X[::7], y[::7]).predict(X[::7])
    for columns in (["blue", "g", "r"], ["B", "G", "R"]):
        frame.columns = columns
        fitted = SkinClassifier().fit(frame, y[::7])
        assert (fitted.predict(frame) == expected).all()
    for columns in (["R", "G", "B"], ["g", "b", "r"]):
        frame.columns = columns
        with pytest.raises(ValueError, match="in the order B, G, R"):
            SkinClassifier().fit(frame, y[::7])
        with pytest.raises(ValueError, match="in the order B, G, R"):
            fitted.predict(frame)


def test_the_examples_run():
    assert doctest.testmod(importlib.import_module("skinmask.sklearn")).failed == 0


def test_the_example_of_the_page_runs(samples, face):
    rows, labels, _ = samples.arrays()
    names = {"skinmask": skinmask, "X": rows[::9], "y": labels[::9], "image": face}
    assert page.run(lambda code: "sklearn" in code, names) == 1
    assert names["mask"].shape == face.shape[:2]


INTERRUPTED = """
import numpy, signal, sys
from skinmask.sklearn import SkinClassifier
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
X = numpy.random.default_rng(1).integers(0, 256, (20000, 3), numpy.uint8)
SkinClassifier().fit(X, X[:, 0] > X[:, 1])  # what is slow the first time is behind
endless = {"solver": "sgd", "iterations": 1 << 30, "tolerance": 0}
try:
    print("begun", flush=True)
    SkinClassifier("logistic", options=endless).fit(X, X[:, 0] > X[:, 1])
except KeyboardInterrupt:
    sys.exit(42)
"""


def test_ctrl_c_ends_a_fit():
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE)
    with process:
        try:
            assert process.stdout.readline() == b"begun\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 42
        finally:
            process.kill()


def test_a_classifier_tells_outliers(samples):
    X, y, counts = samples.arrays()
    classifier = SkinClassifier().fit(X, y, counts)
    numpy.testing.assert_array_equal(
        classifier.is_outlier(X.astype(float), 0.9), classifier.model_.is_outlier(X, 0.9)
    )
