"""Folders, videos and evaluations: the program's files and numbers; runs that are stopped."""
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import time
import warnings

import numpy
import pytest

import skinmask
from conftest import research


def test_a_folder_gives_the_files_of_the_program(program, photos, tmp_path):
    program("detect", photos, "-o", tmp_path / "theirs", "--output", "mask,overlay", "-q")
    each, told = [], []
    files = skinmask.detect_files(
        photos,
        tmp_path / "ours",
        outputs=["mask", "overlay"],
        each=each.append,
        progress=lambda done, total: told.append((done, total)),
    )
    assert [file.input.name for file in files] == ["astronaut.png", "grace_hopper.jpg"]
    assert files == each and told[-1] == (2, 2)
    for file in files:
        assert file.error == "" and file.faces == 1 and 0 < file.skin_fraction < 1
        assert file.size == skinmask.read_image(file.input).shape[1::-1]
        for output in file.outputs:
            assert output.read_bytes() == (tmp_path / "theirs" / output.name).read_bytes()


def test_formats_are_those_of_the_program(program, photos, tmp_path):
    flags = ["--format", "webp", "--quality", "70", "--feather", "3"]
    program("detect", photos, "-o", tmp_path / "theirs", "--output", "mask,cutout", "-q", *flags)
    how = {"outputs": ["mask", "cutout"], "format": "webp", "quality": 70, "feather": 3}
    for file in skinmask.detect_files(photos, tmp_path / "ours", **how):
        assert [path.suffix for path in file.outputs] == [".png", ".webp"]
        for output in file.outputs:
            assert output.read_bytes() == (tmp_path / "theirs" / output.name).read_bytes()
    assert skinmask.detect_files(photos, tmp_path / "theirs", resume=True, **how) == []
    for wrong, part in (
        ({"outputs": "mask", "format": "jpeg"}, "would change the pixels of mask"),
        ({"outputs": "cutout", "format": "jpeg"}, "has no transparency"),
        ({"outputs": "overlay", "format": "gif"}, "format"),
        ({"outputs": "overlay", "feather": 2}, "feather: needs .*cutout"),
        ({"outputs": "overlay", "quality": 0}, "quality"),
        ({"outputs": "mask", "quality": 70}, "quality: is of JPEG, WebP and videos"),
        ({"outputs": "mask", "quality": 70, "format": "webp"}, "would change the pixels of mask"),
    ):
        with pytest.raises(skinmask.Error, match=part):
            skinmask.detect_files(photos, tmp_path / "wrong", **wrong)
    with pytest.raises(skinmask.Error, match="quality"):  # PNG of a picture
        photo = photos / "astronaut.png"
        skinmask.detect_files(photo, tmp_path / "wrong", outputs="overlay", quality=70)
    assert not (tmp_path / "wrong").exists()
    folder = {"outputs": "overlay", "quality": 70, "adapt": "off"}  # which may hold videos
    assert len(skinmask.detect_files(photos, tmp_path / "overlays", **folder)) == 2


@pytest.mark.parametrize(
    "flags, options",
    [
        (
            ["--output", "mask,uncertainty", "--abstain", "0.2,0.8"],
            {"outputs": ["mask", "uncertainty"], "abstain": (0.2, 0.8)},
        ),
        (
            ["--output", "mask,classes", "--abstain", "0.2,0.8", "--outlier", "0.9"],
            {"outputs": ["mask", "classes"], "abstain": (0.2, 0.8), "outlier": 0.9},
        ),
        (
            ["--output", "mask,classes", "--prior", "0.3", "--threshold", "0.4"],
            {"outputs": ["mask", "classes"], "prior": 0.3, "threshold": 0.4},
        ),
    ],
)
def test_outputs_beside_each_other_are_those_of_the_program(
    program, photos, tmp_path, flags, options
):
    program("detect", photos, "-o", tmp_path / "theirs", "-q", *flags)
    files = skinmask.detect_files(photos, tmp_path / "ours", **options)
    assert sum(len(file.outputs) for file in files) == 4
    for file in files:
        for output in file.outputs:
            assert output.read_bytes() == (tmp_path / "theirs" / output.name).read_bytes()
    # Either goes on where the other ended.
    assert skinmask.detect_files(photos, tmp_path / "theirs", resume=True, **options) == []
    program("detect", photos, "-o", tmp_path / "ours", "--resume", *flags)


