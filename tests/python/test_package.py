"""The package: what it says of itself is true, and it leaves the process whole."""
import ast
import contextlib
import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import shutil
import subprocess
import sys
import unittest.mock

import numpy
import pytest

import page
import skinmask
from skinmask import _skinmask
from conftest import SOURCE

PACKAGE = SOURCE / "bindings" / "python" / "skinmask"


def test_every_example_in_a_docstring_runs():
    names = [
        module.name for module in pkgutil.iter_modules([str(PACKAGE)]) if module.name != "sklearn"
    ]
    results = [doctest.testmod(importlib.import_module(f"skinmask.{name}")) for name in names]
    results.append(doctest.testmod(skinmask))
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 15


def test_the_examples_of_the_page_run(face, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    face = numpy.ascontiguousarray(face[::2, ::2])
    cv2 = page.OpenCv()
    monkeypatch.setitem(sys.modules, "cv2", cv2)
    pixels = page.write_files(tmp_path, face)
    names = {"pil_image": face[..., ::-1], "data": (tmp_path / "photo.jpg").read_bytes()}
    names.update(pixels=pixels, labels=pixels[:, 2] > pixels[:, 1])
    video = shutil.which("ffmpeg") is not None

    def chosen(code):
        return "sklearn" not in code and (video or "clip.mp4" not in code)

    assert page.run(chosen, names) == 9 + video
    assert names["failed"] == [] and names["where"].pixels > 0 and len(cv2.shown) == 2
    assert names["mask"].shape == face.shape[:2] == names["p"].shape
    assert 0 < names["result"].pooled["f1"] < 1 and (tmp_path / "r.html").exists()
    assert skinmask.Model.load("m.json") == names["model"]
    assert not video or names["overlay"].shape == (48, 64, 3)


def test_what_is_public_is_documented():
    for name in skinmask.__all__:
        assert name in page.TEXT, name
        assert getattr(skinmask, name).__doc__ or name in ("__version__", "Error"), name
        if isinstance(getattr(skinmask, name), type):
            for member, what in vars(getattr(skinmask, name)).items():
                assert member.startswith("_") or what.__doc__, (name, member)


def test_the_documents_of_the_compiled_module_are_those_of_its_stub():
    stub = ast.parse((PACKAGE / "_skinmask.pyi").read_text())
    compiled = {
        node: getattr(_skinmask, node.name)
        for node in stub.body
        if isinstance(node, ast.ClassDef)
        and getattr(skinmask, node.name, None) is getattr(_skinmask, node.name)
    }
    assert skinmask.Judgement in compiled.values() and len(compiled) >= 4
    del compiled[next(node for node in compiled if node.name == "Error")]
    for node, kind in compiled.items():
        assert ast.get_docstring(node) == kind.__doc__, node.name
        for member in node.body:
            if not isinstance(member, ast.FunctionDef) or member.name.startswith("_"):
                continue
            # A function's own text follows the line of its arguments.
            text = inspect.cleandoc(getattr(kind, member.name).__doc__).split(") -> None\n\n")[-1]
            assert ast.get_docstring(member) == text, member.name


def test_importing_takes_no_more_than_numpy():
    code = (
        "import skinmask, sys; others = ('sklearn', 'scipy', 'cv2', 'matplotlib', 'pandas'); "
        "print(*(n for n in others if n in sys.modules))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        ).stdout
        == "\n"
    )


@pytest.mark.parametrize(
    "call",
    [
        skinmask.read_image,
        skinmask.video,
        skinmask.Model.load,
        skinmask.Samples.read,
        skinmask.Model.default().save,
        lambda path: skinmask.Samples.from_pairs(path, "masks"),
        lambda path: skinmask.detect_files([path], "masks"),
        lambda path: skinmask.detect_files(path, "masks"),
        lambda path: skinmask.detect_files("photos", path),
        lambda path: skinmask.evaluate("photos", "masks", report=path),
        lambda path: skinmask.Stream(faces=path),
    ],
)
def test_what_is_no_path_is_refused_in_words(call):
    with pytest.raises(TypeError, match=r"^\w+: is int \(a (file|folder)'s path is wanted"):
        call(7)


@pytest.mark.parametrize("value", ["no", 1, None])
def test_what_is_neither_true_nor_false_is_refused_in_words(samples, photos, tmp_path, value):
    model = skinmask.Model.default()
    for call in (
        lambda **switch: model.save(tmp_path / "m.json", **switch),
        lambda **switch: samples.save(tmp_path / "s.csv", **switch),
        lambda **switch: skinmask.detect_files(photos, tmp_path, adapt="off", **switch),
        lambda **switch: skinmask.evaluate(photos, photos, report=tmp_path / "r.html", **switch),
    ):
        with pytest.raises(TypeError, match="^overwrite: is .* .True or False is wanted.$"):
            call(overwrite=value)
    with pytest.raises(TypeError, match="^resume: is "):
        skinmask.detect_files(photos, tmp_path, adapt="off", resume=value)
    with pytest.raises(TypeError, match="^marginal: is "):
        model.picture(marginal=value)
    assert not list(tmp_path.iterdir())


def test_warnings_are_of_the_caller_s_line(samples, face):
    axes = pytest.importorskip("matplotlib.axes")
    flat = skinmask.Model.train(samples, channels="G,R")  # one plane, which is drawn sooner
    hair, flat = (
        skinmask.Model.from_json(model.to_json().replace('"skin"', '"hair"'))
        for model in (skinmask.Model.default(), flat)
    )
    for call in (
        lambda: skinmask.detect(face, hair, adapt="faces"),
        lambda: skinmask.Stream(hair, adapt="faces"),
        lambda: skinmask.Model.train(samples, kind="mixture", iterations=1),
        lambda: flat.picture(samples=samples),
        lambda: flat.plot(unittest.mock.Mock(axes.Axes), samples=samples),
    ):
        with pytest.warns() as warned:
            call()
        assert {one.filename for one in warned} == {__file__}


def test_what_a_model_of_something_else_does_not_adapt_is_refused(face):
    hair = skinmask.Model.from_json(skinmask.Model.default().to_json().replace('"skin"', '"hair"'))
    for options in (
        {"require_face": True},
        {"min_component": 0.1},
        {"refine": False},
        {"output": "overlay", "draw": "faces"},
    ):
        with pytest.raises(skinmask.Error, match="a model of 'hair' adapts only with adapt, faces"):
            skinmask.detect(face, hair, **options)
        with pytest.warns(UserWarning, match="takes what the model finds, 'hair'"):
            skinmask.detect(face, hair, adapt="auto", **options)
    skinmask.detect(face, hair, output="overlay", draw="ellipse")


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b"])
def test_what_no_file_can_be_called_is_refused_in_one_line(path):
    for call in (
        skinmask.read_image,
        skinmask.video,
        skinmask.Model.load,
        skinmask.Model.default().save,
        lambda path: skinmask.Samples.from_pairs(path, "masks"),
        lambda path: skinmask.detect_files([path], "masks"),
    ):
        with pytest.raises(skinmask.Error, match="is no text|has a NUL") as refused:
            call(path)
        assert "\n" not in str(refused.value)


def test_numbers_that_are_no_count_of_threads_are_refused():
    with pytest.raises(TypeError, match="threads: is str"):
        skinmask.set_threads("x")
    with pytest.raises(skinmask.Error, match="threads 1000000000000 is out of range"):
        skinmask.set_threads(10**12)


def test_what_was_not_made_is_refused():
    for kind in vars(_skinmask).values():
        if isinstance(kind, type) and not issubclass(kind, Exception):
            unmade = kind.__new__(kind)
            for name in set(dir(kind)) - set(dir(object)):
                with contextlib.suppress(TypeError, RuntimeError):
                    getattr(unmade, name)
    for kind, name in ((skinmask.Frame, "bgr"), (skinmask.Video, "frames")):
        with pytest.raises(TypeError, match="was made by __new__ alone"):
            getattr(kind.__new__(kind), name)


def test_the_version_is_the_program_s(program):
    assert skinmask.__version__ in program("version")


def test_mypy_accepts_the_hints(tmp_path):
    pytest.importorskip("mypy")
    cache = os.environ.get("SKINMASK_MYPY_CACHE", str(tmp_path))
    (tmp_path / "page_typed.py").write_text(page.typed())
    typed = pathlib.Path(__file__).with_name("typed.py")
    files = [str(PACKAGE), str(typed), str(tmp_path / "page_typed.py")]
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        cache,
        "--ignore-missing-imports",
        *files,
    ]
    result = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    )
    assert result.stdout + result.stderr == ""


