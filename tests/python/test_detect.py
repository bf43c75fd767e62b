"""skinmask.detect: the program's bytes, from arrays of every layout, in threads and processes."""
import json
import os
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import skinmask

OUTPUTS = ("mask", "probability", "overlay", "cutout", "uncertainty", "heatmap")
DTYPES = ("uint8", "uint16", "float32")


@pytest.mark.parametrize("adapt", ["auto", "off"])
def test_bytes_are_those_of_the_program(program, photos, tmp_path, adapt):
    outputs = OUTPUTS if adapt == "off" else ("mask", "probability", "uncertainty")
    program("detect", photos, "-o", tmp_path, "--output", ",".join(outputs), "--adapt", adapt, "-q")
    for photo in photos.iterdir():
        image = skinmask.read_image(photo)
        for output in outputs:
            suffix = ".png" if output == "mask" else f".{output}.png"
            written = skinmask.read_image(tmp_path / (photo.stem + suffix))
            made = skinmask.detect(image, output=output, adapt=adapt)
            if made.ndim == 2:  # grey files are read with three channels
                written = written[:, :, 0]
            assert (made[..., :3] if output == "cutout" else made).tobytes() == written.tobytes()


def test_options_are_those_of_the_program(program, photos, astronaut, tmp_path):
    photo = photos / "astronaut.png"
    for name, flags, options in (
        ("a", ["--adapt", "faces", "--refine", "off"], {"adapt": "faces", "refine": False}),
        ("b", ["--threshold", "0.3", "--prior", "0.2"], {"threshold": 0.3, "prior": 0.2}),
        ("c", ["--abstain", "0.2,0.8"], {"abstain": [0.2, 0.8]}),
    ):
        program("detect", photo, "-o", tmp_path / f"{name}.png", *flags)
        written = skinmask.read_image(tmp_path / f"{name}.png")[:, :, 0]
        assert (skinmask.detect(astronaut, **options) == written).all(), name


def test_adaptation_is_that_of_the_programs_json(program, astronaut, face, tmp_path):
    def in_one_tone(picture):
        return (picture.mean(axis=2, keepdims=True) * [0.7, 0.85, 1]).astype("uint8")

    toned, faceless = in_one_tone(face), in_one_tone(astronaut[::2, :150:2])
    folder = tmp_path / "photos"
    folder.mkdir()
    for name, picture in (("plain", face), ("toned", toned), ("faceless", faceless)):
        header = f"P6 {picture.shape[1]} {picture.shape[0]} 255\n".encode()
        (folder / f"{name}.ppm").write_bytes(header + picture[..., ::-1].tobytes())
    judged = {}
    for number, flags in enumerate(([], ["--require-face"])):
        found = tmp_path / f"{number}.json"
        program("detect", folder, "-o", tmp_path / str(number), "--json", found, *flags)
        for image in json.loads(found.read_text())["images"]:
            name, picture = os.path.basename(image["input"]), skinmask.read_image(image["input"])
            judged[name, number] = skinmask.judge(picture, require_face=bool(flags)).adaptation
            assert judged[name, number] == image["adaptation"], name
    assert skinmask.judge(toned, adapt="off").adaptation is None
    toned_is = judged["toned.ppm", 0]
    assert toned_is["by"] == "seeds" and toned_is["monochrome"] is True
    assert judged["faceless.ppm", 0]["monochrome"] is True
    assert judged["faceless.ppm", 1] == {"by": "nobody"}


