#!/usr/bin/python3
"""Prints the numbers in fit_test.cc: Ledoit and Wolf's shrinkage on standardised features.

Needs python3-sklearn. The data are those of the test: x_i = (7 i mod 64, 7 i mod 64 + 3 i mod 8, 5 i mod 32).
"""
import numpy as np
from sklearn.covariance import ledoit_wolf
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

def data(n):
    i = np.arange(n)
    return np.stack([7 * i % 64, 7 * i % 64 + 3 * i % 8, 5 * i % 32], 1).astype(float)

for n in (12, 40):
    x = data(n)
    z = (x - x.mean(0)) / x.std(0)
    print(n, repr(ledoit_wolf(z)[1]))
x = np.concatenate([data(12), data(40) + [20, 5, 40]])
y = np.repeat([0, 1], [12, 40])
lda = LinearDiscriminantAnalysis(solver='lsqr', shrinkage='auto', store_covariance=True).fit(x, y)
print(repr(lda.covariance_))
