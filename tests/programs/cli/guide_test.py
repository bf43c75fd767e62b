"""What docs/guide.md shows of `evaluate` is what it prints: guide_test.py PROGRAM SOURCE"""
import re
import subprocess
import sys

program, source = sys.argv[1:]
guide = open(f'{source}/docs/guide.md').read()


def printed(*options):
    command = [program, 'evaluate', '--images', 'samples/photos', '--truth', 'samples/masks', *options]
    return subprocess.run(command, cwd=source, check=True, capture_output=True, text=True).stdout


problems = []
shown = re.search(r'\n {4,}truly skin.*?\n    …', guide, re.S).group().split('\n')[1:-1]
text = printed().split('\n')
if missing := [line for line in shown if line.removeprefix('    ').rstrip() not in (t.rstrip() for t in text)]:
    problems.append('docs/guide.md shows what evaluate does not print:\n' + '\n'.join(missing))

rules = re.findall(r'\| `(--[^`]+)` \| threshold ([\d.]+): precision ([\d.]+), recall ([\d.]+) \|', guide)
for option, *numbers in rules:
    text = printed(*option.split())
    now = [f'{float(re.search(rf"^{name} +([0-9.]+)", text, re.M).group(1)):.3f}' for name in ('threshold', 'precision', 'recall')]
    if now != numbers:
        problems.append(f'docs/guide.md: {option} gives {now}, not {numbers}')
if len(rules) != 4:
    problems.append(f'docs/guide.md: has {len(rules)} rules for a threshold, and not 4')
print('\n'.join(problems))
sys.exit(bool(problems))
