#!/usr/bin/env python3
"""Pipelines of gst-launch-1.0 with the element skinmask give what `skinmask detect` gives.

usage: launch_test.py SKINMASK PLUGIN SOURCE
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skinmask, plugin, source = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
TOOLS = ('gst-launch-1.0', 'gst-inspect-1.0', 'ffmpeg')
MISSING = [tool for tool in TOOLS if not shutil.which(tool)]
# Plug-ins of GStreamer's that are used.
OTHERS = ('coreelements', 'rawparse', 'videoconvertscale', 'videotestsrc')
WIDTH, HEIGHT, FRAMES = 160, 120, 16  # with a face that is found in each
GSTREAMER_NAMES = {'nv12': 'nv12', 'bgr24': 'bgr', 'yuyv422': 'yuy2'}
# Pixel format of the clip, what comes out, options of detect, properties of the element.
CASES = (('nv12', 'mask', '', ''),
         ('nv12', 'probability', '--adapt off', 'adapt=off'),
         ('bgr24', 'overlay', '--adapt faces --refine off', 'adapt=faces refine=false'),
         ('yuyv422', 'mask', '--threshold 0.3 --prior 0.1', 'threshold=0.3 prior=0.1'))
WORDS = ('Human skin', 'Apache 2.0', 'Filter/Effect/Video', 'NV12', 'GRAY8', 'output  ', 'adapt  ',
         'search  ', 'model  ', 'faces  ', 'refine  ', 'threshold  ', 'prior  ',
         'changeable in NULL, READY, PAUSED or PLAYING state')
problems = []


def check(holds: bool, what: str) -> None:
    if not holds:
        problems.append(what)


def run(*command: object) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, timeout=200)


def launch(pipeline: str) -> subprocess.CompletedProcess[str]:
    return run('gst-launch-1.0', '-q', *pipeline.split())


def use_plugins_alone(work: Path) -> bool:
    """A folder with the few plug-ins that are used: to look through all takes seconds."""
    found = run('pkg-config', '--variable=pluginsdir', 'gstreamer-1.0').stdout.strip()
    folder = work / 'plugins'
    folder.mkdir()
    for name in OTHERS:
        file = Path(found) / f'libgst{name}.so'
        if not file.exists():
            return False
        (folder / file.name).symlink_to(file)
    # Ours by its own folder: what it is loaded by says where its modules are.
    os.environ['GST_PLUGIN_SYSTEM_PATH_1_0'] = f'{folder}:{plugin.parent}'
    os.environ['GST_REGISTRY'] = str(work / 'registry.bin')
    for name in ('GST_PLUGIN_PATH', 'SKINMASK_FACES'):
        os.environ.pop(name, None)
    return True


def clip_in(work: Path, pixel_format: str) -> Path:
    clip = work / f'{pixel_format}.raw'
    if not clip.exists():
        made = run('ffmpeg', '-v', 'error', '-loop', 1, '-framerate', 25, '-i',
                   source / 'samples/photos/astronaut.png', '-vf',
                   f'crop=240:180:120:30,scale={WIDTH}:{HEIGHT},scroll=h=0.013:v=0.007',
                   '-frames:v', FRAMES,
                   '-pix_fmt', pixel_format, '-f', 'rawvideo', clip)
        check(made.returncode == 0, made.stderr)
    return clip


def detected(clip: Path, pixel_format: str, output: str, flags: str) -> bytes:
    ran = subprocess.run([skinmask, 'detect', '-q', clip, '--input-format', 'rawvideo', '--size',
                          f'{WIDTH}x{HEIGHT}', '--pixel-format', pixel_format, '--output', output,
                          '--output-format', 'rawvideo', *flags.split(), '-o', '-'],
                         capture_output=True, timeout=200)
    check(ran.returncode == 0, ran.stderr.decode())
    return ran.stdout


def compare_with_detect(work: Path) -> None:
    for pixel_format, output, flags, properties in CASES:
        clip, drawn = clip_in(work, pixel_format), work / 'drawn.raw'
        ran = launch(f'filesrc location={clip} ! rawvideoparse '
                     f'format={GSTREAMER_NAMES[pixel_format]} width={WIDTH} height={HEIGHT} ! '
                     f'skinmask output={output} {properties} ! filesink location={drawn}')
        name = f'{pixel_format} {output} {flags}'
        check(ran.returncode == 0, f'{name}: {ran.stderr}')
        size = FRAMES * WIDTH * HEIGHT * (3 if output == 'overlay' else 1)
        check(drawn.stat().st_size == size, f'{name}: frames are missing')
        same = drawn.read_bytes() == detected(clip, pixel_format, output, flags)
        check(same, f'{name}: not what detect gives')


def check_messages(work: Path) -> None:
    begins = 'videotestsrc num-buffers=5 ! '
    for properties, line in ((f'model={work}/none.json', f'{work}/none.json: '),
                             ('prior=0', 'prior'),
                             (f'faces={source}/models/uci.json', f'{source}/models/uci.json: ')):
        ran = launch(f'{begins} skinmask {properties} ! fakesink')
        errors = [text for text in ran.stderr.splitlines() if text.startswith('ERROR: from')]
        told = len(errors) == 1 and line in errors[0]
        check(ran.returncode != 0 and told, f'{properties}: {ran.stderr}')
    ran = launch(begins + 'videoconvert ! skinmask output=overlay adapt=faces ! videoconvert ! '
                 'fakesink')
    check(ran.returncode == 0 and not ran.stderr, f'between two videoconvert: {ran.stderr}')


def check_inspection() -> None:
    text = run('gst-inspect-1.0', 'skinmask').stdout
    for word in WORDS:
        check(word in text, f'gst-inspect-1.0 does not say: {word}')
    # Of the command line; and what changes nothing that comes out.
    for word in ('SKINMASK_FACES', '--output', 'erode'):
        check(word not in text, f'gst-inspect-1.0 says: {word}')


def main() -> int:
    if MISSING:
        print(f'needs {", ".join(MISSING)}')
        return 77
    with tempfile.TemporaryDirectory() as name:
        if not use_plugins_alone(Path(name)):
            print(f'needs the plug-ins {", ".join(OTHERS)} of GStreamer')
            return 77
        check_inspection()
        compare_with_detect(Path(name))
        check_messages(Path(name))
    print('\n'.join(problems) or 'pipelines give what detect gives')
    return 1 if problems else 0


sys.exit(main())
