#!/usr/bin/env python3
"""Runs docs/teaching.md as a reader would, and holds its output to the page: teaching_test.py PROGRAM SOURCE.

Commands run one after the other in a folder that has the checkout's samples. Each must end with status 0 and leave the
files that it names; the lines below a command must be among what it prints, in their order. Every picture of the table
of figures is made. Of every model that is drawn, the positive class's mean lies in its own region, by the model file's
own parameters.
"""
import itertools
import json
import math
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = map(os.path.abspath, sys.argv[1:3])
OUTPUTS = {'-o', '--bayes', '--report', '--picture'}
problems = []


def blocks(text):
    """Commands with the lines below them."""
    found = []
    for line in re.findall(r'^    (.*)$', text, re.M):
        if line.startswith('skinmask '):
            found.append((line, []))
        else:
            found[-1][1].append(' '.join(line.split()))
    return found


def run(command, wanted, folder):
    words = shlex.split(command)
    done = subprocess.run([PROGRAM, *words[1:]], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return [f'{command}: status {done.returncode}: {done.stderr}']
    printed = [' '.join(line.split()) for line in (done.stdout + done.stderr).splitlines()]
    found = []
    for line in wanted:
        if line not in printed:
            found.append(f'{command}: does not print "{line}"')
        else:
            printed = printed[printed.index(line) + 1:]
    files = [file for option, file in zip(words, words[1:]) if option in OUTPUTS]
    return found + [f'{command}: leaves no {file}' for file in files if not os.path.getsize(os.path.join(folder, file))]


def discriminant(prior, mean, covariance, at):
    """log(prior) + the log-density without what all classes share, by Gaussian elimination."""
    size = len(mean)
    rows = [list(row) + [x - m] for row, x, m in zip(covariance, at, mean)]
    log_determinant = 0
    for i in range(size):
        log_determinant += math.log(rows[i][i])
        for j in range(i + 1, size):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i])]
    solution = [0] * size
    for i in reversed(range(size)):
        solution[i] = (rows[i][size] - sum(rows[i][j] * solution[j] for j in range(i + 1, size))) / rows[i][i]
    square = sum((x - m) * s for x, m, s in zip(at, mean, solution))
    return math.log(prior) - log_determinant / 2 - square / 2


def check_mean(file):
    """Of models of one Gaussian a class: of all channels, as in a cut through the mean, and of each pair, as where the third
    is integrated out."""
    model = json.load(open(file))
    if model.get('kind') not in ('qda', 'lda', 'gaussian-nb'):
        return []
    parameters, positive = model['parameters'], model['positive']
    size = len(parameters['classes'][0]['mean'])
    found = []
    for seen in [range(size), *(itertools.combinations(range(3), 2) if size == 3 else ())]:
        value = {}
        at = next(c['mean'] for c in parameters['classes'] if c['class'] == positive)
        for c in parameters['classes']:
            covariance = c.get('covariance', parameters.get('covariance'))
            value[c['class']] = discriminant(c['prior'], [c['mean'][i] for i in seen],
                                             [[covariance[i][j] for j in seen] for i in seen], [at[i] for i in seen])
        if max(value, key=value.get) != positive:
            found.append(f"{file}: by channels {list(seen)} the mean of {positive} lies in another class's region")
    return found


def size_of(png):
    with open(png, 'rb') as file:
        start = file.read(24)
    return struct.unpack('>II', start[16:24]) if start.startswith(b'\x89PNG') else (0, 0)


page = open(os.path.join(SOURCE, 'docs/teaching.md'), encoding='utf-8').read()
commands = blocks(page)
with tempfile.TemporaryDirectory() as folder:
    os.symlink(os.path.join(SOURCE, 'samples'), os.path.join(folder, 'samples'))
    for command, wanted in commands:
        problems += run(command, wanted, folder)
    figures = re.findall(r'`([a-z]+\.(?:png|html))`', page[:page.index('## ')])
    for figure in figures:
        path = os.path.join(folder, figure)
        if not os.path.exists(path):
            problems.append(f'{figure}: no command makes it')
        elif figure.endswith('.png') and min(size_of(path)) < 400:
            problems.append(f'{figure}: is no picture')
    for name in sorted(os.listdir(folder)):
        if name.endswith('.json'):
            problems += check_mean(os.path.join(folder, name))

print('\n'.join(problems) or f'{len(commands)} commands do what the page says')
sys.exit(1 if problems or len(figures) < 9 else 0)