@pytest.mark.parametrize(
    "how, flags, given, given_flags",
    [
        (
            {"outputs": "overlay", "format": "jpeg"},
            ["--output", "overlay", "--format", "jpeg"],
            {"quality": 90},
            ["--quality", "90"],
        ),
        (
            {"outputs": "uncertainty", "scale": 4},
            ["--output", "uncertainty", "--scale", "1/4"],
            {"outlier": 0.999},
            ["--outlier", "0.999"],
        ),
        (
            {"outputs": "probability", "dtype": "uint16"},
            ["--output", "probability", "--depth", "16"],
            {"scale": 1, "format": "png"},
            ["--scale", "1", "--format", "png"],
        ),
    ],
)
def test_a_default_that_is_given_resumes(
    program, photos, tmp_path, how, flags, given, given_flags
):
    photo, ours, theirs = photos / "astronaut.png", tmp_path / "ours", tmp_path / "theirs"
    (file,) = skinmask.detect_files(photo, ours, adapt="off", **how)
    program("detect", photo, "-o", theirs, "-q", "--adapt", "off", *flags)
    (output,) = file.outputs
    assert output.read_bytes() == (theirs / output.name).read_bytes()
    for folder in (ours, theirs):
        for more in ({}, given):
            left = skinmask.detect_files(photo, folder, adapt="off", resume=True, **how, **more)
            assert left == []
        for more_flags in ([], given_flags):
            program("detect", photo, "-o", folder, "--adapt", "off", *flags, "--resume", *more_flags)
        # All of them wrote the same line.
        assert len((folder / ".skinmask-options.jsonl").read_text().splitlines()) == 1


