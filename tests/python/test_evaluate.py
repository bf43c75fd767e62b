"""skinmask.evaluate: the program's numbers, of folders, lists of files and tables."""
import gc
import json
import weakref

import numpy
import pytest

import page
import skinmask
from conftest import SOURCE

MASKS = SOURCE / "samples" / "masks"


def test_what_is_of_images_is_refused_for_samples(samples):
    for options in ({"progress": print}, {"problem": print}, {"overwrite": False}):
        with pytest.raises(skinmask.Error, match="is of images, and samples are judged"):
            skinmask.evaluate(samples, **options)
    with pytest.raises(TypeError, match="overwrite: is"):
        skinmask.evaluate(samples, overwrite="x")


def test_evaluation_gives_the_numbers_of_the_program(program, photos, tmp_path):
    program("evaluate", "--images", photos, "--truth", MASKS, "--json", tmp_path / "e.json", "-q")
    expected = json.loads((tmp_path / "e.json").read_text())
    result = skinmask.evaluate(photos, MASKS, report=tmp_path / "r.html")
    assert result.pooled == expected["pooled"] and result.pooled["f1"] > 0.8
    assert result.images == expected["images"]
    assert result.mean_per_image == expected["mean_per_image"]
    page = (tmp_path / "r.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "astronaut.png" in page
    with pytest.raises(skinmask.Error, match="r.html"):
        skinmask.evaluate(photos, MASKS, report=tmp_path / "r.html", overwrite=False, adapt="off")


def test_what_is_not_answered_is_told(program, photos, samples, tmp_path):
    table = SOURCE / "samples" / "labelled-pixels.csv"
    for flags, inputs, options in (
        (["--images", photos, "--truth", MASKS], (photos, MASKS), {}),
        (["--samples", table], (samples,), {}),
    ):
        path = tmp_path / "e.json"
        program("evaluate", *flags, "--abstain", "0.2,0.8", "--json", path, "--force", "-q")
        expected = json.loads(path.read_text())
        result = skinmask.evaluate(*inputs, abstain=(0.2, 0.8), **options)
        assert result.data["selective"] == expected["selective"]
        assert result.data["selective"]["abstain"]["coverage"] < 1
        assert result.pooled == expected["pooled"]


def test_keywords_that_are_none_are_named(photos, samples):
    for given in ((samples,), (photos, photos)):
        with pytest.raises(TypeError, match="unexpected keyword argument 'treshold' .*threshold"):
            skinmask.evaluate(*given, treshold=0.3)
    with pytest.raises(TypeError, match="masks: is Model .*model= takes a model"):
        skinmask.evaluate(samples, skinmask.Model.train(samples))
    assert f"Evaluation {len(samples)} pixels" in repr(skinmask.evaluate(samples))


def test_options_that_change_no_score_are_refused(photos, samples):
    for nothing in ({"adapt": "off", "outlier": 0.9}, {"steady": 0.2}, {"draw": "faces"}, {"erode": 3}):
        with pytest.raises(skinmask.Error, match="changes no score"):
            skinmask.evaluate(photos, MASKS, **nothing)
    for options in ({"seed_rect": (1, 1, 9, 9)}, {"refine": False}, {"adapt": "auto"}):
        with pytest.raises(skinmask.Error, match="samples: are judged without masks, adaptation"):
            skinmask.evaluate(samples, **options)
    with pytest.raises(skinmask.Error, match=r"^step 0: is out of range"):
        skinmask.Samples.from_pairs(photos, MASKS, step=0)
    with pytest.raises(skinmask.Error, match=r"^step 1099511627776: is out of range"):
        skinmask.Samples.from_pairs(photos, MASKS, step=2**40)
    with pytest.raises(skinmask.Error, match="^labels 'skin': "):
        skinmask.evaluate(photos, MASKS, labels="skin", adapt="off")


def test_lists_of_files_are_judged_as_their_folders(photos, tmp_path):
    names = ["grace_hopper", "astronaut"]
    images = [str(next(photos.glob(name + ".*"))) for name in names]
    masks = [MASKS / (name + ".png") for name in names]
    page = tmp_path / "r.html"
    listed = skinmask.evaluate(images, masks, adapt="off", report=page)
    assert listed.pooled == skinmask.evaluate(photos, MASKS, adapt="off").pooled
    assert [image["name"] for image in listed.images] == images
    assert page.read_text().count("data:image") >= 2 and "<html" in page.read_text()
    table = skinmask.Samples.from_pairs(images, masks, step=8, groups=False)
    assert table == skinmask.Samples.from_pairs(photos, MASKS, step=8, groups=False)
    whole = skinmask.Samples.from_pairs(images, whole="skin", step=8)
    assert whole.counts["skin"] == len(whole)
    for wrong, message in (
        ((images, masks[:1]), r"masks: are 1 \(one for each of 2 images\)"),
        (([], []), "images: are none"),
        (([images[0]] * 2, masks), "is listed twice"),
        (([tmp_path / "none.png"], masks[:1]), "none.png"),
    ):
        with pytest.raises(skinmask.Error, match=message):
            skinmask.evaluate(*wrong)
    for wrong in ((images, MASKS), (photos, masks), (skinmask.read_image(images[0]), masks[:1])):
        with pytest.raises(TypeError, match="(images|masks): is "):
            skinmask.evaluate(*wrong)
    with pytest.raises(skinmask.Error, match="mask_name: is for folders"):
        skinmask.evaluate(images, masks, mask_name="{stem}_m")
    for read in (skinmask.evaluate, skinmask.Samples.from_pairs):
        with pytest.raises(skinmask.Error, match="masks: no mask is read with `whole`"):
            read(images, masks, whole="skin")
        with pytest.raises(skinmask.Error, match="invert: no mask is read with `whole`"):
            read(images, whole="skin", invert=True)
    for option in ("step", "groups"):
        with pytest.raises(skinmask.Error, match=f"{option}: makes tables of samples"):
            skinmask.evaluate(images, masks, **{option: 1})


@pytest.fixture
def arrays(face):
    """A face, its mask, and a picture that is another shape and without skin."""
    truth = skinmask.detect(face, adapt="off")
    return [face, face[:60, ::-2]], [truth, numpy.zeros((60, 100), bool)]


def test_arrays_are_judged_as_files_of_the_same_pixels(arrays, tmp_path):
    images, masks = arrays
    files = [[tmp_path / f"{kind}{i}.ppm" for i in (0, 1)] for kind in ("image", "mask")]
    for file, array in zip(sum(files, []), images + masks):
        page.write_picture(file, array)
    result = skinmask.evaluate(images, masks, adapt="faces", report=tmp_path / "r.html")
    expected = skinmask.evaluate(*files, adapt="faces", report=tmp_path / "e.html")
    assert result.pooled == expected.pooled and 0 < result.pooled["f1"] < 1
    assert [image["name"] for image in result.images] == ["images[0]", "images[1]"]
    for ours, theirs in zip(result.images, expected.images):
        assert {**ours, "name": ""} == {**theirs, "name": ""}
    pictures = [(tmp_path / name).read_text().count("data:image") for name in ("r.html", "e.html")]
    assert pictures[0] == pictures[1] >= 2
    mixed = skinmask.evaluate([images[0], files[0][1]], [files[1][0], masks[1]], adapt="faces")
    assert mixed.pooled == expected.pooled
    assert skinmask.Samples.from_pairs(images, masks) == skinmask.Samples.from_pairs(*files)


def test_arrays_choose_a_threshold(arrays, samples, tmp_path):
    """What holds the arrays is gone by then."""
    for path, array in zip((tmp_path / "i.ppm", tmp_path / "m.ppm"), (arrays[0][0], arrays[1][0])):
        page.write_picture(path, array)
    pairs = ([tmp_path / "i.ppm"], [tmp_path / "m.ppm"])
    expected = skinmask.Model.train(samples, max_f1=True, validation=pairs)
    pairs = ([arrays[0][0].copy()], [arrays[1][0].copy()])
    assert skinmask.Model.train(samples, max_f1=True, validation=pairs) == expected
    with pytest.raises(skinmask.Error, match="step: makes tables of samples"):
        skinmask.Model.train(samples, max_f1=True, validation=(*pairs, {"step": 9}))


def test_without_a_pixel_of_skin_is_a_warning(arrays):
    (image, _), (mask, _) = arrays
    with pytest.warns(UserWarning, match="not one pixel of them is skin"):
        skinmask.evaluate([image], [numpy.zeros_like(mask)], adapt="off")
    pixels = numpy.array([[118, 148, 205], [9, 9, 9]], numpy.uint8)
    other = skinmask.Samples(pixels, ["Skin", "non-skin"])
    with pytest.warns(UserWarning, match="not one pixel is of 'skin'"):
        skinmask.evaluate(other)


def test_a_run_that_fails_keeps_no_array(arrays):
    image = arrays[0][0].copy()
    alive = weakref.ref(image)
    gc.disable()
    try:
        with pytest.raises(skinmask.Error):
            skinmask.evaluate([image], [arrays[1][0][:9]], adapt="off")
        del image
        assert alive() is None
    finally:
        gc.enable()


def test_arrays_that_are_no_pictures_are_named(arrays):
    (image, _), (mask, _) = arrays
    for images, masks, message in (
        ([image, mask], [mask] * 2, r"images\[1\]: is uint8 of shape \(200, 200\) \(uint8 of"),
        ([image / 255], [mask], r"images\[0\]: is float64 of shape"),
        ([image], [image], r"masks\[0\]: is .*\(uint8 or bool of shape \(height, width\) "),
        ([image], [numpy.ma.array(mask)], r"masks\[0\]: is masked uint8"),
        ([image[:0]], [mask], r"images\[0\]: is uint8 of shape \(0, 200, 3\)"),
        ([image], [7], "masks: is int"),
        ([image.tolist()], [mask], "images: is list"),
    ):
        with pytest.raises(TypeError, match=message):
            skinmask.evaluate(images, masks, adapt="off")
    for masks, message in (
        ([mask[:9]], r"images\[0\]: is 200x200, but its mask masks\[0\] is 200x9"),
        ([mask // 255], r"masks\[0\]: .*0 and 1"),
        ([], "masks: are 0"),
    ):
        with pytest.raises(skinmask.Error, match=message):
            skinmask.evaluate([image], masks, adapt="off")


def test_a_page_without_its_pictures_replaces_none(photos, tmp_path):
    images, page = tmp_path / "images", tmp_path / "r.html"
    images.mkdir()
    for photo in photos.iterdir():
        (images / photo.name).symlink_to(photo)
    page.write_text("an older page")

    def spoil(done, total):  # after the scores, before the pictures
        if done == total:
            (images / "astronaut.png").unlink()

    with pytest.raises(skinmask.Error, match="astronaut.png"):
        skinmask.evaluate(images, MASKS, adapt="off", report=page, progress=spoil)
    assert page.read_text() == "an older page"


def test_pairs_that_cannot_be_read_end_an_evaluation_or_are_told(photos, tmp_path):
    for name in ("images", "masks"):
        (tmp_path / name).mkdir()
    (tmp_path / "images" / "a.png").write_bytes(b"no picture")
    (tmp_path / "images" / "b.png").symlink_to(photos / "astronaut.png")
    for name in ("a", "b"):
        (tmp_path / "masks" / f"{name}.png").symlink_to(MASKS / "astronaut.png")
    with pytest.raises(skinmask.Error, match="a.png"):
        skinmask.evaluate(tmp_path / "images", tmp_path / "masks", adapt="off")
    lines = []
    result = skinmask.evaluate(
        tmp_path / "images", tmp_path / "masks", adapt="off", problem=lines.append
    )
    assert len(lines) == 1 and "a.png" in lines[0] and len(result.images) == 1
    with pytest.raises(TypeError, match="images: is ndarray .*list of files' paths, or of arrays"):
        skinmask.evaluate(numpy.zeros((4, 4, 3), numpy.uint8), [], adapt="off")
    with pytest.raises(skinmask.Error, match="masks: are wanted"):
        skinmask.evaluate(photos)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        skinmask.evaluate(photos, MASKS, colour=1)


def test_a_report_never_replaces_what_is_read(photos, tmp_path):
    for name in ("images", "masks"):
        (tmp_path / name).mkdir()
        source = photos if name == "images" else MASKS
        (tmp_path / name / "astronaut.png").write_bytes((source / "astronaut.png").read_bytes())
    image, mask = (tmp_path / name / "astronaut.png" for name in ("images", "masks"))
    link = tmp_path / "page.html"
    link.symlink_to(mask)
    before = image.read_bytes(), mask.read_bytes()
    for report in (image, mask, link):
        with pytest.raises(skinmask.Error, match="is not written over|not replaced by text"):
            skinmask.evaluate([image], [mask], report=report)
    for save in (skinmask.Model.default().save, skinmask.Samples.from_pairs([image], [mask]).save):
        with pytest.raises(skinmask.Error, match="astronaut.png: is an image, a video or an archive by its name"):
            save(image)
    assert (image.read_bytes(), mask.read_bytes()) == before
    # Nor a good page by one of nothing.
    page = tmp_path / "good.html"
    page.write_text("of an earlier run")
    told = []
    skinmask.evaluate([tmp_path / "absent.png"], [mask], report=page, problem=told.append)
    assert len(told) == 1 and page.read_text() == "of an earlier run"
    with pytest.raises(skinmask.Error, match="report: is empty"):
        skinmask.evaluate([image], [mask], report="")


def test_what_the_program_warns_of_is_a_warning(photos):
    with pytest.warns(UserWarning, match="masks: look inverted: less of what they call skin"):
        skinmask.evaluate(photos, MASKS, invert=True, adapt="off")
    with pytest.warns(UserWarning, match="in-between pixels"):
        skinmask.Samples.from_pairs(MASKS, photos, step=8)
    with pytest.raises(skinmask.Error, match="masks: mark no pixel that counts"):
        skinmask.evaluate(photos, MASKS, labels="skin=7", ignored="other")
