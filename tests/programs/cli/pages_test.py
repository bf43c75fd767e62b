#!/usr/bin/env python3
"""Holds man pages and completions to the flags: pages_test.py PROGRAM BUILD.

The oracle is `skinmask VERB --help`: every flag of every verb, with the name of its value, is in the verb's page, as groff
shows it without a warning, and is offered by each shell; so are the words that a value may be, and files. bash and fish run
their completion; of zsh, whose completion needs a terminal, the specifications are taken that it would use. Where groff, zsh
or fish is missing, its part is left out, the last line says so, and the status is 77 (CTest: skipped).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, BUILD = map(os.path.abspath, sys.argv[1:3])
FLAG = r'(?<![\w-])(?:--[a-z][a-z0-9-]*|-[a-zA-Z](?![\w-]))'
FILES = ('a.json', 'b.csv', 'c.tar', 'd.png', 'e f.html', 'g.onnx')
problems = []


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=True, **options).stdout


def made(name):
    return os.path.join(BUILD, name)


def options_of(text):
    """What the help says: flags -> the name of their value, '' of those without one."""
    lines = re.findall(r'^  (-\S+)(?: (\S+))?.*$', text.split('Examples:')[0], re.M)
    found = {}
    for (names, value), line in zip(lines, re.findall(r'^  -.*$', text, re.M)):
        glued = re.match(r'  \S+ \S', line)
        for name in names.split(','):
            found[name] = value if glued and value != 'REQUIRED' else ''
    return found


def words_of(value):
    """The words among the parts of a value's name: those without capitals."""
    return {part for part in value.strip('[]').split('|') if part and part == part.lower()}


def files_of(value):
    """The files of FILES that such a value may be; absent: no files."""
    wanted, any_file = set(), False
    for part in value.strip('[]').split('|'):
        if part in ('FILE', 'INPUT', 'SOURCE'):
            any_file = True
        elif part in ('MODEL', 'PART') or part.startswith('FILE.'):
            extension = part[4:] if part.startswith('FILE.') else '.json'
            wanted |= {file for file in FILES if file.endswith(extension)}
    return set(FILES) if any_file else wanted


def check(where, wanted, offered, exactly=False):
    problems.extend(f'{where}: lacks {item}' for item in sorted(wanted - offered))
    if exactly:
        problems.extend(f'{where}: has {item}, which the help has not' for item in sorted(offered - wanted))


def check_pages(helps):
    for verb, text in helps.items():
        page = made(f'man/skinmask-{verb}.1' if verb else 'man/skinmask.1')
        done = subprocess.run(['groff', '-man', '-ww', '-Tascii', '-rLL=160n', '-P-cbou', page], capture_output=True,
                              text=True)
        if done.stderr or done.returncode:
            problems.append(f'{page}: {done.stderr}')
        name = f'skinmask-{verb}' if verb else 'skinmask'
        for heading in ('NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXAMPLES', 'EXIT STATUS', 'SEE ALSO'):
            if not re.search(rf'^{heading}$', done.stdout, re.M):
                problems.append(f'{page}: lacks the section {heading}')
        if not re.search(rf'^ +{name} - \w', done.stdout, re.M):
            problems.append(f'{page}: its name is not {name}')
        shown = re.sub(r'\s+', ' ', done.stdout)
        for flag, value in options_of(text).items():
            if not re.search(rf' {re.escape(flag)}(, --\w+)?{re.escape(" " + value if value else "")} ', shown):
                problems.append(f'{page}: lacks {flag} {value}')
        for example in re.findall(r'^  (\S.*)$', text.split('Examples:')[1], re.M):
            if example not in done.stdout:
                problems.append(f'{page}: lacks the example {example}')
        # What the options mean, word for word.
        for said in re.findall(r'^ {30}(\w.*)$', text, re.M):
            if re.sub('[`]', '', said) not in shown:
                problems.append(f'{page}: lacks "{said}"')


def bash(lines, folder):
    """What bash offers for the last word of each command line."""
    script = f"source '{made('completions/skinmask')}'\n"
    for line in lines:
        words = [part for part in re.split(r'(=)| ', line) if part is not None and part != '']
        if line.endswith(' '):
            words.append('')
        quoted = ' '.join(f"'{word}'" for word in words)
        script += (f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; COMPREPLY=()\n"
                   f"_skinmask skinmask '{words[-1]}' '{words[-2]}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\" ==\n")
    answers = re.split(r'^==\n', run('bash', '--norc', '-c', script, cwd=folder), flags=re.M)[:-1]
    return [set(filter(None, answer.splitlines())) for answer in answers]


def fish(lines, folder):
    script = f"source '{made('completions/skinmask.fish')}'\n"
    for line in lines:
        script += f"complete -C '{line}'\necho ==\n"
    answers = re.split(r'^==\n', run('fish', '--no-config', '-c', script, cwd=folder), flags=re.M)[:-1]
    return [{re.sub(r'\\', '', item.split('\t')[0]) for item in answer.splitlines()} for answer in answers]