def test_outputs_beside_classes_are_a_warning(photos, tmp_path):
    inputs = photos / "astronaut.png"
    with pytest.warns(UserWarning, match="'classes' is of the trained model alone"):
        skinmask.detect_files(inputs, tmp_path / "out", outputs=["classes", "mask"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        skinmask.detect_files(inputs, tmp_path / "two", outputs=["classes", "mask"], adapt="off")
        skinmask.detect_files(inputs, tmp_path / "one", outputs="classes")


def test_a_run_that_resumes_names_keywords(photos, tmp_path):
    inputs = photos / "astronaut.png"
    skinmask.detect_files(inputs, tmp_path / "out", seed_rect=(1, 1, 40, 40))
    with pytest.raises(skinmask.Error, match="another seed_rect, as .skinmask-options.jsonl"):
        skinmask.detect_files(inputs, tmp_path / "out", seed_rect=(1, 1, 40, 39), resume=True)
    (file,) = skinmask.detect_files(inputs, tmp_path / "out")
    assert "(overwrite replaces it)" in file.error
    how = {"outputs": "probability", "adapt": "off"}
    skinmask.detect_files(inputs, tmp_path / "deep", dtype="uint16", **how)
    with pytest.raises(skinmask.Error, match="another dtype, as"):
        skinmask.detect_files(inputs, tmp_path / "deep", resume=True, **how)


def test_files_that_fail_are_told_in_order(photos, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.png").write_bytes(b"no picture")
    (tmp_path / "in" / "b.png").symlink_to(photos / "astronaut.png")
    files = skinmask.detect_files(tmp_path / "in", tmp_path / "out", adapt="off")
    assert [file.input.name for file in files] == ["a.png", "b.png"]
    errors = {file.input.name: file.error for file in files}
    assert "a.png" in errors["a.png"] and errors["b.png"] == ""
    missing = skinmask.detect_files(tmp_path / "none", tmp_path / "out")
    assert len(missing) == 1 and "none" in missing[0].error
    with pytest.raises(skinmask.Error, match="a.png"):  # a file, where a folder is wanted
        skinmask.detect_files(tmp_path / "in", tmp_path / "in" / "a.png")
    assert (
        skinmask.detect_files(tmp_path / "in" / "b.png", tmp_path / "out", adapt="off", resume=True)
        == []
    )


def test_files_are_in_the_order_of_the_inputs(photos, tmp_path):
    one, other = photos / "astronaut.png", photos / "grace_hopper.jpg"
    again = tmp_path / "again"
    again.mkdir()
    (again / "grace_hopper.jpg").symlink_to(other)
    empty = tmp_path / "empty"
    empty.mkdir()
    # What is refused, for equal names, is told first; what is there already, too.
    inputs = [str(other), empty, again, one, other]
    for _ in range(2):
        files = skinmask.detect_files(inputs, tmp_path / "out", adapt="off")
        named = [pathlib.Path(file.input) for file in files]
        assert named == [other, empty, again / "grace_hopper.jpg", one]


def test_a_pattern_is_one_and_what_was_done_can_be_pickled(photos, tmp_path):
    files = skinmask.detect_files(photos, tmp_path / "out", include="*.png", adapt="off")
    assert [file.input.name for file in files] == ["astronaut.png"]
    again = pickle.loads(pickle.dumps(files[0]))
    for name in ("input", "outputs", "size", "skin_fraction", "frames", "faces", "error"):
        assert getattr(again, name) == getattr(files[0], name)
    assert repr(again) == f"<skinmask.DetectedFile {str(photos / 'astronaut.png')!r}: 1 output>"
    files = skinmask.detect_files(photos, tmp_path / "rest", exclude="*.png", adapt="off")
    assert [file.input.name for file in files] == ["grace_hopper.jpg"]
    with pytest.raises(TypeError, match="scale: is 2.0"):
        skinmask.detect_files(photos, tmp_path / "rest", scale=2.0)


def test_a_stranger_s_name_gives_a_terminal_no_orders(tmp_path):
    (tmp_path / "in").mkdir()
    for name in (b"ok\x1b[32m\n.ppm", b"no utf-8 \xff.ppm", b"turned \xe2\x80\xae.ppm"):
        (tmp_path / "in" / os.fsdecode(name)).write_bytes(b"P6 1 1 255\n...")
    (tmp_path / "in" / "bad\x1b[32m\n.ppm").write_bytes(b"no picture")
    files = skinmask.detect_files(
        tmp_path / "in", tmp_path / "out", outputs=["mask", "cutout"], adapt="off"
    )
    assert sorted(len(file.outputs) for file in files) == [0, 2, 2, 2]
    for file in files:
        assert repr(file).isprintable()
        assert file.error or repr(file).endswith(".ppm': 2 outputs>")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"outputs": ()}, "outputs: are none"),
        ({"outputs": ("mask", "mask")}, "outputs: have 'mask' more than once"),
        ({"outputs": ("mask", "classes"), "adapt": "faces"}, "'classes': knows no adapted model"),
        ({"outputs": ("mask", "classes"), "seed_rect": (1, 1, 9, 9)}, "'classes': knows no"),
        ({"outputs": "overlay", "abstain": (0.2, 0.8)}, "abstain: needs output mask"),
        ({"outputs": "overlay", "outlier": 0.9}, "outlier: needs output uncertainty, or mask with abstain"),
        ({"overwrite": True, "resume": True}, "overwrite: replaces"),
        ({"isolate": "some"}, "isolate 'some': is unknown"),
        ({"max_seconds": 0}, "max_seconds"),
        ({"max_seconds": 5}, "max_seconds: limits decoders in processes of their own"),
    ],
)
def test_options_that_contradict_each_other_are_refused(photos, tmp_path, options, message):
    with pytest.raises(skinmask.Error, match=message):
        skinmask.detect_files(photos, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_patterns_need_a_folder(photos, tmp_path):
    files = sorted(photos.iterdir())
    for name in ("include", "exclude"):
        with pytest.raises(skinmask.Error, match=f"{name}: picks files of folders and archives"):
            skinmask.detect_files(files, tmp_path / "out", **{name: "*.png"})
    assert not (tmp_path / "out").exists()


def test_decoders_in_processes_of_their_own_give_the_same_files(photos, tmp_path):
    for isolate in ("none", "all"):
        files = skinmask.detect_files(photos, tmp_path / isolate, isolate=isolate, adapt="off")
        assert [file.error for file in files] == ["", ""]
    for name in ("astronaut.png", "grace_hopper.png"):
        assert (tmp_path / "all" / name).read_bytes() == (tmp_path / "none" / name).read_bytes()


def test_a_type_of_numbers_is_said_as_in_detect(photos, tmp_path):
    for name, dtype in (("a", "uint16"), ("b", numpy.uint16), ("c", numpy.dtype("uint16"))):
        (file,) = skinmask.detect_files(
            photos / "astronaut.png", tmp_path / name, outputs="probability", dtype=dtype
        )
        assert file.outputs[0].read_bytes()[24] == 16  # PNG: bits of a sample
    for outputs, dtype, message in (
        ("probability", numpy.float32, r"dtype: is float32 \(uint8 or uint16\)"),
        ("probability", "floaty", r"dtype: is 'floaty' \(uint8 or uint16\)"),
        ("mask", numpy.uint16, r"dtype: is uint16 \(uint8 where 'probability' is not among"),
    ):
        with pytest.raises(TypeError, match=message):
            skinmask.detect_files(photos, tmp_path / "d", outputs=outputs, dtype=dtype)


def many(photos, folder, count):
    folder.mkdir()
    for i in range(count):
        (folder / f"{i:04}.jpg").symlink_to(photos / "grace_hopper.jpg")
    return folder


def test_what_a_callback_raises_ends_the_run(photos, tmp_path):
    folder = many(photos, tmp_path / "in", 200)

    class Enough(Exception):
        pass

    def raise_enough(*_):
        raise Enough

    for name in ("each", "progress"):
        with pytest.raises(Enough):
            skinmask.detect_files(folder, tmp_path / name, adapt="off", **{name: raise_enough})
        assert 0 < len(list((tmp_path / name).glob("*.png"))) < 200


INTERRUPTED = """
import signal, skinmask, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
try:
    skinmask.detect_files(sys.argv[1], sys.argv[2])
except KeyboardInterrupt:
    sys.exit(42)
"""


def test_pictures_that_are_too_large_are_failures(photos, tmp_path):
    masks = photos.parent / "masks"
    files = skinmask.detect_files(photos, tmp_path / "out", max_pixels=300_000, adapt="off")
    assert sorted(bool(file.error) for file in files) == [False, True]
    problems = []
    skinmask.evaluate(photos, masks, adapt="off", max_pixels=300_000, problem=problems.append)
    assert len(problems) == 1 and "300000 pixels" in problems[0]
    with pytest.raises(skinmask.Error, match="300000 pixels"):
        skinmask.Samples.from_pairs(photos, masks, max_pixels=300_000)
    for wrong in (0, -1):
        with pytest.raises(skinmask.Error, match="max_pixels"):
            skinmask.detect_files(photos, tmp_path / "other", max_pixels=wrong)


AFTER_THE_MAIN_THREAD = """
import skinmask, sys, threading
def work():
    threading.main_thread().join()
    print(len(skinmask.Samples.from_pairs(sys.argv[1], whole="skin", step=64)) > 0)
threading.Thread(target=work).start()
"""


def test_runs_of_threads_go_on_after_the_main_thread(photos):
    command = [sys.executable, "-c", AFTER_THE_MAIN_THREAD, str(photos)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("True\n", "")


BESIDE_A_DAEMON_THREAD = """
import skinmask, sys, threading
started = threading.Event()
def work():
    skinmask.detect_files(sys.argv[1], sys.argv[2], each=lambda *_: started.set())
threading.Thread(target=work, daemon=True).start()
started.wait()
"""


def test_a_run_of_a_daemon_thread_stops_with_the_program(photos, tmp_path):
    folder, out = many(photos, tmp_path / "in", 400), tmp_path / "out"
    command = [sys.executable, "-c", BESIDE_A_DAEMON_THREAD, str(folder), str(out)]
    subprocess.run(command, check=True, timeout=60)
    assert 0 < len(list(out.glob("*.png"))) < 400
    assert not list(out.glob("*.part"))


def test_ctrl_c_ends_a_folder_run(photos, tmp_path):
    folder, out = many(photos, tmp_path / "in", 400), tmp_path / "out"
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(folder), str(out)])
    try:
        deadline = time.monotonic() + 60
        while not (out.exists() and any(out.glob("*.png"))):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 42
    finally:
        process.kill()
    written = list(out.glob("*.png"))
    assert 0 < len(written) < 400
    expected = skinmask.detect(skinmask.read_image(photos / "grace_hopper.jpg"))
    assert (skinmask.read_image(written[-1])[:, :, 0] == expected).all()


