"""The research data beside the checkout (../shared/data, or $SKINMASK_DATA), for the scripts in this folder."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get('SKINMASK_DATA', os.path.join(ROOT, '..', 'shared', 'data'))
PROGRAM = os.path.join(ROOT, 'build', 'release', 'skinmask')
# The environment in which the built-in face detector is used.
BUILT_IN = {name: value for name, value in os.environ.items() if name != 'SKINMASK_FACES'}

# The colours of FASSEG's labels; lips and eyes are left out.
_PARTS = [f'--label={label}' for label in ('skin=255,255,0', 'skin=0,255,255', 'non-skin=0,255,0', 'non-skin=0,0,255',
                                           'non-skin=127,0,0', 'non-skin=255,0,0')]
# How the masks of a set are read; 'labels' is an option of `sample` alone.
_READ = {'ecu': ['--mask-name', '{stem}_skin_{stem}'], 'hgr': ['--invert'], 'faceparts': [*_PARTS, '--ignore', 'other']}

# The sources that the default model is trained on, with their weights.
SOURCES = {'uci': 3, 'ecu': 1, 'hgr': 1, 'groups': 1, 'negatives': 1, 'faceparts': 1, 'heads_dark': .5, 'street_dark': .5}
# Only skin is taken from these, because their truth omits bare shoulders, hands and passers-by.
SKIN_ALONE = ('heads_dark', 'street_dark')
# The sets that adaptation is calibrated on: photographs of people.
CALIBRATED_ON = ('ecu', 'hgr', 'groups')

# The sets for evaluation.
SETS = ('ecu', 'groups', 'hgr', 'bodies', 'street', 'street_dark', 'heads', 'heads_dark', 'torsos_dark', 'negatives', 'samples')
# HGR in other light: gains of B, G and R in linear light, as a camera would have them.
LIGHTS = {'hgr-down2': (.25, .25, .25), 'hgr-down1': (.5, .5, .5), 'hgr-up1': (2, 2, 2), 'hgr-warm': (.7, 1, 1.3), 'hgr-cool': (1.3, 1, .75)}


def sampled(name, data=DATA):
    """The arguments of `skinmask sample` for a source."""
    if name == 'uci':
        return ['--samples', f'{data}/uci/Skin_NonSkin.txt']
    if name == 'negatives':
        return ['--images', f'{data}/negatives', '--whole', 'non-skin', '--step', '4']
    return ['--images', f'{data}/{name}/images', '--masks', f'{data}/{name}/masks', '--step', '4', *_READ.get(name, [])]


def judged(name, data=DATA, images=None):
    """The arguments of `skinmask evaluate` for a set; `images`: the same photographs in another folder."""
    if name == 'negatives':
        return ['--images', images or f'{data}/negatives', '--whole', 'non-skin']
    if name == 'samples':
        return ['--images', f'{ROOT}/samples/photos', '--truth', f'{ROOT}/samples/masks']
    return ['--images', images or f'{data}/{name}/images', '--truth', f'{data}/{name}/masks', *_READ.get(name, [])]


def model_without(name, folder, program):
    """The file of the default model trained without a set, in `folder`; the default model itself if the set is none of its sources."""
    if name not in SOURCES:
        return os.path.join(ROOT, 'models', 'default.json')
    file = os.path.join(folder, f'without-{name}.json')
    if not os.path.exists(file):
        subprocess.run([os.path.join(ROOT, 'scripts', 'make-default-model'), DATA, file, '--leave-out', name], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, 'SKINMASK': program})
    return file


def linear(byte):
    """The linear light of a byte of sRGB, from 0 to 1."""
    value = byte / 255
    return value / 12.92 if value <= .04045 else ((value + .055) / 1.055) ** 2.4


def relit(gain):
    """The table of sRGB bytes after a gain in linear light."""
    lights = (min(1, gain * linear(byte)) for byte in range(256))
    return [round(255 * (12.92 * light if light <= .0031308 else 1.055 * light ** (1 / 2.4) - .055)) for light in lights]


def lit(name, light, folder):
    """A folder with the photographs of a set in one of LIGHTS, as JPEG of quality 95 (needs python3-opencv)."""
    import cv2
    import numpy as np
    out = os.path.join(folder, light)
    if os.path.isdir(out):
        return out
    os.mkdir(out)
    table = np.array([relit(gain) for gain in LIGHTS[light]], np.uint8).T[:, None, :]
    images = f'{DATA}/{name}/images'
    for file in sorted(os.listdir(images)):
        cv2.imwrite(os.path.join(out, os.path.splitext(file)[0] + '.jpg'), cv2.LUT(cv2.imread(os.path.join(images, file)), table),
                    [cv2.IMWRITE_JPEG_QUALITY, 95])
    return out


def of_settings(name):
    """The arguments of benchmarks/adapt_settings.cc for a set."""
    if name == 'negatives':
        return [f'{DATA}/negatives', '-', '-']
    if name == 'samples':
        return [f'{ROOT}/samples/photos', f'{ROOT}/samples/masks', '{stem}']
    return [f'{DATA}/{name}/images', f'{DATA}/{name}/masks', {'ecu': '{stem}_skin_{stem}', 'hgr': '!{stem}'}.get(name, '{stem}')]
