"""What the tests of the Python package share. CTest sets PYTHONPATH and SKINMASK_PROGRAM."""
import os
import pathlib
import subprocess

import numpy
import pytest

import skinmask

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("SKINMASK_DATA", SOURCE.parent / "shared" / "data"))
os.environ.pop("SKINMASK_FACES", None)  # the built-in finder is what is tested


@pytest.fixture(scope="session")
def photos():
    return SOURCE / "samples" / "photos"


@pytest.fixture(scope="session")
def astronaut(photos):
    return skinmask.read_image(photos / "astronaut.png")


@pytest.fixture(scope="session")
def face(astronaut):
    """So small that faces are searched for in a moment."""
    return numpy.ascontiguousarray(astronaut[40:240, 140:340])


@pytest.fixture(scope="session")
def samples():
    return skinmask.Samples.read(SOURCE / "samples" / "labelled-pixels.csv")


@pytest.fixture
def noise():
    return numpy.random.default_rng(7).integers(0, 256, (61, 83, 3), numpy.uint8)


@pytest.fixture(scope="session")
def program():
    """Runs the program, the oracle of most that is tested here; returns what it printed."""

    def run(*arguments):
        command = [os.environ["SKINMASK_PROGRAM"], *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return run


def research(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"needs the research data ({path})")
    return path