@pytest.fixture(scope="module")
def clip(photos, tmp_path_factory):
    """Twelve frames over which the photograph moves."""
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    crop = "scale=360:-2,crop=320:240:'2*n':'3*n'"
    command = [
        "ffmpeg",
        "-v",
        "error",
        "-loop",
        "1",
        "-i",
        str(photos / "astronaut.png"),
        "-vf",
        crop,
        "-frames:v",
        "12",
        "-pix_fmt",
        "yuv420p",
        str(path),
    ]
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        pytest.skip("needs ffmpeg")
    return path


@pytest.mark.parametrize("adapt", ["faces", "off"])
def test_frames_of_a_video_are_those_of_the_program(program, clip, tmp_path, adapt):
    program(
        "detect",
        clip,
        "-o",
        tmp_path,
        "--frames",
        "--output",
        "mask,probability",
        "--adapt",
        adapt,
        "--csv",
        tmp_path / "t.csv",
        "-q",
    )
    rows = [line.split(",") for line in (tmp_path / "t.csv").read_text().splitlines()]
    column = {name: i for i, name in enumerate(rows[0])}
    frames = list(skinmask.video(clip, adapt=adapt))
    assert [frame.index for frame in frames] == list(range(12))
    for frame, row in zip(frames, rows[1:]):
        for name, made in (("", frame.mask), (".probability", frame.probability)):
            written = skinmask.read_image(tmp_path / "clip" / f"{frame.index:06}{name}.png")
            assert (made == written[:, :, 0]).all()
        assert frame.seconds == pytest.approx(float(row[column["seconds"]]))
        assert frame.bgr.shape == (240, 320, 3) and not frame.bgr.flags.writeable
        assert frame.region.pixels > 0


