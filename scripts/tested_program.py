"""The program that scripts/torture and scripts/test-hostile test."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def program_of(options):
    """The path of --program or SKINMASK_PROGRAM; without them the release, which is built first."""
    program = options.program or os.environ.get('SKINMASK_PROGRAM')
    if not program:
        subprocess.run([f'{ROOT}/scripts/build', 'release'], check=True)
        program = f'{ROOT}/build/release/skinmask'
    program = os.path.abspath(program)
    if not os.access(program, os.X_OK):
        sys.exit(f'{program}: is no program')
    return program
