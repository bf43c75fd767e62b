#!/usr/bin/python3
"""Times skinmask.detect beside the C++ call, cv2 and scikit-learn, in one run (docs/python.md).

Needs python3-opencv and python3-sklearn, and a build with SKINMASK_BENCHMARKS:
benchmarks/python_module.py build/release
"""
import os
import pathlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

build = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(build / "python"))
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import cv2
import numpy
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import skinmask
from skinmask.sklearn import SkinClassifier

SOURCE = pathlib.Path(__file__).resolve().parents[1]
PHOTO = SOURCE / "samples" / "photos" / "astronaut.png"
SIDE = 1024
ROUNDS = 10
CALLS = 300


def timed(call, calls=CALLS):
    """Seconds of each of some calls, sorted."""
    seconds = []
    for _ in range(calls):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)


def cpp(threads):
    """The least and the middle seconds of DetectMask, by a program of its own."""
    command = [build / "benchmarks" / "detect_mask", PHOTO, str(SIDE), str(SIDE), str(threads)]
    least, middle = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.split()
    return float(least), float(middle)


def beside_cpp(image, threads):
    """In turn, so that what else the machine does meets both."""
    skinmask.set_threads(threads)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        theirs.append(cpp(threads))
        seconds = timed(lambda: skinmask.detect(image, adapt="off"))
        ours.append((seconds[0], seconds[len(seconds) // 2]))
    for i, name in enumerate(("least", "middle")):
        a, b = min(one[i] for one in ours), min(one[i] for one in theirs)
        over = (a - b) * 1e6
        print(
            f"{threads} threads, {name:6}: C++ {b * 1e6:7.1f} us, Python {a * 1e6:7.1f} us: "
            f"{over:+.1f} us, {a / b - 1:+.1%}"
        )


def in_range(image):
    converted = cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)
    return cv2.inRange(converted, (0, 133, 77), (255, 173, 127))


def show(name, seconds, pixels):
    print(f"{name:44} {seconds * 1e3:9.3f} ms {pixels / seconds / 1e6:9.1f} Mpx/s")


def beside_cv2(image):
    """One thread each; the least of rounds in turn."""
    skinmask.set_threads(1)
    cv2.setNumThreads(1)
    out = numpy.empty((SIDE, SIDE), numpy.uint8)
    calls = {
        "cv2 cvtColor + inRange": lambda: in_range(image),
        "skinmask.detect": lambda: skinmask.detect(image, adapt="off"),
        "skinmask.detect, out=": lambda: skinmask.detect(image, adapt="off", out=out),
        "skinmask.detect, rgb=True": lambda: skinmask.detect(image, adapt="off", rgb=True),
        "skinmask.detect, probability, uint8": lambda: skinmask.detect(
            image, adapt="off", output="probability"
        ),
        "skinmask.detect, probability, float32": lambda: skinmask.detect(
            image, adapt="off", output="probability", dtype="float32"
        ),
    }
    least = dict.fromkeys(calls, 1e9)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            least[name] = min(least[name], timed(call, 60)[0])
    for name, seconds in least.items():
        show(name, seconds, SIDE * SIDE)
    first, second = list(least.values())[:2]
    print(f"skinmask.detect has {first / second:.2f} x the rate of cv2's")


def beside_sklearn(image):
    skinmask.set_threads(1)
    samples = skinmask.Samples.read(SOURCE / "samples" / "labelled-pixels.csv")
    pixels, classes, counts = samples.arrays()
    X, y = pixels.repeat(counts.astype(int), axis=0), classes.repeat(counts.astype(int))
    rows = image.reshape(-1, 3)
    floats = rows.astype(float)
    for name, model, data in (
        ("sklearn QuadraticDiscriminantAnalysis.predict", QuadraticDiscriminantAnalysis(), floats),
        ("sklearn GaussianNB.predict", GaussianNB(), floats),
        ("SkinClassifier.predict (in double)", SkinClassifier(), rows),
    ):
        fitted = model.fit(X.astype(data.dtype), y)
        show(name, timed(lambda: fitted.predict(data), 5)[0], len(rows))
    model = fitted.model_
    show("skinmask.Model.predict", timed(lambda: model.predict(rows), 30)[0], len(rows))


def many_threads(image):
    """A picture's time, by the clock and of CPU, from several Python threads on one model."""
    skinmask.set_threads(0)
    count = 3000
    for threads in sorted({1, os.cpu_count(), 16}):
        with ThreadPoolExecutor(threads) as pool:
            start, before = time.perf_counter(), time.process_time()
            list(pool.map(lambda _: skinmask.detect(image, adapt="off")[0, 0], range(count)))
            clock, cpu = time.perf_counter() - start, time.process_time() - before
        name = f"{threads} Python threads, one model"
        print(f"{name:44} {clock / count * 1e3:9.3f} ms, of CPU {cpu / count * 1e3:.3f} ms")


photo = cv2.resize(skinmask.read_image(PHOTO), (SIDE, SIDE))
print(
    f"skinmask {skinmask.__version__}, cv2 {cv2.__version__}, {SIDE} x {SIDE} pixels, adapt='off'"
)
for threads in sorted({1, os.cpu_count()}):
    beside_cpp(photo, threads)
beside_cv2(photo)
beside_sklearn(photo)
many_threads(photo)
