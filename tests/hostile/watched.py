"""Runs of the program that are watched: what they say, take, open and call."""
import os
import re
import signal
import socket
import subprocess
import time
import unicodedata

# What may be opened, as paths without links: (beginning, whether for writing too, why).
SYSTEM = (
    ('/usr/', False, 'libraries, which FFmpeg and OpenCV are made of, and their data'),
    ('/proc/', False, 'how much memory there is, and what the process is'),
    (os.path.realpath('/proc/self/oom_score_adj'), True, 'decoders are the first to go'),
    ('/sys/', False, 'which processors there are'),
    ('/dev/null', True, 'where what libraries print goes; the sandbox makes a rule of it'),
    ('/dev/urandom', False, 'names of temporary files; the sandbox makes a rule of it'),
    ('/etc/ld.so.cache', False, 'where libraries are'),
    ('/etc/gcrypt/', False, 'libgcrypt, which FFmpeg links, asks for processors to distrust'),
    ('/etc/gdal/', False, 'GDAL, which OpenCV links, reads its settings when it is loaded'),
    (os.path.realpath(os.path.expanduser('~/.gdal')), False, 'the same, of the user'),
)
WATCHED = ('open,openat,openat2,creat,execve,execveat,socket,connect,bind,sendto,sendmsg,'
           'rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,'
           'mkdir,mkdirat,mknod,mknodat,truncate,chmod,fchmodat,chown,fchownat,utimensat,'
           'chdir,fchdir,chroot,mount,io_uring_setup,ptrace')
NETWORK = ('socket', 'connect', 'bind', 'sendto', 'sendmsg', 'io_uring_setup')
# Characters that turn the direction of the text after them, so that a name reads as another.
TURNS = {'LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI'}


class Listener:
    """A port of this machine that nobody should call, by TCP or UDP."""

    def __init__(self):
        self.calls = socket.socket()
        self.calls.bind(('127.0.0.1', 0))
        self.calls.listen(64)
        self.port = self.calls.getsockname()[1]
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(('127.0.0.1', self.port))
        for each in (self.calls, self.datagrams):
            each.setblocking(False)

    def heard(self):
        """How often it was called since it was last asked."""
        count = 0
        for take in (lambda: self.calls.accept()[0].close(), lambda: self.datagrams.recv(9)):
            try:
                while True:
                    take()
                    count += 1
            except BlockingIOError:
                pass
        return count


class Run:
    """One run, in `folder`, with files for its outputs beside that."""

    def __init__(self, folder, name, program, words, hang, trace=False):
        self.name, self.folder, self.hung = name, folder, False
        base = f'{folder}.{name.replace(" ", "-")}'
        self.trace = f'{base}.trace' if trace else None
        command = ['strace', '-f', '-e', f'trace={WATCHED}', '-e', 'signal=none',
                   '-o', self.trace] if trace else []
        self.files = [f'{base}.stdout', f'{base}.stderr']
        self.temporary = f'{base}.tmp'
        os.makedirs(self.temporary)
        environment = {k: v for k, v in os.environ.items() if not k.startswith('SKINMASK_')}
        with open(self.files[0], 'wb') as out, open(self.files[1], 'wb') as err:
            process = subprocess.Popen([*command, program, *words], cwd=folder, stdout=out,
                                       stderr=err, stdin=subprocess.DEVNULL,
                                       env={**environment, 'TMPDIR': self.temporary},
                                       start_new_session=True)
        start = time.monotonic()
        code, usage = self.wait(process, hang)
        self.seconds = time.monotonic() - start
        self.status = os.waitstatus_to_exitcode(code)
        self.megabytes = usage.ru_maxrss / 1024
        self.out, self.err = (open(file, 'rb').read() for file in self.files)
        self.left = os.listdir(self.temporary)

    def wait(self, process, hang):
        """Its end; or the end of it where no word and no output came for `hang` seconds."""
        seen, since = None, time.monotonic()
        while True:
            pid, code, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = code  # so that Popen does not wait for it again
                return code, usage
            progress = [os.path.getsize(file) for file in self.files], self.outputs()
            if progress != seen:
                seen, since = progress, time.monotonic()
            elif time.monotonic() - since > hang:
                self.hung = True
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(.05)

    def outputs(self):
        return sum(len(os.listdir(f'{self.folder}/{name}')) for name in os.listdir(self.folder)
                   if name.startswith('out'))

    def last_words(self):
        return (self.err.splitlines() or [b'nothing'])[-1][:150]


