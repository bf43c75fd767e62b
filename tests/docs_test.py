#!/usr/bin/env python3
"""Holds the documents to the repository: rooms, paths, names, links, headings and flags.

usage: docs_test.py SOURCE ROOMS      ROOMS: what cmake wrote of the link lines ('model: base data')
"""
import functools
import os
import re
import sys
from urllib.parse import unquote

source, rooms_file = sys.argv[1:]
problems = []


def read(file):
    return open(os.path.join(source, file), encoding='utf-8').read()


def exists(path):
    return os.path.exists(os.path.join(source, path))


def files(folder, pattern):
    for path, folders, names in os.walk(os.path.join(source, folder)):
        folders[:] = sorted(f for f in folders if f not in ('build', 'corpus') and not f.startswith('.'))
        for name in sorted(names):
            if re.search(pattern, name):
                yield os.path.relpath(os.path.join(path, name), source)


def without_blocks(text):
    """Indented and fenced blocks are commands and files, not prose."""
    text = re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)
    return re.sub(r'(?:(?<=\n\n)|\A)(?: {4}.*\n|\n(?= {4}))+', '\n', text)


@functools.cache
def headings(text):
    return re.findall(r'^#+ +(.*?) *#*$', re.sub(r'^```.*?^```', '', text, flags=re.M | re.S), re.M)


@functools.cache
def anchors(text):
    """As GitHub makes them of headings; the second of one name gets -1."""
    found = []
    for heading in headings(text):
        heading = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading).lower()
        slug = re.sub(r'[^\w\- ]', '', heading).replace(' ', '-')
        twice = sum(re.sub(r'-\d+$', '', other) == slug for other in found)
        found.append(f'{slug}-{twice}' if twice else slug)
    return found


documents = {file: read(file) for file in files('.', r'\.md$')}
code = {file: read(file) for folder in ('src', 'include', 'bindings') for file in files(folder, r'\.(h|cc|h\.in)$')}
others = {file: read(file) for folder in ('tests', 'benchmarks', 'cmake', 'scripts') for file in files(folder, r'')
          if not re.search(r'\.(png|jpg|json|pyc|heic|avif|jxl|gif)$', file)}

# The rooms of the page are those of the build, with the links that they have.
ARCHITECTURE = 'docs/architecture.md'
page = documents[ARCHITECTURE]
built = dict(line.rstrip('\n').split(':') for line in open(rooms_file))
told = dict(re.findall(r'^\| `(\w+)` \| ([^|]*) \|', page, re.M))
diagram = re.search(r'(?:^ {4}.*\n)+', page, re.M).group()
if list(told) != [*built, 'programs']:
    problems.append(f'{ARCHITECTURE}: has the rooms {" ".join(told)}; the build has {" ".join(built)} and programs')
for room, links in built.items():
    if room in told and told[room].split() != (links.split() or ['none']):
        problems.append(f'{ARCHITECTURE}: {room} links {told[room]}; in the build it links {links.strip() or "none"}')
for room in told:
    if not re.search(rf'\b{room}\b', diagram):
        problems.append(f'{ARCHITECTURE}: its diagram lacks {room}')

# Paths that the page names are there, as they stand or below src/ or include/; so are names of the code.
words = set(re.findall(r'\w+', ' '.join(code.values())))
for name in re.findall(r'`([^`\n]+)`', page):
    if 'NAME' in name:  # to be filled in
        continue
    if re.fullmatch(r'[\w.-]+(/[\w.-]+)*/?', name) and ('/' in name or re.search(r'\.(h|cc|md|txt|py)$', name)):
        if not any(exists(root + name) for root in ('', 'src/', 'include/')):
            problems.append(f'{ARCHITECTURE}: {name} is not there')
    elif re.fullmatch(r'(\w+::)*k?[A-Z]\w*', name):
        for word in name.split('::'):
            if word not in words:
                problems.append(f'{ARCHITECTURE}: {name}: the code has no {word}')

# What other documents say of files. (The change log tells of files that were.)
for file, text in documents.items():
    folders = r'`((?:src|include|tests|scripts|docs|models|samples|benchmarks|cmake)/[\w./-]+)`'
    for path in re.findall(folders, text) if file != 'CHANGELOG.md' else []:
        if not exists(path):
            problems.append(f'{file}: {path} is not there')

# Links lead somewhere.
linked = set()
for file, text in documents.items():
    for target in re.findall(r'\]\(([^)\s]+)\)', re.sub(r'`[^`\n]*`', '', without_blocks(text))):
        if re.match(r'\w+:', target):
            continue
        path, _, anchor = unquote(target).partition('#')
        path = os.path.normpath(os.path.join(os.path.dirname(file), path)) if path else file
        if file == 'README.md':
            linked.add(path)
        if not exists(path):
            problems.append(f'{file}: links {target}, which is not there')
        elif anchor and anchor not in anchors(documents.get(path, '')):
            problems.append(f'{file}: links {target}, but {path} has no such heading')
for file in files('docs', r'\.md$'):
    if not linked & {file, os.path.dirname(file) if os.path.dirname(file) != 'docs' else file}:
        problems.append(f'README.md: does not link {file}')

# Documents and headings that comments name, which may go on over lines: (docs/math.md, 'Estimates').
for file, text in {**code, **others}.items():
    text = re.sub(r'\n\s*(?://|#)\s*', ' ', text)
    for path in re.findall(r'(?<![\w/.])((?:docs|models|samples)/[\w./-]+\.(?:md|jpg))', text):
        if not exists(path):
            problems.append(f'{file}: names {path}, which is not there')
    for path, heading in re.findall(r"(docs/[\w/-]+\.md), '([^']+)'", text):
        if heading not in headings(documents.get(path, '')):
            problems.append(f"{file}: names {path}, '{heading}', which has no such heading")

# Flags that these two show are in cli.md, which is held to the help of the program; but for those of other programs.
for file in ('README.md', 'docs/guide.md'):
    ours = re.sub(r'.*\b(?:cmake|pkg-config) --.*', '', documents[file])
    for flag in sorted(set(re.findall(r'(?<![\w-])--[a-z][\w-]+', ours))):
        if not re.search(re.escape(flag) + r'(?![\w-])', documents['docs/cli.md']):
            problems.append(f'{file}: shows {flag}, which docs/cli.md has not')

print('\n'.join(problems) or f'{len(documents)} documents; their rooms, paths, links and headings are there')
sys.exit(1 if problems else 0)
