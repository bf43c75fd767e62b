"""skinmask.region: where the skin of a map is."""
import pickle

import numpy
import pytest

import skinmask


def test_a_region_has_the_moments_of_the_map():
    y, x = numpy.mgrid[:90, :120]
    weight = numpy.exp(-(((x - 50) / 20.0) ** 2 + ((y - 40 - 0.4 * (x - 50)) / 8.0) ** 2))
    mapped = (255 * weight).astype(numpy.uint8)
    p = mapped / 255
    cx, cy = (p * x).sum() / p.sum(), (p * y).sum() / p.sum()
    covariance = (
        numpy.array(
            [
                [(p * (x - cx) ** 2).sum(), (p * (x - cx) * (y - cy)).sum()],
                [(p * (x - cx) * (y - cy)).sum(), (p * (y - cy) ** 2).sum()],
            ]
        )
        / p.sum()
        + numpy.eye(2) / 12
    )  # a pixel is a square
    values, vectors = numpy.linalg.eigh(covariance)
    found = skinmask.region(mapped)
    assert found.pixels == pytest.approx(p.sum())
    assert found.centroid == pytest.approx((cx, cy))
    assert (found.semi_minor, found.semi_major) == pytest.approx(tuple(2 * numpy.sqrt(values)))
    angle = numpy.degrees(numpy.arctan2(vectors[1, 1], vectors[0, 1]))
    assert (found.angle_degrees - angle) % 180 == pytest.approx(0, abs=1e-6)
    assert skinmask.region(numpy.zeros((4, 4), numpy.uint8)) is None
    with pytest.raises(TypeError, match="probability: is float64"):
        skinmask.region(p)


@pytest.mark.parametrize("shape", [(2**31 + 5, 1), (1, 2**31 + 5)])
def test_maps_beyond_what_a_picture_may_be_are_refused(shape):
    with pytest.raises(TypeError, match="probability: is uint8 of shape"):
        skinmask.region(numpy.broadcast_to(numpy.uint8(1), shape))


def test_what_is_said_of_a_region_can_be_read_and_pickled():
    mask = numpy.zeros((40, 40), numpy.uint8)
    mask[10:20, 5:31] = 255
    region = skinmask.region(mask)
    assert repr(region) == (
        "<skinmask.Region 260.0 pixels at (17.5, 14.5), half axes 15.0 and 5.8, 0.0 degrees>"
    )
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert repr(pickle.loads(pickle.dumps(region, protocol))) == repr(region)
    with pytest.raises(TypeError, match="probability: is masked uint8"):
        skinmask.region(numpy.ma.array(mask))


def blocks(*corners):
    mask = numpy.zeros((60, 160), numpy.uint8)
    for x, size in corners:
        mask[20 : 20 + size, x : x + size] = 255
    return mask


def test_a_region_is_followed_though_another_one_grows():
    tracker = skinmask.RegionTracker()
    beside = skinmask.RegionTracker(start=(120, 10, 30, 30))
    assert tracker.follow(blocks((10, 20))).centroid == (19.5, 29.5)
    for step in range(1, 20):
        mask = blocks((10 + 2 * step, 20), (120, 22))
        assert tracker.follow(mask).centroid == (19.5 + 2 * step, 29.5)
        assert beside.follow(mask).centroid == (130.5, 30.5)
    assert tracker.follow(blocks()) is None  # lost: the largest one is next
    assert tracker.follow(blocks((10, 10), (120, 22))).centroid == (130.5, 30.5)


def test_maps_that_a_region_is_followed_in_have_one_size():
    tracker = skinmask.RegionTracker()
    tracker.follow(blocks((10, 20)))
    with pytest.raises(skinmask.Error, match="probability: of 50x40 pixels follows one of"):
        tracker.follow(numpy.zeros((40, 50), "uint8"))


def test_what_is_no_map_or_rectangle_is_refused_in_words():
    with pytest.raises(TypeError, match="probability: is list"):
        skinmask.RegionTracker().follow([1])
    empty = numpy.zeros((0, 0), "uint8")
    for function in (skinmask.RegionTracker().follow, skinmask.region):
        with pytest.raises(TypeError, match=r"probability: .*\(0, 0\)"):
            function(empty)
    for start in (7, (1, 2, 3), "abcd", (1.5, 2, 3, 4)):
        with pytest.raises(TypeError, match="start: is .* .x, y, width and height"):
            skinmask.RegionTracker(start)
    for start in ((-1, 0, 5, 5), (0, 0, 0, 5), (0, 0, 5, 1 << 40)):
        with pytest.raises(skinmask.Error, match="start: is .* .x, y, width and height"):
            skinmask.RegionTracker(start)
