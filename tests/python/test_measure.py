"""Colours of masks and faces: tables, frames and single pictures against numpy."""
import csv
import json
import math
import pickle
import re
import shutil
import subprocess

import numpy
import pytest

import skinmask
from conftest import SOURCE

CHANNELS = ("red", "green", "blue")
needs_ffmpeg = pytest.mark.skipif(not shutil.which("ffmpeg"), reason="needs ffmpeg")


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def eroded(mask, pixels):
    """True where all is skin that is at most so many rows and columns away."""
    for axis in (0, 1):
        margins = [(pixels, pixels) if a == axis else (0, 0) for a in (0, 1)]
        padded = numpy.pad(mask, margins, constant_values=True)
        length = mask.shape[axis]
        shifted = [numpy.take(padded, range(d, d + length), axis) for d in range(2 * pixels + 1)]
        mask = numpy.min(shifted, axis=0)
    return mask


def moving_face(photo, mask, rate=10, seconds=6, side=176, hertz=1.2):
    """Frames B G R of a face that sways, with noise and a pulse, and where its skin is."""
    noise = numpy.random.default_rng(5)
    for n in range(rate * seconds):
        t = n / rate
        x = round(145 + 14 * math.sin(2 * math.pi * 0.3 * t))
        y = round(40 + 8 * math.sin(2 * math.pi * 0.22 * t + 1))
        skin = mask[y : y + side, x : x + side]
        picture = photo[y : y + side, x : x + side].astype(float)
        picture[..., 1] *= 1 + 0.005 * math.sin(2 * math.pi * hertz * t) * skin
        picture += noise.normal(0, 2, picture.shape)
        yield numpy.clip(numpy.rint(picture), 0, 255).astype(numpy.uint8), skin


def write_video(path, frames, rate):
    """Lossless, in Matroska, whatever it is called."""
    height, width = frames[0].shape[:2]
    words = f"ffmpeg -v error -f rawvideo -pix_fmt bgr24 -s {width}x{height} -r {rate} -i -"
    words += " -c:v ffv1 -pix_fmt bgr0 -f matroska"
    pixels = b"".join(frame.tobytes() for frame in frames)
    subprocess.run([*words.split(), str(path)], input=pixels, check=True)


def close(cells, pixels, prefix=""):
    """The cells of a table are those of numpy."""
    for i, channel in enumerate(CHANNELS):
        values = pixels[:, 2 - i].astype(float)
        assert float(cells[f"{prefix}mean_{channel}"]) == pytest.approx(values.mean(), abs=1e-3)
        assert float(cells[f"{prefix}sd_{channel}"]) == pytest.approx(values.std(), abs=1e-3)


@needs_ffmpeg
@pytest.mark.parametrize("flags", [("--adapt", "off"), ("--erode", "0"), ("--erode", "4")])
def test_tables_of_a_video_are_numpys(program, astronaut, tmp_path, monkeypatch, flags):
    monkeypatch.chdir(tmp_path)
    frames = [astronaut[y : y + 150, 140:340] for y in range(30, 42)]
    write_video("clip.mkv", frames, 10)
    tables = ("--csv", "a.csv", "--faces-csv", "f.csv")
    program("detect", "clip.mkv", "-o", "out", "--frames", *tables, *flags)
    rows, erosion = table("a.csv"), 2 if flags[0] == "--adapt" else int(flags[1])
    assert len(rows) == len(frames)
    for n, (row, frame) in enumerate(zip(rows, frames)):
        mask = skinmask.read_image(f"out/clip/{n:06}.png")[..., 0] > 127
        left = eroded(mask, erosion)
        assert int(row["measured_pixels"]) == left.sum() > 500
        close(row, frame[left])
        assert row["faces"] == ("0" if flags[0] == "--adapt" else "1")
    faces = table("f.csv")
    assert len(faces) == sum(int(row["faces"]) for row in rows)
    for n, (row, frame) in enumerate(zip(faces, frames)):
        assert (row["frame"], row["face"], row["input"]) == (str(n), "1", "clip.mkv")
        x, y, width, height = (int(row[name]) for name in ("x", "y", "width", "height"))
        mask = skinmask.read_image(f"out/clip/{n:06}.png")[..., 0] > 127
        inside = eroded(mask, erosion)[y : y + height, x : x + width]
        assert 0.5 * inside.sum() < int(row["pixels"])
        for prefix in ("forehead_", "left_cheek_", "right_cheek_"):
            assert 50 < int(row[prefix + "pixels"]) < 0.2 * int(row["pixels"])
            assert float(row[prefix + "mean_red"]) > float(row[prefix + "mean_blue"])