def trouble_of_line(line):
    """Why a line is none to be shown to a user; empty if it is one."""
    if len(line) > 2000:
        return f'has {len(line)} bytes'
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return 'is no UTF-8'
    kinds = {unicodedata.category(letter) for letter in text} & {'Cc', 'Zl', 'Zp'}
    kinds |= {unicodedata.bidirectional(letter) for letter in text} & TURNS
    return f'holds characters of the kind {" ".join(sorted(kinds))}' if kinds else ''


def text_of(quoted):
    """A string as strace prints it, in C's escapes."""
    return os.fsdecode(quoted.encode('latin-1', 'replace').decode('unicode_escape')
                       .encode('latin-1'))


class Trace:
    """What a run did to files and sockets, held to what it may do."""

    def __init__(self, run, program, inputs, output):
        self.cwd, self.program = os.path.realpath(run.folder), os.path.realpath(program)
        beside = os.path.dirname(self.program)
        self.decoders = f'{beside}/skinmask-decoders'
        self.allowed = [*SYSTEM, (beside + '/', False, 'the program, its modules'),
                        (os.path.normpath(f'{beside}/../libexec/skinmask'), False,
                         'where its modules are installed'),
                        (f'{self.cwd}/{output}', True, 'the output folder, and what is in it')]
        self.allowed += [(f'{self.cwd}/{name}', False, 'an input') for name in inputs]
        self.wrong, self.counted, self.started = {}, 0, 0
        with open(run.trace, encoding='latin-1') as lines:
            for line in lines:
                self.look(line)

    def look(self, line):
        call = re.match(r'\d+\s+(\w+)\((.*)', line)
        if not call:
            return
        self.counted += 1
        name, rest = call.groups()
        if name == 'sendmsg' and 'msg_name=NULL' in rest:
            return  # to a decoder, by two ends that know each other
        if name in NETWORK or name in ('ptrace', 'mount', 'chroot', 'fchdir'):
            self.blame(f'{name}({rest[:80]}')
        elif name.startswith('execve'):
            self.started += 1
            # The program, and once the one that decodes for it.
            if self.started > 1 and not (self.started == 2 and
                                         rest.startswith(f'"{self.decoders}"')):
                self.blame(f'{name}({rest[:80]}')
        else:
            reads = name.startswith('open') and not re.search(
                r'O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)', rest)
            for base, quoted in re.findall(r'(?:(\d+), )?"((?:[^"\\]|\\.)*)"', rest):
                self.judge(name, base, text_of(quoted), reads, 'O_PATH' in rest)

    def judge(self, call, base, path, reads, only_names=False):
        if base and not path.startswith('/'):  # where that is, the line does not say
            return self.blame(f'{call} {path} below descriptor {base}')
        real = os.path.realpath(os.path.join(self.cwd, path))
        # The sandbox names what links among the inputs lead to; nothing of that is read by it.
        if only_names and os.path.normpath(path).startswith('in/'):
            return
        for beginning, may_write, _ in self.allowed:
            whole = beginning.rstrip('/')
            if (real == whole or real.startswith(whole + '/')) and (reads or may_write):
                return
        if not path.startswith('/') and re.search(r'\.so(\.\d+)*$', path):
            return self.blame('libraries are looked for in the current folder (an empty entry of '
                              'RUNPATH or LD_LIBRARY_PATH)')
        self.blame(f'{call} {path}')

    def blame(self, what):
        self.wrong[what] = self.wrong.get(what, 0) + 1
