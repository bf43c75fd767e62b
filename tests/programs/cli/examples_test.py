#!/usr/bin/env python3
"""Runs every example of the help as a user would in the checkout: examples_test.py PROGRAM SOURCE.

Those of a verb run one after the other, in a folder of their own that has the checkout's samples and models. Each must end with
status 0, and must leave the file or folder that it names. Those of `live` need a camera and are left out.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = map(os.path.abspath, sys.argv[1:3])
OUTPUTS = {'-o', '--json', '--report', '--picture', '--write', '--partial'}
problems = []
count = 0


def help_of(*words):
    return subprocess.run([PROGRAM, *words, '--help'], capture_output=True, text=True, check=True).stdout


def examples_of(text):
    return [line.strip() for line in text[text.index('Examples:'):].splitlines()[1:] if line.strip()]


def run(example, folder):
    words = shlex.split(example)
    if words[0] not in ('skinmask', 'tar'):
        return [f'{example}: is not of skinmask']
    program = PROGRAM if words[0] == 'skinmask' else words[0]
    done = subprocess.run([program, *words[1:]], cwd=folder, capture_output=True, text=True)
    found = [f'{example}: status {done.returncode}: {done.stderr}'] if done.returncode else []
    return found + [f'{example}: leaves no {file}' for option, file in zip(words, words[1:])
                    if option in OUTPUTS and not file.startswith('-') and not os.path.exists(os.path.join(folder, file))]


main = help_of()
verbs = re.findall(r'^  ([a-z]+) ', main[main.index('Verbs:'):main.index('Examples:')], re.M)
for text in [main, *(help_of(verb) for verb in verbs if verb != 'live')]:
    with tempfile.TemporaryDirectory() as folder:
        for name in ('samples', 'models'):
            os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))
        for example in examples_of(text):
            problems += run(example, folder)
            count += 1

print('\n'.join(problems) or f'{count} examples do what they say')
sys.exit(1 if problems else 0)
