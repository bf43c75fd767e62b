#!/usr/bin/env python3
"""Finds functions that the programs, the bindings or the other library use, but that a shared library would hide.

usage: exports_test.py BUILD ROOMS      ROOMS: as of rooms_test.py. Static builds link such functions, and packages do not.
"""
import glob
import re
import subprocess
import sys

build, rooms_file = sys.argv[1:]
CORE = {'base', 'data', 'model', 'learn'}
rooms = [line.split(':')[0] for line in open(rooms_file)]


def symbols(files):
    """The names that the files lack, and those that they define and hide."""
    text = subprocess.run(['readelf', '-sW', *files], capture_output=True, text=True, check=True).stdout
    found = [line.split() for line in text.splitlines() if re.search(r' (GLOBAL|WEAK) ', line)]
    return {s[-1] for s in found if s[6] == 'UND'}, {s[-1] for s in found if s[6] != 'UND' and s[5] == 'HIDDEN'}


def archives(names):
    return [f'{build}/src/{room}/libskinmask_{room}.a' for room in names]


core = archives(room for room in rooms if room in CORE)
others = archives(room for room in rooms if room not in CORE)
users = [file for folder in ('src/programs', 'bindings') for file in glob.glob(f'{build}/{folder}/**/*.o', recursive=True)]
if not users:
    sys.exit(f'{build}: has no objects of programs')
of_core, of_others, of_users = symbols(core), symbols(others), symbols(users)
lost = (of_others[0] & of_core[1]) | (of_users[0] & (of_core[1] | of_others[1]))
shown = subprocess.run(['c++filt'], input='\n'.join(sorted(lost)), capture_output=True, text=True, check=True).stdout
print(shown + ('\n\nare used from outside of their library (open their namespace with [[gnu::visibility("default")]])' if lost
               else f'{len(of_core[1] | of_others[1])} functions are hidden, and none of them is used from outside'))
sys.exit(1 if lost else 0)