def test_sixteen_threads_on_one_model_give_the_same_bytes(astronaut, face, samples):
    default, table = skinmask.Model.default(), skinmask.Model.train(samples, space="HSV")
    probability = table.predict_proba(astronaut.reshape(-1, 3))[:, table.classes.index("skin")]
    skin = numpy.where(probability > table.threshold, 255, 0).astype("uint8")
    # The threads make its table; to know what they must find takes none.
    for model, alone in (
        (default, skinmask.detect(astronaut, adapt="off").tobytes()),
        (table, skin.tobytes()),
    ):
        fresh = skinmask.Model.from_json(model.to_json())  # compiled by whichever comes first
        with ThreadPoolExecutor(16) as pool:
            jobs = [pool.submit(skinmask.detect, astronaut, fresh, adapt="off") for _ in range(32)]
            assert all(job.result().tobytes() == alone for job in jobs)
    alone = skinmask.detect(face).tobytes()
    with ThreadPoolExecutor(16) as pool:
        jobs = [pool.submit(skinmask.detect, face) for _ in range(16)]
        assert all(job.result().tobytes() == alone for job in jobs)


def test_intervals_in_turn_and_in_threads_give_the_same(noise):
    def mask(low):
        return skinmask.detect(noise, adapt="off", abstain=(low / 20, 0.8)).tobytes()

    alone = [mask(low) for low in range(1, 8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(mask, [*range(1, 8)] * 4)) == alone * 4
    assert len(set(alone)) > 1


def test_the_number_of_threads_changes_nothing(noise):
    before = skinmask.threads()
    several = skinmask.detect(noise, adapt="off", output="probability", dtype="float32").tobytes()
    try:
        skinmask.set_threads(1)
        assert skinmask.threads() == 1
        alone = skinmask.detect(noise, adapt="off", output="probability", dtype="float32")
        assert alone.tobytes() == several
        with pytest.raises(skinmask.Error, match="threads -1 is out of range"):
            skinmask.set_threads(-1)
        assert skinmask.threads() == 1
    finally:
        skinmask.set_threads(0)
    assert skinmask.threads() == before


def test_a_forked_process_detects(astronaut):
    image = numpy.tile(astronaut, (2, 2, 1))  # so large that threads divide it
    expected = skinmask.detect(image, adapt="off").tobytes()
    child = os.fork()
    if child == 0:
        os._exit(0 if skinmask.detect(image, adapt="off").tobytes() == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def layouts(image):
    """The same pixels in other places of memory, and whether they need no copy."""
    wide = numpy.zeros((image.shape[0], image.shape[1] + 9, 3), numpy.uint8)
    wide[:, 4:-5] = image
    locked = image.copy()
    locked.setflags(write=False)
    return [
        (wide[:, 4:-5], True),
        (image[:, :, ::-1].copy()[:, :, ::-1], True),
        (locked, True),
        (image.repeat(2, axis=0)[::2], True),
        (numpy.asfortranarray(image), False),
        (image[::-1].copy()[::-1], False),
        (image[:, ::-1].copy()[:, ::-1], False),
        (numpy.dstack([image, image[:, :, :1]])[:, :, :3], False),
        (numpy.broadcast_to(image[:1], image.shape), False),
    ]


def test_every_layout_of_the_same_pixels_gives_the_same(noise, monkeypatch):
    contiguous = numpy.ascontiguousarray
    copied = []
    monkeypatch.setattr(numpy, "ascontiguousarray", lambda a: copied.append(1) or contiguous(a))
    for i, (image, no_copy) in enumerate(layouts(noise)):
        copied.clear()
        mask = skinmask.detect(image, adapt="off")
        assert bool(copied) != no_copy, i
        assert (mask == skinmask.detect(image.copy(), adapt="off")).all(), i
    for image in (noise[:1], noise[:, :1], noise[3:4, 5:6]):
        expected = skinmask.detect(noise, adapt="off")[: image.shape[0], : image.shape[1]]
        if image.shape[:2] != (1, 1):
            assert (skinmask.detect(image, adapt="off") == expected).all()


@pytest.mark.parametrize("output", OUTPUTS)
def test_rgb_is_bgr_the_other_way_round(noise, output):
    bgr = skinmask.detect(noise, adapt="off", output=output)
    rgb = skinmask.detect(noise[:, :, ::-1].copy(), adapt="off", output=output, rgb=True)
    if bgr.ndim == 3:
        rgb = rgb[:, :, [2, 1, 0, 3][: rgb.shape[2]]]
    assert (rgb == bgr).all()


@pytest.mark.parametrize("adapt", ["auto", "off"])
def test_results_go_into_an_array_with_a_stride(face, adapt):
    height, width = face.shape[:2]
    for output, dtype in [("mask", "uint8")] + [("probability", dtype) for dtype in DTYPES]:
        wide = numpy.full((height, width + 10), 77, dtype)
        out = wide[:, 3:-7]
        options = {"output": output, "dtype": dtype, "adapt": adapt}
        assert skinmask.detect(face, out=out, **options) is out
        assert (out == skinmask.detect(face, **options)).all()
        assert (wide[:, :3] == 77).all() and (wide[:, -7:] == 77).all()


def test_probabilities_are_not_rounded_to_bytes(noise):
    p = {d: skinmask.detect(noise, adapt="off", output="probability", dtype=d) for d in DTYPES}
    exact = skinmask.Model.default().predict_proba(noise.reshape(-1, 3))[:, 0].reshape(61, 83)
    assert p["float32"].dtype == numpy.float32
    assert abs(p["float32"] - exact).max() < 1e-5
    assert abs(p["uint16"] / 65535 - exact).max() < 0.6 / 65535
    assert abs(p["uint8"] / 255 - exact).max() < 0.51 / 255
    assert len(numpy.unique(p["float32"])) > 1000


def test_adapted_probabilities_agree_whatever_their_type(face):
    p = {d: skinmask.detect(face, output="probability", dtype=d) for d in DTYPES}
    assert abs(p["float32"] - p["uint16"] / 65535.0).max() < 0.6 / 65535
    assert abs(p["float32"] - p["uint8"] / 255.0).max() < 0.51 / 255


WRONG = [
    ([[0]], "image: is list "),
    (None, "image: is NoneType "),
    (numpy.zeros((4, 5, 3)), r"image: is float64 of shape \(4, 5, 3\) .*uint8"),
    (numpy.zeros((4, 5), numpy.uint8), r"uint8 of shape \(4, 5\) .*\(height, width, 3\)"),
    (numpy.zeros((4, 5, 4), numpy.uint8), r"uint8 of shape \(4, 5, 4\)"),
    (numpy.zeros((3, 4, 5), numpy.uint8), r"uint8 of shape \(3, 4, 5\)"),
    (numpy.zeros((0, 5, 3), numpy.uint8), r"uint8 of shape \(0, 5, 3\)"),
    (numpy.zeros((4, 5, 3), numpy.int8), "int8"),
    (numpy.zeros((4, 5, 3), bool), "bool"),
    (numpy.ma.masked_array(numpy.zeros((4, 5, 3), numpy.uint8)), "masked uint8"),
]


@pytest.mark.parametrize("image, message", WRONG)
def test_what_is_no_picture_is_refused_in_words(image, message):
    with pytest.raises(TypeError, match=message):
        skinmask.detect(image)


def test_an_array_for_the_result_that_does_not_fit_is_refused(noise):
    locked = numpy.zeros((61, 83), numpy.uint8)
    locked.setflags(write=False)
    wrong = [
        locked,
        numpy.zeros((61, 84), numpy.uint8),
        numpy.zeros((61, 83), numpy.float32),
        numpy.zeros((83, 61), numpy.uint8).T,
        noise[:, :, 0],
        [1],
    ]
    for out in wrong:
        with pytest.raises(
            TypeError, match=r"out: is .*a writable and aligned uint8 array of shape \(61, 83\)"
        ):
            skinmask.detect(noise, adapt="off", out=out)
    askew = numpy.zeros(61 * 335, numpy.uint8)
    askew = numpy.ndarray((61, 83), numpy.float32, askew, strides=(335, 4))
    with pytest.raises(TypeError, match="a writable and aligned float32 array"):
        skinmask.detect(noise, adapt="off", output="probability", dtype="float32", out=askew)
    with pytest.raises(TypeError, match="apart from the image"):
        skinmask.detect(noise, adapt="off", out=noise.reshape(-1)[: 61 * 83].reshape(61, 83))


def test_options_that_are_wrong_are_named(noise, tmp_path):
    missing = tmp_path / "no.onnx"
    for options, message in (
        ({"output": "masks"}, "masks.*mask"),
        ({"adapt": "face"}, r"adapt: 'face' is unknown \(did you mean faces\? there are: auto "),
        ({"threshold": 1.5}, "threshold: '1.5' is no probability from 0 to 1"),
        ({"threshold": float("nan")}, "threshold: 'nan' is no probability"),
        ({"prior": 0}, "prior: '0' is no probability between 0 and 1"),
        ({"abstain": (0.8, 0.2)}, "0.8|interval|low"),
        ({"abstain": (0.2, 0.8), "output": "overlay"}, "abstain: needs output mask or uncertainty"),
        ({"outlier": 0.9}, "outlier: needs output uncertainty, or mask with abstain"),
        ({"outlier": 0.9, "output": "overlay"}, "outlier: needs output uncertainty, or mask with abstain"),
        ({"output": "classes", "seed_rect": (1, 1, 9, 9)}, "'classes': knows no adapted model"),
        ({"output": "\ud800"}, r"output: have '\\ud800', which is no text"),
        ({"adapt": "\ud800"}, r"adapt: have '\\ud800', which is no text"),
        ({"faces": "\0"}, "faces: .*has a NUL"),
        ({"faces": missing}, "no.onnx"),
        ({"faces": missing, "adapt": "off"}, "faces: are for adapt 'auto' and 'faces', not 'off'"),
        ({"adapt": "off", "require_face": True}, "require_face: is of adapted images"),
        ({"adapt": "faces", "min_component": 0.1}, "min_component: is of divided images"),
        ({"seed_rect": (1, 1, 9, 9), "require_face": True}, "require_face: is of .* a seed is given"),
        ({"seed_rect": (1, 1, 9, 9), "min_component": 0.1}, "min_component: is of .* a seed is gi"),
        ({"require_face": True, "min_component": 0.1}, "min_component: .* these have no skin"),
        ({"seed_rect": (1, 1, 9, 9), "faces": missing}, "faces: .* with a seed none are searched"),
        ({"adapt": "off", "output": "overlay", "draw": "faces"}, "draw: .* none are searched for"),
        ({"output": "classes", "refine": False}, "refine: is of adapted images, and output 'clas"),
        ({"steady": 0.1}, "steady: holds masks of frames still .Stream, video and detect_files"),
        ({"output": "classes", "adapt": "faces"}, "output 'classes': knows no adapted model"),
    ):
        with pytest.raises(skinmask.Error, match=message):
            skinmask.detect(noise, **options)
    for options, message in (
        ({"dtype": "float64", "output": "probability"}, "dtype: is float64 .*float32"),
        ({"dtype": "floaty", "output": "probability"}, "dtype: is 'floaty' .*float32"),
        ({"dtype": ">u2", "output": "probability"}, "dtype: is '>u2' .*float32"),
        ({"dtype": numpy.uint16}, "dtype: is uint16 .*uint8 with output='mask'"),
        ({"dtype": "float32"}, "dtype: is float32 .*uint8 with output='mask'"),
        ({"model": "model.json"}, "model: is str .*Model.load"),
        ({"threshold": "0.5"}, "threshold: is str"),
        ({"abstain": (0.2,)}, r"abstain: is \(0.2,\) \(\(low, high\) are wanted, two numbers\)"),
        ({"abstain": 0.2}, r"abstain: is 0.2 \("),
        ({"abstain": (10**400, 1)}, "abstain: is "),
        ({"abstain": ("0.2", "0.8")}, r"abstain: is \('0.2', '0.8'\) \("),
        ({"abstain": (False, True)}, r"abstain: is \(False, True\) \("),
        ({"abstain": "01"}, r"abstain: is '01' \("),
        ({"threshold": numpy.array(0.5)}, "threshold: is ndarray"),
        ({"seed_mask": noise[:, :, 0]}, "seed_mask: is ndarray .a file's path is wanted"),
        ({"seed_rect": numpy.array([[1, 1, 9, 9]])}, r"seed_rect\[0\]: is list .a number is wanted"),
        ({"threshold": []}, "threshold: is list .a number is wanted"),
        ({"threshold": numpy.array([[0.9]])}, "threshold: is list .a number is wanted"),
        ({"threshold": [0.3]}, "threshold: is list .a number is wanted"),
        ({"threshold": {"skin": 0.3}}, "threshold: is dict .a number is wanted"),
        ({"adapt": ["off"]}, "adapt: is list .a name is wanted"),
        ({"refine": [True]}, "refine: is list .True or False is wanted"),
        ({"adapt": 1}, "adapt: is int .a name is wanted"),
        ({"min_faces": 1}, "unexpected keyword argument 'min_faces' .adapt, faces, "),
        ({"refine": "no"}, "refine: is str"),
        ({"refine": 1}, "refine: is int"),
        ({"output": ["mask"]}, "output: is list"),
        ({"rgb": "no"}, "rgb: is str"),
    ):
        with pytest.raises(TypeError, match=message):
            skinmask.detect(noise, **options)
    with pytest.raises(skinmask.Error, match="steady: holds masks of frames still"):
        skinmask.judge(noise, steady=0)
    assert skinmask.Stream(steady=0).detect(noise).shape == noise.shape[:2]
    assert issubclass(skinmask.Error, ValueError)


def test_a_stream_abstains_as_it_was_asked_to(noise):
    expected = skinmask.detect(noise, adapt="off", abstain=(0.2, 0.8))
    assert (expected == 128).any()
    stream = skinmask.Stream(adapt="off", abstain=(0.2, 0.8))
    assert (stream.detect(noise) == expected).all()
    other = stream.detect(noise, abstain=(0.4, 0.6))
    assert (other == skinmask.detect(noise, adapt="off", abstain=(0.4, 0.6))).all()
    overlay = skinmask.detect(noise, adapt="off", output="overlay")
    assert (stream.detect(noise, output="overlay") == overlay).all()


def test_the_environment_s_finder_is_for_calls_that_search(noise, photos, tmp_path, monkeypatch):
    monkeypatch.setenv("SKINMASK_FACES", "absent.onnx")
    seed = (1, 1, 9, 9)
    model = skinmask.Model.from_json(skinmask.Model.default().to_json())
    skinmask.detect(noise, model, adapt="off")
    skinmask.detect(noise, model, seed_rect=seed)
    skinmask.detect(noise, model, output="classes", adapt="off")
    skinmask.detect(noise, model, output="classes")
    (file,) = skinmask.detect_files(
        photos / "astronaut.png", tmp_path, model, outputs=["mask", "classes"]
    )
    assert file.error == ""
    for options in ({}, {"adapt": "faces"}, {"seed_rect": seed, "adapt": "auto"}):
        with pytest.raises(skinmask.Error, match="absent.onnx"):
            skinmask.detect(noise, model, **options)
    for options, message in (
        ({"seed_rect": seed}, "faces: finds faces, and with a seed none are searched"),
        ({"output": "classes"}, "'classes': knows no adapted model"),
        ({"adapt": "off"}, "faces: are for adapt"),
    ):
        with pytest.raises(skinmask.Error, match=message):
            skinmask.detect(noise, model, faces="", **options)
    with pytest.raises(skinmask.Error, match="threshold: is of P"):
        skinmask.detect(noise, model, output="classes", threshold=0.9)
    with pytest.raises(skinmask.Error, match="refine: is of adapted images"):
        skinmask.detect(noise, model, output="classes", refine=True)
    built_in = skinmask.detect(noise, model, faces="")
    monkeypatch.delenv("SKINMASK_FACES")
    assert (skinmask.detect(noise, model) == built_in).all()


def test_a_file_that_is_another_one_now_is_read_anew(face, tmp_path, monkeypatch):
    def write_seed(path, left, mtime):
        mask = numpy.zeros(face.shape[:2], numpy.uint8)
        mask[40:120, left : left + 60] = 255
        path.write_bytes(b"P5 %d %d 255\n" % mask.shape[::-1] + mask.tobytes())
        os.utime(path, ns=(mtime, mtime))

    def detect(path):
        return skinmask.detect(face, model, seed_mask=path).tobytes()

    model = skinmask.Model.from_json(skinmask.Model.default().to_json())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    seed = tmp_path / "seed.pgm"
    write_seed(seed, 60, 1)
    write_seed(elsewhere / "seed.pgm", 140, 1)
    first = detect("seed.pgm")
    monkeypatch.chdir(elsewhere)
    second = detect("seed.pgm")
    assert second != first and detect(elsewhere / "seed.pgm") == second and detect(seed) == first
    write_seed(seed, 140, 2)
    assert detect(seed) == second
    (elsewhere / "seed.pgm").unlink()
    with pytest.raises(skinmask.Error, match="seed.pgm"):
        detect("seed.pgm")


def test_names_that_are_no_text_are_those_of_files_all_the_same(face, tmp_path):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.pgm")
    plain = tmp_path / "plain.pgm"
    mask = numpy.zeros(face.shape[:2], numpy.uint8)
    mask[40:120, 60:120] = 255
    for path in (odd, plain):
        with open(path, "wb") as file:
            file.write(b"P5 %d %d 255\n" % mask.shape[::-1] + mask.tobytes())
    expected = skinmask.detect(face, seed_mask=plain)
    assert (skinmask.detect(face, seed_mask=odd) == expected).all()
    for name in ("faces", "seed_mask"):
        with pytest.raises(skinmask.Error, match="none.*: cannot be read"):
            skinmask.detect(face, **{name: tmp_path / "none\udcff"})


def test_auto_that_is_given_is_asked_for(program, photos, astronaut, tmp_path):
    seed = (300, 300, 60, 60)  # no skin
    flags = ["--seed-rect", ",".join(map(str, seed))]
    masks = {}
    for name, more, options in (("a", [], {}), ("b", ["--adapt", "auto"], {"adapt": "auto"})):
        program("detect", photos / "astronaut.png", "-o", tmp_path / f"{name}.png", *flags, *more)
        masks[name] = skinmask.detect(astronaut, seed_rect=seed, **options)
        assert (skinmask.read_image(tmp_path / f"{name}.png")[:, :, 0] == masks[name]).all(), name
    assert (masks["a"] != masks["b"]).any()


def test_rows_of_numpy_are_intervals_and_rectangles(noise):
    low_high, box = (0.2, 0.8), (1, 2, 30, 40)
    for function in (skinmask.detect, lambda *a, **o: skinmask.judge(*a, **o).mask):
        for name, value in (("abstain", low_high), ("seed_rect", box)):
            expected = function(noise, **{name: value})
            assert (function(noise, **{name: numpy.array(value)}) == expected).all()


def test_numbers_may_be_those_of_numpy(noise):
    for number in (numpy.float32(0.25), numpy.float64(0.25)):
        mask = skinmask.detect(noise, adapt="off", threshold=number, prior=number)
        assert (mask == skinmask.detect(noise, adapt="off", threshold=0.25, prior=0.25)).all()


def test_classes_are_those_of_the_pixels(noise):
    model = skinmask.Model.default()
    index = skinmask.detect(noise, output="classes")
    assert (index.ravel() == model.predict_class(noise.reshape(-1, 3))).all()


def test_a_stream_is_the_model_where_nothing_adapts(noise):
    stream = skinmask.Stream(adapt="off", threshold=0.2)
    for image in (noise, noise[::-1].copy()):
        expected = skinmask.detect(image, adapt="off", threshold=0.2)
        assert (stream.detect(image) == expected).all()


def test_pictures_that_cannot_be_read_are_named(tmp_path, photos):
    half = tmp_path / "half.jpg"
    half.write_bytes((photos / "grace_hopper.jpg").read_bytes()[:9000])
    for path in (half, tmp_path / "none.png", tmp_path):
        with pytest.raises(skinmask.Error, match=path.name):
            skinmask.read_image(path)
    with pytest.raises(skinmask.Error, match=r"max_pixels .* out of range \(1 to 2\*\*62\)"):
        skinmask.read_image(photos / "astronaut.png", max_pixels=2**70)
    with pytest.raises(skinmask.Error, match="262144 pixels|512x512|512 x 512"):
        skinmask.read_image(photos / "astronaut.png", max_pixels=512 * 512 - 1)
    assert skinmask.read_image(photos / "astronaut.png", max_pixels=512 * 512).shape[0] == 512


def test_bytes_in_memory_are_the_pictures_of_their_files(photos):
    for name in ("astronaut.png", "grace_hopper.jpg"):
        data = (photos / name).read_bytes()
        for how in ({}, {"rgb": True}, {"isolate": "all", "max_seconds": 30}):
            expected = skinmask.read_image(photos / name, **how)
            for given in (data, bytearray(data), memoryview(data)):
                assert (skinmask.decode_image(given, **how) == expected).all()
        isolated = skinmask.read_image(photos / name, isolate="all")
        assert (isolated == skinmask.read_image(photos / name)).all()


def test_bytes_that_are_no_picture_are_an_error_of_their_name(photos):
    data = (photos / "grace_hopper.jpg").read_bytes()
    for damaged in (b"", b"GIF8", data[:9000]):
        for isolate in ("none", "all"):
            with pytest.raises(skinmask.Error, match="^upload 7: "):
                skinmask.decode_image(damaged, name="upload 7", isolate=isolate)
    with pytest.raises(skinmask.Error, match="^image: has 512 x 600 pixels, and the limit is 9 "):
        skinmask.decode_image(data, max_pixels=9)
    with pytest.raises(skinmask.Error, match="isolate 'some': is unknown"):
        skinmask.decode_image(data, isolate="some")
    with pytest.raises(skinmask.Error, match="max_seconds 0 is out of range"):
        skinmask.read_image(photos / "astronaut.png", max_seconds=0)
    with pytest.raises(skinmask.Error, match="max_seconds: limits decoders in processes of their"):
        skinmask.read_image(photos / "astronaut.png", max_seconds=9)
    with pytest.raises(TypeError, match="data: is str .*read_image takes its path"):
        skinmask.decode_image(str(photos / "astronaut.png"))
    with pytest.raises(TypeError, match="path: is bytes .*decode_image takes its bytes"):
        skinmask.read_image(data)


def test_a_frame_of_another_size_begins_a_stream_anew(face):
    small = numpy.ascontiguousarray(face[20:180, 10:190])
    stream = skinmask.Stream()
    for frames in ([face] * 3, [small] * 3, [face] * 3):
        fresh = skinmask.Stream()
        for frame in frames:
            assert (stream.detect(frame) == fresh.detect(frame)).all()


def test_outputs_are_those_of_detect(noise):
    for name, meaning in skinmask.OUTPUTS.items():
        assert meaning
        assert skinmask.detect(noise, adapt="off", output=name).shape[:2] == noise.shape[:2]
    with pytest.raises(skinmask.Error, match=" ".join(skinmask.OUTPUTS)):
        skinmask.detect(noise, output="none of them")