MANY_DETECTORS = """
import skinmask
from concurrent.futures import ThreadPoolExecutor
core = skinmask.Model.default()._core
def work(_):
    for i in range(3000):
        skinmask._skinmask.Detector(core, {"adapt": "off", "threshold": str(i / 3000)}, "")
with ThreadPoolExecutor(8) as pool:
    list(pool.map(work, range(8)))
"""


def test_threads_make_and_drop_detectors_at_the_same_time():
    subprocess.run([sys.executable, "-c", MANY_DETECTORS], check=True, timeout=120)


FORKS_MEANWHILE = """
import os, skinmask, threading
model = skinmask.Model.default()
started = threading.Event()
go_on = True
def slide():
    i = 0
    while go_on:
        i += 1
        model._detector({"adapt": "off", "threshold": (i % 997) / 997})
        started.set()
thread = threading.Thread(target=slide)
thread.start()
started.wait()
children = []
for _ in range(40):
    child = os.fork()
    if child == 0:
        model._detector({"adapt": "off", "threshold": 0.9999})
        os._exit(0)
    children.append(child)
go_on = False
thread.join()
assert all(os.waitpid(child, 0)[1] == 0 for child in children)
"""


def test_a_process_forks_while_a_thread_makes_detectors():
    subprocess.run([sys.executable, "-c", FORKS_MEANWHILE], check=True, timeout=60)


ENDS_MEANWHILE = """
import numpy, skinmask, threading
image = numpy.zeros((300, 300, 3), numpy.uint8)
started = threading.Event()
def work():
    while True:
        skinmask.detect(image, adapt="off")
        started.set()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
started.wait()
"""


def test_the_interpreter_ends_while_daemon_threads_detect():
    for _ in range(3):
        subprocess.run([sys.executable, "-c", ENDS_MEANWHILE], check=True, timeout=60)


LITTLE_MEMORY = """
import numpy, resource, skinmask
image = numpy.zeros((6000, 6000, 3), numpy.uint8)
skinmask.detect(image[:50], adapt="off")
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (16 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    skinmask.detect(image, adapt="off")
except MemoryError as error:
    print("told:", error)
"""


def test_too_little_memory_is_a_memory_error():
    command = [sys.executable, "-c", LITTLE_MEMORY]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    assert told.startswith("told: ") and told.count("\n") == 1
