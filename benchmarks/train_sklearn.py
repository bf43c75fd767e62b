#!/usr/bin/python3
"""Loads the UCI Skin Segmentation file and fits QDA with scikit-learn: what `skinmask train` is timed beside.

Needs python3-sklearn: benchmarks/train_sklearn.py Skin_NonSkin.txt
"""
import sys
import time

start = time.perf_counter()
import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

imported = time.perf_counter()
rows = np.loadtxt(sys.argv[1], dtype=np.uint8)
QuadraticDiscriminantAnalysis().fit(rows[:, :3].astype(float), rows[:, 3])
end = time.perf_counter()
print(f"load and fit {end - imported:.3f} s, with imports {end - start:.3f} s")
