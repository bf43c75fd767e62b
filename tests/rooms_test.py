#!/usr/bin/env python3
"""Holds every #include to the link lines of the rooms, and the names of files to one meaning each.

usage: rooms_test.py SOURCE ROOMS      ROOMS: what cmake wrote of the link lines ('model: base data')
"""
import collections
import os
import re
import sys

source, rooms_file = sys.argv[1:]
links = {}
for line in open(rooms_file):
    name, line = line.split(':')
    links[name] = line.split()
order = list(links)
CORE = {'base', 'data', 'model', 'learn'}
UMBRELLAS = {'core.h': CORE, 'skinmask.h': set(links)}
problems = []


def files(folder):
    for path, _, names in os.walk(os.path.join(source, folder)):
        for name in names:
            if re.search(r'\.(h|cc|h\.in)$', name):
                yield os.path.relpath(os.path.join(path, name), source)


def includes(file):
    return re.findall(r'^\s*#\s*include\s*([<"][^>"]+)[>"]', open(os.path.join(source, file)).read(), re.M)


HIDDEN = re.compile(r'^namespace skinmask \{', re.M)


def is_hidden(header):
    """True for functions that the shared library of the core keeps to itself."""
    path = os.path.join(source, 'src', header)
    return os.path.exists(path[:-2] + '.cc') and os.path.exists(path) and HIDDEN.search(open(path).read())


# Arrows look one way: a room links only rooms that were named before it.
for i, room in enumerate(order):
    for other in links[room]:
        if other not in order[:i]:
            problems.append(f'src/{room}/CMakeLists.txt: links {other}, which is no room below it')

used = collections.defaultdict(set)
for folder in ('include/skinmask', 'src'):
    for file in files(folder):
        parts = os.path.relpath(file, folder).split('/')
        if len(parts) == 1:
            if parts[0] not in UMBRELLAS:
                problems.append(f'{file}: belongs into a room')
            continue
        room = parts[0]
        if room != 'programs' and room not in links:
            problems.append(f'{file}: {room} is no room')
            continue
        text = open(os.path.join(source, file)).read()
        if folder.startswith('include') and HIDDEN.search(text):
            problems.append(f'{file}: opens its namespace without [[gnu::visibility("default")]], '
                            'so a shared library hides it')
        for include in includes(file):
            kind, name = include[0], include[1:]
            if kind == '"' and room not in CORE and name.split('/')[0] in CORE and is_hidden(name):
                problems.append(f'{file}: src/{name} opens its namespace without '
                                '[[gnu::visibility("default")]], so the shared core hides it')
            if kind == '<':
                opencv = name.startswith('opencv2/')
                if opencv and room in CORE and file != 'src/data/color.cc':
                    problems.append(f'{file}: includes {name}, but the core knows OpenCV in src/data/color.cc alone')
                continue
            if name.startswith('hwy/'):
                continue
            target = re.sub(r'^skinmask/', '', name).split('/')[0]
            where = ('include/' if name.startswith('skinmask/') else 'src/') + name
            generated = name == 'skinmask/base/version.h'
            if not generated and not os.path.exists(os.path.join(source, where)):
                problems.append(f'{file}: "{name}" is no path from src/ or include/')
            elif target != room and room != 'programs' and target not in links[room]:
                problems.append(f'{file}: includes {name}, but {room} does not link {target} '
                                f'(it links {" ".join(links[room]) or "none"})')
            if folder == 'include/skinmask' and not name.startswith('skinmask/'):
                problems.append(f'{file}: a public header includes {name}, which is not installed')
            used[room].add(target)
for room in links:
    for other in links[room]:
        if other not in used[room]:
            problems.append(f'src/{room}/CMakeLists.txt: links {other}, of which it includes nothing')

# One include gives a user all of it.
for umbrella, rooms in UMBRELLAS.items():
    text = open(os.path.join(source, 'include/skinmask', umbrella)).read()
    if umbrella != 'core.h':
        text += open(os.path.join(source, 'include/skinmask/core.h')).read()
    for room in rooms:
        for file in files(f'include/skinmask/{room}'):
            name = re.sub(r'^include/|\.in$', '', file)
            if f'#include "{name}"' not in text:
                problems.append(f'include/skinmask/{umbrella}: lacks {name}')

# A name means one thing: x.h and x.cc are the same, in one room; nothing else is called x.
rooms_of = collections.defaultdict(set)
for folder in ('include/skinmask', 'src'):
    for file in files(folder):
        parts = os.path.relpath(file, folder).split('/')
        if len(parts) > 1:
            base = re.sub(r'(-inl)?\.(h|cc|h\.in)$', '', parts[-1])
            place = '/'.join(parts[:2] if parts[0] == 'programs' else parts[:1])
            rooms_of[base].add(place)
for base, rooms in rooms_of.items():
    if len(rooms) > 1:
        problems.append(f'{base}: is the name of files in {" and ".join(sorted(rooms))}')

print('\n'.join(sorted(problems)) or f'{len(order)} rooms; every include is on a link line')
sys.exit(1 if problems else 0)
