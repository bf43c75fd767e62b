"""The examples of docs/python.md, as its reader would run them, and what stands in for his things.

They run in their order, in one namespace and in the current folder.
"""
import re
import shutil
import subprocess

import numpy

import skinmask
from conftest import SOURCE

TEXT = (SOURCE / "docs" / "python.md").read_text()


class NoMoreFrames(Exception):
    """Ends the page's loop over a camera, which has no end."""


class OpenCv:
    """What the page calls of cv2, which need not be installed, and would open a window."""

    imread = staticmethod(skinmask.read_image)

    def __init__(self):
        self.shown = []

    def VideoCapture(self, index):
        return self

    def read(self):
        if len(self.shown) == 2:
            raise NoMoreFrames
        return True, skinmask.read_image("photo.jpg")

    def waitKey(self, milliseconds):
        return -1

    def imshow(self, title, picture):
        self.shown.append(picture)


def examples():
    """(line of the page, code) of each."""
    for match in re.finditer(r"^```python\n(.*?)^```$", TEXT, re.M | re.S):
        yield TEXT[: match.start(1)].count("\n"), match[1]


def run(chosen, names):
    """Runs the examples that are `chosen`, a function of their code; tells how many they were."""
    count = 0
    for line, code in examples():
        if not chosen(code):
            continue
        try:  # lines of a traceback are those of the page
            exec(compile("\n" * line + code, "docs/python.md", "exec"), names)
        except NoMoreFrames:
            pass
        count += 1
    return count


def typed():
    """All of them as one module for mypy."""
    text = """from typing import Any
import numpy
from numpy.typing import NDArray

def is_shown() -> bool:  # without it nothing after the camera's loop would be looked at
    return True

X: NDArray[numpy.uint8]
y: NDArray[numpy.bool_]
pixels, labels, pil_image, data = X, y, X, b""
"""
    for line, code in examples():
        indented = re.sub(r"^(?=.)", "    ", code, flags=re.M)
        text += f"\nif is_shown():  # docs/python.md, line {line + 1}\n{indented}"
    return text


def write_picture(path, pixels):
    """As PNM, whatever its name is: files are known by their bytes."""
    height, width = pixels.shape[:2]
    pixels = pixels * numpy.uint8(255) if pixels.dtype == bool else pixels
    kind, stored = (b"P5", pixels) if pixels.ndim == 2 else (b"P6", pixels[..., ::-1])
    path.write_bytes(kind + b" %d %d 255\n" % (width, height) + stored.tobytes())


def write_files(folder, face):
    """What the page names: pictures of a face, a table in the form of the UCI file, a video."""
    for name in ("photos", "a", "m"):
        (folder / name).mkdir()
    for name in ("photo.jpg", "photo.heic", "photos/1.jpg", "photos/2.jpg", "a/1.jpg"):
        write_picture(folder / name, face)
    write_picture(folder / "m" / "1.png", skinmask.detect(face))
    colours = numpy.random.default_rng(3).integers(0, 256, (40, 3))
    rows = [f"{b}\t{g}\t{r}\t{1 if r > g else 2}\n" for b, g, r in colours]
    (folder / "Skin_NonSkin.txt").write_text("".join(rows))
    if shutil.which("ffmpeg"):
        words = "ffmpeg -v error -f lavfi -i testsrc=size=64x48:rate=1:duration=21 clip.mp4"
        subprocess.run(words.split(), check=True, cwd=folder)
    return colours.astype(numpy.uint8)
