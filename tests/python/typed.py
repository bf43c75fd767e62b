"""What a user writes, for mypy: the hints fit it, and find the mistakes in it."""
from typing import Optional

import numpy
from numpy.typing import NDArray

import skinmask

image: NDArray[numpy.uint8] = skinmask.read_image("a.jpg")
model: skinmask.Model = skinmask.Model.train(
    skinmask.Samples.from_pairs("photos", "masks", step=4), kind="lda", space="YCrCb", max_f1=True
)
mask: NDArray[numpy.uint8] = skinmask.detect(image, model, adapt="off")
p: NDArray[numpy.float64] = model.predict_proba(image.reshape(-1, 3))
f1: Optional[float] = skinmask.evaluate("photos", "masks", model, report="r.html").pooled["f1"]
for frame in skinmask.video("clip.mp4", adapt="faces"):
    where: Optional[skinmask.Region] = frame.region
    when: float = frame.seconds
with skinmask.video("clip.mp4") as clip:
    many: Optional[int] = clip.frames
for file in skinmask.detect_files(["photos"], "masks", each=lambda one: print(one.skin_fraction)):
    failed: str = file.error

skinmask.detect(image, output=1)  # type: ignore[arg-type]
skinmask.set_threads(count="all")  # type: ignore[arg-type]
model.threshold = 0.5  # type: ignore[misc]
frame.masks  # type: ignore[attr-defined]