def test_a_photograph_is_measured_alike_everywhere(program, photos, astronaut, tmp_path):
    photo = photos / "astronaut.png"
    files = ("--csv", tmp_path / "a.csv", f"--json={tmp_path / 'a.json'}")
    program("detect", photo, "-o", tmp_path, *files, "--faces-csv", tmp_path / "f.csv")
    (row,), (face,) = table(tmp_path / "a.csv"), table(tmp_path / "f.csv")
    mask = skinmask.read_image(tmp_path / "astronaut.png")[..., 0] > 127
    close(row, astronaut[eroded(mask, 2)])
    record = json.loads((tmp_path / "a.json").read_text())["images"][0]
    (told,) = record["faces"]
    judged = skinmask.judge(astronaut)
    again = skinmask.judge(astronaut[..., ::-1].copy(), rgb=True)
    streamed = skinmask.Stream().judge(astronaut)
    for one in (judged, again, streamed):
        assert (one.mask > 127).tobytes() == mask.tobytes() and (one.bgr == astronaut).all()
        assert one.means == judged.means and one.faces[0].forehead == judged.faces[0].forehead
    assert record["means"]["pixels"] == judged.means.pixels == int(row["measured_pixels"])
    assert tuple(record["means"]["mean"].values()) == judged.means.mean
    assert tuple(record["means"]["sd"].values()) == judged.means.sd
    (found,) = judged.faces
    assert found.id == told["face"] == int(face["face"]) == 1
    box = ("x", "y", "width", "height")
    assert found.box == tuple(told[n] for n in box) == tuple(int(face[n]) for n in box)
    for part, prefix in (
        ("means", ""),
        ("forehead", "forehead_"),
        ("left_cheek", "left_cheek_"),
        ("right_cheek", "right_cheek_"),
    ):
        means = getattr(found, part)
        assert means.pixels == told[part]["pixels"] == int(face[prefix + "pixels"])
        assert means.mean == tuple(told[part]["mean"].values())
        for value, channel in zip(means.mean, CHANNELS):
            assert value == pytest.approx(float(face[f"{prefix}mean_{channel}"]), abs=1e-6)


def test_what_is_measured_compares_by_value(astronaut):
    judged, again = skinmask.judge(astronaut), skinmask.judge(astronaut)
    for one, other in (
        (judged.means, again.means),
        (judged.region, again.region),
        (judged.faces[0], again.faces[0]),
    ):
        assert one == other and one == pickle.loads(pickle.dumps(one))
        assert len({one, other}) == 1
        assert one != None and one not in [None, 1]  # noqa: E711


def test_means_and_faces_are_values(astronaut):
    judged = skinmask.judge(astronaut)
    assert pickle.loads(pickle.dumps(judged.means)) == judged.means
    face = pickle.loads(pickle.dumps(judged.faces[0]))
    assert (face.id, face.box, face.means) == (1, judged.faces[0].box, judged.faces[0].means)
    picture = astronaut.copy()
    later = skinmask.judge(picture)
    picture[:] = 0  # as a camera's buffer that is used again
    assert later.means == judged.means
    nothing = skinmask.judge(numpy.zeros((8, 8, 3), numpy.uint8), adapt="off").means
    assert nothing.pixels == 0 and all(math.isnan(value) for value in nothing.mean + nothing.sd)