def test_a_video_abstains_as_the_program_does(program, clip, tmp_path):
    program("detect", clip, "-o", tmp_path, "--frames", "--adapt", "off", "--abstain", "0.2,0.8")
    for frame in skinmask.video(clip, adapt="off", abstain=(0.2, 0.8)):
        written = skinmask.read_image(tmp_path / "clip" / f"{frame.index:06}.png")[:, :, 0]
        assert (frame.mask == 128).any() and (frame.mask == written).all()


def test_options_of_any_output_that_may_be_drawn(clip):
    """Options of `judge`, `video` and Stream need not show in the mask."""
    with skinmask.video(clip, outlier=0.9, draw="faces", class_costs=[[0, 1], [5, 0]]) as video:
        first = next(video)
        image = first.bgr
        others = [
            skinmask.judge(image, outlier=0.9, draw="faces", class_costs=[[0, 1], [5, 0]]),
            skinmask.Stream(outlier=0.9, draw="faces", class_costs=[[0, 1], [5, 0]]).judge(image),
        ]
        for other in others:
            assert other.draw("uncertainty").shape == first.draw("uncertainty").shape
            assert other.draw("overlay").shape == first.draw("overlay").shape == image.shape
            assert (other.draw("classes") == skinmask.judge(
                image, adapt="off", class_costs=[[0, 1], [5, 0]]
            ).draw("classes")).all()
    for options in ({"adapt": "faces"}, {"steady": 0}, {"refine": False}):
        made = skinmask.Stream(**options).detect(image, output="classes")
        assert (made == skinmask.Stream(**options).judge(image).draw("classes")).all()


