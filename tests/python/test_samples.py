"""Samples: the same tables from arrays, files and pairs of folders."""

import pickle

import numpy
import pytest

import skinmask
from conftest import SOURCE, research

MASKS = SOURCE / "samples" / "masks"


def test_samples_are_the_same_table_whatever_they_come_from(samples, tmp_path):
    pixels, classes, counts = samples.ungrouped().arrays()
    repeated = numpy.repeat(pixels, counts.astype(int), axis=0)
    labels = numpy.repeat(classes, counts.astype(int))
    order = numpy.random.default_rng(0).permutation(len(labels))
    for given in (labels, labels == "skin", (labels == "skin").astype(int), 2 - (labels == "skin")):
        assert skinmask.Samples(repeated[order], given[order]) == samples.ungrouped()
    whole = skinmask.Samples(repeated, labels, groups=numpy.zeros(len(labels), int))
    assert whole == samples.ungrouped()
    half = len(labels) // 2
    assert (
        skinmask.Samples(repeated[:half], labels[:half])
        + skinmask.Samples(repeated[half:], labels[half:])
        == samples.ungrouped()
    )
    samples.save(tmp_path / "s.csv")
    assert skinmask.Samples.read(tmp_path / "s.csv") == samples
    assert pickle.loads(pickle.dumps(samples)) == samples
    assert len(samples) == sum(samples.counts.values()) == counts.sum()


def test_groups_are_kept():
    pixels = numpy.array([[1, 2, 3]] * 3, numpy.uint8)
    table = skinmask.Samples(pixels, [True, True, False], groups=[5, 6, 5])
    assert (
        table.to_csv()
        == "class,b,g,r,count,group\nnon-skin,1,2,3,1,5\nskin,1,2,3,1,5\nskin,1,2,3,1,6\n"
    )


def test_pairs_of_folders_are_those_of_the_program(program, photos, tmp_path):
    program(
        "sample",
        "--images",
        photos,
        "--masks",
        MASKS,
        "--step",
        "8",
        "-o",
        tmp_path / "t.csv",
        "-q",
    )
    table = skinmask.Samples.from_pairs(photos, MASKS, step=8)
    assert table.to_csv() == (tmp_path / "t.csv").read_text()


@pytest.mark.parametrize(
    "labels, error, message",
    [
        ([1, 0], skinmask.Error, "are not one for each pixel"),
        ([0, 1, 7], skinmask.Error, "labels: are numbers such as 0, 1, 7"),
        ([0.5, 1, 1], TypeError, "labels: are float64"),
        ([[1], [0], [1]], TypeError, "labels: are int64 of shape"),
        (["a", "", "b"], skinmask.Error, "class ''"),
        (["a,b", "c", "d"], skinmask.Error, "class 'a,b'"),
        (["a", "\ud800", "b"], skinmask.Error, "labels: have .*which is no text"),
        (numpy.array(["a", None, "b"], object), TypeError, "labels: are objects, not all of"),
        (["a", float("nan"), "b"], TypeError, "labels: are objects, not all of"),
        (["a", True, "b"], TypeError, "labels: are objects, not all of"),
        (numpy.array([True, None, False], object), TypeError, "labels: are objects, not all of"),
        (numpy.array([1, 1 << 70, 0], object), skinmask.Error, "labels: are numbers such as 0, 1"),
    ],
)
def test_labels_that_are_wrong_are_named(labels, error, message):
    with pytest.raises(error, match=message):
        skinmask.Samples(numpy.zeros((3, 3), numpy.uint8), labels)


def test_no_labels_are_labels():
    pixels = numpy.zeros((3, 3), numpy.uint8)
    assert len(skinmask.Samples(pixels[:0], [])) == 0
    with pytest.raises(skinmask.Error, match="labels: are not one for each pixel"):
        skinmask.Samples(pixels, [])


def test_labels_may_be_of_types_of_pandas():
    pandas = pytest.importorskip("pandas")
    pixels = numpy.eye(3, dtype=numpy.uint8)
    table = skinmask.Samples(pixels, [True, False, True])
    for labels, kind in (
        ([True, False, True], "boolean"),
        ([1, 0, 1], "Int64"),
        ([1, 2, 1], "UInt8"),
    ):
        assert skinmask.Samples(pixels, pandas.Series(labels, dtype=kind)) == table
    with pytest.raises(TypeError, match="labels: are objects, not all of"):
        skinmask.Samples(pixels, pandas.Series([True, None, True], dtype="boolean"))


def test_arguments_that_are_wrong_are_named(photos):
    pixels = numpy.zeros((3, 3), numpy.uint8)
    with pytest.raises(skinmask.Error, match="groups: are not one for each pixel"):
        skinmask.Samples(pixels, [1, 0, 1], groups=[1, 2])
    for options, message in (
        ({"step": 2.5}, r"step: is 2.5 \(a whole number"),
        ({"invert": "no"}, "invert: is str"),
        ({"groups": 3}, "groups: is int"),
        ({"step": True}, "step: is True"),
        ({"ignored": 3}, "ignored: is 3"),
    ):
        with pytest.raises(TypeError, match=message):
            skinmask.Samples.from_pairs(photos, MASKS, **options)
    for step in (-(1 << 40), 1 << 40, 0):
        with pytest.raises(skinmask.Error, match="step"):
            skinmask.Samples.from_pairs(photos, MASKS, step=step)


def test_arrays_that_hide_entries_are_refused():
    pixels = numpy.zeros((2, 3), numpy.uint8)
    hidden = numpy.ma.masked_array([1, 0], [False, True])
    for name in ("labels", "groups", "counts"):
        with pytest.raises(TypeError, match=f"^{name}: is a masked array"):
            skinmask.Samples(pixels, **{"labels": [1, 0], name: hidden})


def test_the_uci_file_gives_the_published_counts():
    path = research("uci/Skin_NonSkin.txt")
    rows = numpy.loadtxt(path, dtype=numpy.uint8)
    samples = skinmask.Samples(numpy.ascontiguousarray(rows[:, :3]), rows[:, 3])
    assert samples == skinmask.Samples.read(path)
    pooled = skinmask.evaluate(samples, model=skinmask.Model.train(samples)).pooled
    assert [pooled[name] for name in ("tp", "fp", "fn", "tn")] == [47093, 278, 3766, 193920]
    assert pooled["auc"] == pytest.approx(0.999643, abs=1e-6)


def test_counts_stand_for_rows(samples):
    pixels, labels, counts = samples.arrays()
    assert skinmask.Samples(pixels, labels, counts=counts) == samples.ungrouped()
    groups = numpy.arange(len(labels)) % 3
    assert skinmask.Samples(pixels, labels, counts=counts, groups=groups).counts == samples.counts
    none = skinmask.Samples(pixels[:2], ["a", "b"], counts=[0, 5])
    assert none.counts == {"a": 0, "b": 5}
    assert pickle.loads(pickle.dumps(none)).counts == none.counts
    for wrong, message in (
        (counts[1:], "counts: are not one for each pixel"),
        (counts * 10**10, "counts: are more pixels than 2"),
        (-counts.astype(int), "counts: are out of range"),
    ):
        with pytest.raises(skinmask.Error, match=message):
            skinmask.Samples(pixels, labels, counts=wrong)