def test_a_judgement_draws_what_detect_does(face):
    for options in ({}, {"adapt": "off"}, {"abstain": (0.2, 0.8)}):
        judged = skinmask.judge(face, **options)
        for output in skinmask.OUTPUTS:
            taken = {"adapt": "off"} if output == "classes" else options
            if output not in ("mask", "uncertainty"):
                taken = {name: taken[name] for name in taken if name != "abstain"}
            drawn = judged.draw(output)
            assert (drawn == skinmask.detect(face, output=output, **taken)).all(), output
            assert not drawn.flags.writeable
    judged = skinmask.judge(face)
    for dtype in ("uint16", numpy.float32):
        wanted = skinmask.detect(face, output="probability", dtype=dtype)
        drawn = judged.draw("probability", dtype=dtype)
        assert drawn.dtype == dtype and (drawn == wanted).all()
    with pytest.raises(TypeError, match="dtype: is float32 .*with output='overlay'"):
        judged.draw("overlay", dtype="float32")
    with pytest.raises(TypeError, match="output: is int"):
        judged.draw(3)
    with pytest.raises(skinmask.Error, match="nothing"):
        judged.draw("nothing")


def test_options_that_would_do_nothing_are_refused(astronaut):
    with pytest.raises(skinmask.Error, match="erode"):
        skinmask.detect(astronaut, erode=3)
    with pytest.raises(skinmask.Error, match="draw"):
        skinmask.detect(astronaut, draw="faces")
    plain, drawn = (
        skinmask.detect(astronaut, output="overlay", **options)
        for options in ({}, {"draw": "faces"})
    )
    assert (plain != drawn).any()
    with pytest.raises(skinmask.Error, match="erode"):
        skinmask.judge(astronaut, erode=-1)
    assert skinmask.judge(astronaut, erode=9).means.pixels < skinmask.judge(astronaut).means.pixels


def residual(series, rate, hertz):
    """What lies between 0.7 and 3 Hz and is not the pulse, as a standard deviation."""
    spectrum = numpy.fft.rfft((series - series.mean()) * numpy.hanning(len(series)))
    at = numpy.fft.rfftfreq(len(series), 1 / rate)
    beside = (at > 0.7) & (at < 3) & (abs(at - hertz) > 0.3)
    return numpy.sqrt((abs(spectrum[beside]) ** 2).sum()) / len(series)


@needs_ffmpeg
def test_the_pulse_of_the_guide(photos, astronaut, tmp_path, monkeypatch, capsys):
    """It is found, and what the face is measured by breathes less than twice as a fixed mask."""
    monkeypatch.chdir(tmp_path)
    mask = skinmask.read_image(photos.parent / "masks" / "astronaut.png")[..., 0] > 127
    rate, hertz = 10, 1.2
    frames, skins = zip(*moving_face(astronaut, mask, rate, hertz=hertz))
    write_video("clip.mp4", frames, rate)
    guide = (SOURCE / "docs" / "guide.md").read_text()
    code = re.search(r"^## A pulse$.*?^```python\n(.*?)^```$", guide, re.M | re.S)[1]
    names, whole, video = {}, [], skinmask.video

    def watched(path):
        for frame in video(path):
            whole.append(frame.means.mean[1])
            yield frame

    monkeypatch.setattr(skinmask, "video", watched)
    exec(compile(code, "docs/guide.md", "exec"), names)
    assert names["hertz"][names["power"].argmax()] == pytest.approx(hertz, abs=0.05)
    assert capsys.readouterr().out == "72 beats a minute\n"
    green = names["rgb"][:, 1]
    fixed = numpy.array([frame[skin, 1].mean() for frame, skin in zip(frames, skins)])
    assert residual(green, rate, hertz) < 2 * residual(fixed, rate, hertz)
    # Of the whole mask, with its outline along a fringe of hair, it is more.
    assert residual(numpy.array(whole), rate, hertz) < 4 * residual(fixed, rate, hertz)