def test_a_part_of_a_video(clip):
    everything = list(skinmask.video(clip, adapt="off"))
    part = skinmask.video(clip, adapt="off", start="4f", end=everything[9].seconds)
    assert part.rate == 25
    frames = list(part)
    assert [frame.index for frame in frames] == [4, 5, 6, 7, 8]
    assert (frames[0].bgr == everything[4].bgr).all()
    assert list(part) == []
    assert next(skinmask.video(clip, adapt="off", start=1e-7)).index == 0  # to the microsecond
    adapted = [frame.probability for frame in skinmask.video(clip)]
    for start in (1, 5, 9):
        part = next(skinmask.video(clip, start=f"{start}f", end=f"{start + 1}f"))
        assert (part.index, (part.probability == adapted[start]).all()) == (start, True)
    sought = next(skinmask.video(clip, start="5f", seek=True))
    alone = skinmask.Stream(rate=25).judge(everything[5].bgr)
    assert (sought.index, (sought.mask == alone.mask).all()) == (5, True)
    with pytest.raises(TypeError, match="seek"):
        skinmask.video(clip, seek="yes")


def test_a_video_that_is_closed_lets_go_of_its_file(clip):
    def is_open():
        links = pathlib.Path("/proc/self/fd").iterdir()
        return str(clip) in [os.readlink(link) for link in links if link.is_symlink()]

    with skinmask.video(clip, adapt="off") as video:
        first, told = next(video), repr(video)
        assert is_open()
    assert not is_open()
    assert (video.frames, video.rate, repr(video)) == (12, 25, told)
    assert (first.bgr == next(skinmask.video(clip, adapt="off")).bgr).all()
    with pytest.raises(skinmask.Error, match=r"video: is closed \(skinmask.video opens it anew\)"):
        next(video)
    video.close()
    with pytest.raises(ZeroDivisionError), skinmask.video(clip, adapt="off") as video:
        raise ZeroDivisionError
    assert not is_open()


def test_videos_that_cannot_be_read_are_named(tmp_path, clip):
    (tmp_path / "no.mp4").write_bytes(b"no video")
    with pytest.raises(skinmask.Error, match="no.mp4"):
        skinmask.video(tmp_path / "no.mp4")
    for moment, word in (("soon", "soon"), (float("nan"), "nan"), (-1, "before the start")):
        with pytest.raises(skinmask.Error, match=word):
            skinmask.video(clip, start=moment)
    for start, end in ((2, 1), (1, 1), ("5f", "5f"), (None, 0)):
        with pytest.raises(skinmask.Error, match="start and end: leave no frame between them"):
            skinmask.video(clip, start=start, end=end)
    video = skinmask.video(clip, adapt="off")
    assert repr(video).startswith("<skinmask.Video ") and "25 frames/s" in repr(video)
    assert repr(next(video)) == "<skinmask.Frame 0 at 0.000 s>"
    with pytest.raises(skinmask.Error, match="^end"):
        skinmask.video(clip, end=10**400)
    with pytest.raises(TypeError, match="end: is list"):
        skinmask.video(clip, end=[1])
    with pytest.raises(skinmask.Error, match="holds no frame between start and end"):
        next(skinmask.video(clip, start="0:00.3", end="2f"))


def test_a_camera_is_followed_as_the_program_follows_it():
    path = research("video/carphone_pristine.mp4")
    video = skinmask.video(path, adapt="faces")
    stream = skinmask.Stream(adapt="faces", rate=video.rate)
    for _, frame in zip(range(10), video):
        assert frame.adapted_by == "faces"
        assert (stream.detect(frame.bgr) == frame.mask).all()
    for rate in (0, -1, 1001, float("nan")):
        with pytest.raises(skinmask.Error, match="rate .* is out of range"):
            skinmask.Stream(rate=rate)
    with pytest.raises(TypeError, match="rate: is str"):
        skinmask.Stream(rate="25")
