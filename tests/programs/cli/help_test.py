#!/usr/bin/env python3
"""Holds the help to its golden files, and docs/cli.md to the help: help_test.py PROGRAM SOURCE [--renew].

The help of each verb is tests/fixtures/help/VERB.txt; --renew writes them. In docs/cli.md every flag of a verb stands in
the verb's own section, in 'Manners', or (for verbs that read masks) in 'Reading masks', and no section names a flag
that its verb has not got. On a terminal the same words stand in lines of its width.
"""
import difflib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading

PROGRAM, SOURCE = sys.argv[1:3]
RENEW = sys.argv[3:] == ['--renew']
COLUMNS = 100
FIXTURES = os.path.join(SOURCE, 'tests/fixtures/help')
problems = []


def help_of(*words):
    return subprocess.run([PROGRAM, *words, '--help'], capture_output=True, text=True, check=True).stdout


def help_on_terminal(columns, *words, **variables):
    """Of a terminal that is so wide, with more variables in the environment."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != 'COLUMNS'}
    child = subprocess.Popen([PROGRAM, *words, '--help'], stdout=its, env={**environment, **variables})

    # What says that all is read: what a terminal still holds when its last writer closes it may be lost.
    def end():
        child.wait()
        os.write(its, b'\0')

    waiting = threading.Thread(target=end)
    waiting.start()
    text = b''
    while not text.endswith(b'\0'):
        text += os.read(ours, 1 << 16)
    waiting.join()
    os.close(its)
    os.close(ours)
    if child.returncode != 0:
        problems.append(f'{" ".join(words)} --help: status {child.returncode} on a terminal of {columns} columns')
    return text.rstrip(b'\0').decode().replace('\r\n', '\n')


def flags(text):
    return set(re.findall(r'(?<![\w-])(?:--[a-z][a-z0-9-]*|-[a-z](?![\w-]))', text))


main = help_of()
verbs = re.findall(r'^  ([a-z]+) ', main[main.index('Verbs:'):main.index('Examples:')], re.M)
helps = {verb: help_of(verb) for verb in verbs}

for name, text in {'skinmask': main, **helps}.items():
    golden = os.path.join(FIXTURES, name + '.txt')
    if RENEW:
        os.makedirs(FIXTURES, exist_ok=True)
        open(golden, 'w').write(text)
    wanted = open(golden).read() if os.path.exists(golden) else ''
    if text != wanted:
        diff = difflib.unified_diff(wanted.splitlines(), text.splitlines(), os.path.relpath(golden, SOURCE),
                                    f'skinmask {name} --help', lineterm='')
        problems.append('\n'.join(diff) + '\nIf this is meant: python3 tests/programs/cli/help_test.py '
                        'build/dev/skinmask . --renew')
    problems += [f'{name} --help: more than {COLUMNS} columns: {line}' for line in text.splitlines()
                 if len(line) > COLUMNS]

# Examples are not broken, nor is what is longer than the column of options.
for name, text in {'': main, **helps}.items():
    for columns, variables in ((60, {}), (79, {}), (200, {}), (200, {'COLUMNS': '66'})):
        told = help_on_terminal(columns, *name.split(), **variables)
        width = min(int(variables.get('COLUMNS', columns)), COLUMNS)
        # A list of values may go on, on the next line, after a bar.
        if re.sub(r'\|\s+', '|', told).split() != text.split():
            problems.append(f'{name} --help: other words on a terminal of {columns} columns')
        problems += [f'{name} --help: more than {width} columns on such a terminal: {line}'
                     for line in told.partition('Examples:')[0].splitlines() if len(line) > width]
        if columns == 200 and not variables and told != text:
            problems.append(f'{name} --help: lines of more than {COLUMNS} columns on a wide terminal')

sections = {}
for part in re.split(r'^## ', open(os.path.join(SOURCE, 'docs/cli.md')).read(), flags=re.M):
    heading, _, body = part.partition('\n')
    sections[heading.strip()] = body
common = flags(sections['Manners']) | flags(main)
reading = sections['Reading masks']
readers = re.findall(r'`(\w+)`', reading.splitlines()[1])
for verb in verbs:
    if verb not in sections:
        problems.append(f'docs/cli.md: lacks a section ## {verb}')
        continue
    has = flags(helps[verb].split('Examples:')[0])
    own = flags(sections[verb])
    # What the table of 'Reading masks' says; its examples are of whole commands.
    shared = flags('\n'.join(line for line in reading.splitlines() if line.startswith('|'))) if verb in readers else set()
    for flag in sorted(has - own - common - shared):
        problems.append(f'docs/cli.md: section {verb} lacks {flag}')
    for flag in sorted((own | shared) - has - common):
        problems.append(f'docs/cli.md: section {verb} has {flag}, which `skinmask {verb} --help` has not')
for flag in sorted(common - flags(main).union(*map(flags, helps.values()))):
    problems.append(f'docs/cli.md: Manners has {flag}, which no verb has')

print('\n'.join(problems) or f'the help of {len(verbs)} verbs is as it was, and as docs/cli.md has it')
sys.exit(1 if problems else 0)