def check_shell(name, shell, helps):
    """By what the shell offers, all in one run: it takes long to start."""
    with tempfile.TemporaryDirectory() as folder:
        for file in FILES:
            open(os.path.join(folder, file), 'w').close()
        os.mkdir(os.path.join(folder, 'sub'))
        asked = {'skinmask ': set(helps) - {''}}
        exact = set()
        for verb, text in helps.items():
            options = options_of(text)
            start = f'skinmask {verb} ' if verb else 'skinmask '
            asked[start + '-'] = {flag for flag in options if flag != '-o' and not flag.startswith('--')}
            asked[start + '--'] = {flag for flag in options if flag.startswith('--')}
            exact.add(start + '--')
            for flag, value in options.items():
                if value and not value.startswith('['):
                    asked[f'{start}{flag} '] = words_of(value) | files_of(value) | ({'sub/'} if 'DIR' in value else set())
        asked['skinmask detect '] = set(FILES) | {'sub/'}
        asked['skinmask live '] = set(FILES)
        asked['skinmask calibrate '] = asked['skinmask show '] = {'a.json', 'sub/'}
        asked['skinmask detect --model=a'] = {'a.json'} if name == 'bash' else {'--model=a.json'}
        asked['skinmask detect --model='] = ({'a.json', 'sub/'} if name == 'bash' else
                                             {'--model=a.json', '--model=sub/'})
        asked['skinmask train --samples b.csv '] = set(FILES)
        asked['skinmask detect --output mask,un'] = {'mask,uncertainty'}
        asked['skinmask detect --output mask,'] = {
            'mask,' + word for word in ('probability', 'overlay', 'cutout', 'classes', 'uncertainty', 'heatmap')}
        asked['skinmask compare --kinds qda,l'] = {'qda,lda', 'qda,logistic'}
        asked['skinmask train --kind '] = {'qda', 'lda', 'gaussian-nb', 'mixture', 'logistic', 'histogram-nb', 'histogram'}
        asked['skinmask train --space '] = set('BGR YCrCb YUV YIQ YCgCo opponent I1I2I3 rg HSV Lab Luv'.split())
        asked['skinmask help '] = set(helps) - {''}
        for (line, wanted), offered in zip(asked.items(), shell(list(asked), folder), strict=True):
            if name == 'bash':
                offered |= {item + '/' for item in offered if item == 'sub'}
            check(f'{name}: {line}', wanted, offered)
            if name == 'bash' and line.endswith(','):  # and none of those that the list has already
                check(f'bash: {line}', wanted, offered, True)
            if line in exact:
                check(f'{name}: {line}', wanted, {item for item in offered if item.startswith('--')}, True)
            for file in FILES:  # none of another kind
                if file in offered and file not in wanted and not line.endswith(('--', '-')):
                    problems.append(f'{name}: {line}: offers {file}')


def check_zsh(helps):
    script = made('completions/_skinmask')
    run('zsh', '-n', script)
    for verb, text in helps.items():
        # The functions of the completion system that print what they are given.
        stub = (f"_arguments() {{ print -rl -- \"$@\" }}; _describe() {{ }}; words=(skinmask '{verb}' ''); "
                f"CURRENT={3 if verb else 2}; source '{script}'\n")
        specs = run('zsh', '-fc', stub).splitlines()
        given = {}
        for spec in specs:
            match = re.match(rf'(?:\*|\([^)]*\))?({FLAG})([=+]?)\[((?:\\.|[^\]\\])*)\](?::{{1,2}}((?:\\.|[^:\\])*):(.*))?$', spec)
            if match:
                given[match[1]] = (match[2], re.sub(r'\\(.)', r'\1', match[4] or ''), match[5] or '')
        options = options_of(text)
        check(f'zsh: {verb}', set(options), set(given), True)
        for flag, value in options.items():
            takes, named, action = given.get(flag, ('', '', ''))
            if bool(value) != bool(takes) or named != value:
                problems.append(f'zsh: {verb} {flag}: takes {named}, and {value} by the help')
            check(f'zsh: {verb} {flag}', words_of(value), set(re.split(r'[ (){};]+', action)))
            if files_of(value) and '_files' not in action:
                problems.append(f'zsh: {verb} {flag}: offers no files')


def check_problems():
    done = subprocess.run([PROGRAM, 'help', '--as', 'bsh'], capture_output=True, text=True)
    if done.returncode != 2 or 'did you mean bash?' not in done.stderr or done.stderr.count('\n') != 1:
        problems.append(f'help --as bsh: status {done.returncode}: {done.stderr}')
    with tempfile.TemporaryDirectory() as folder:  # where there is no skinmask-live
        alone = os.path.join(folder, 'skinmask')
        shutil.copy2(PROGRAM, alone)
        done = subprocess.run([alone, 'help', '--as', 'bash'], capture_output=True, text=True)
        if done.returncode or '_skinmask_show()' not in done.stdout or '_skinmask_live()' in done.stdout:
            problems.append(f'help --as bash, without skinmask-live: status {done.returncode}: {done.stderr}')
        if not re.fullmatch(r'skinmask: skinmask-live: cannot be started .*\n', done.stderr):
            problems.append(f'help --as bash, without skinmask-live: {done.stderr}')


def main():
    text = run(PROGRAM, '--help')
    verbs = re.findall(r'^  ([a-z]+) ', text[text.index('Verbs:'):text.index('Examples:')], re.M)
    helps = {'': text, **{verb: run(PROGRAM, verb, '--help') for verb in verbs}}
    parts = {'groff': check_pages, 'bash': lambda h: check_shell('bash', bash, h), 'zsh': check_zsh,
             'fish': lambda h: check_shell('fish', fish, h)}
    missing = [name for name in parts if not shutil.which(name)]
    for name, part in parts.items():
        if name not in missing:
            part(helps)
    check_problems()
    print('\n'.join(problems) or f'{sum(len(options_of(h)) for h in helps.values())} flags are in pages and completions')
    if missing:
        print('left out: ' + ', '.join(missing) + ', which is not here (scripts/packages-test)')
    sys.exit(1 if problems else 77 if missing else 0)


main()
