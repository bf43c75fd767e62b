#!/usr/bin/env python3
"""Writes small inputs for every fuzz target, those of past bugs among them.

usage: make_corpus.py FOLDER      needs Pillow (Debian: python3-pil); FOLDER is tests/fuzz/corpus
"""
import io
import json
import os
import struct
import sys
import zlib

from PIL import Image

folder = sys.argv[1]


def put(target, name, data):
    os.makedirs(os.path.join(folder, target), exist_ok=True)
    with open(os.path.join(folder, target, name), 'wb') as file:
        file.write(data.encode() if isinstance(data, str) else data)


# Pictures: 7 x 5, smooth enough for JPEG, no symmetry.
W, H = 7, 5
colour = Image.new('RGB', (W, H))
colour.putdata([(255 * x // W, 255 * y // H, 128 + 3 * x * y) for y in range(H) for x in range(W)])
grey = colour.convert('L')
mask = grey.point(lambda v: 255 if v > 90 else 0)
sixteen = Image.new('I;16', (W, H))
sixteen.putdata([1800 * i for i in range(W * H)])


def encoded(image, form, **options):
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def png(width, height, depth, kind, data, extra=b'', interlace=0):
    header = struct.pack('>IIBBBBB', width, height, depth, kind, 0, 0, interlace)
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + extra + chunk(b'IDAT', zlib.compress(data, 9)) +
            chunk(b'IEND', b''))


def exif(orientation, order='<', entries=1):
    tiff = (b'II' if order == '<' else b'MM') + struct.pack(order + 'HIH', 42, 8, entries)
    return tiff + struct.pack(order + 'HHIHHI', 0x112, 3, 1, orientation, 0, 0)


def app1(jpeg, payload):
    body = b'Exif\0\0' + payload
    return jpeg[:2] + b'\xff\xe1' + struct.pack('>H', len(body) + 2) + body + jpeg[2:]



pictures = {
    'grey.jpg': encoded(grey, 'JPEG', quality=75, optimize=True),
    'colour.jpg': encoded(colour, 'JPEG', quality=75, optimize=True),
    'progressive.jpg': encoded(colour, 'JPEG', quality=75, progressive=True),
    'cmyk.jpg': encoded(colour.convert('CMYK'), 'JPEG', quality=75, optimize=True),
    'turned.jpg': app1(encoded(grey, 'JPEG', quality=75, optimize=True), exif(6)),
    'colour.png': encoded(colour, 'PNG'),
    'alpha.png': encoded(colour.convert('RGBA'), 'PNG'),
    'palette.png': encoded(colour.quantize(4), 'PNG'),
    'one-bit.png': encoded(mask.convert('1'), 'PNG'),
    'sixteen.png': encoded(sixteen, 'PNG'),
    'grey-alpha.png': encoded(colour.convert('LA'), 'PNG'),
    'interlaced.png': png(1, 2, 8, 0, b'\0\x11\0\x22', interlace=1),
    'turned.png': png(3, 2, 8, 0, b'\0abc\1def', chunk(b'eXIf', exif(8, '>'))),
    'texts.png': png(3, 2, 8, 0, b'\0abc\4def', 3 * chunk(b'zTXt', b'a\0\0' + zlib.compress(bytes(1 << 18), 9))
                     + chunk(b'iCCP', b'a\0\0' + zlib.compress(bytes(1 << 18), 9)) + chunk(b'eXIf', exif(8, '>'))),
    'two-idat.png': png(3, 2, 8, 0, b'\0abc\4def').replace(
        chunk(b'IEND', b''), chunk(b'IDAT', b'') + chunk(b'IEND', b'')),
    'colour.bmp': encoded(colour, 'BMP'),
    'palette.bmp': encoded(mask.convert('1'), 'BMP'),
    'grey.tif': encoded(grey, 'TIFF'),
    'lzw.tif': encoded(colour, 'TIFF', compression='tiff_lzw'),
    'deflate.tif': encoded(colour, 'TIFF', compression='tiff_deflate'),
    'sixteen.tif': encoded(sixteen, 'TIFF'),
    'lossless.webp': encoded(colour, 'WEBP', lossless=True),
    'lossy.webp': encoded(colour, 'WEBP', quality=40),
    'binary.ppm': encoded(colour, 'PPM'),
    'binary.pgm': encoded(grey, 'PPM'),
    'text.pbm': b'P1\n# bits\n3 2\n1 0 1\n0 1 0\n',
    'text.ppm': b'P3\n2 1\n65535\n1 2 3 65535 9 0\n',
    'tuples.pam': b'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\nabcdef',
}
# What broke the program once: other libraries' formats, junk that is a picture, sizes that lie.
past = {
    'nitf-vrt.ntf': b'NITF<VRTDataset rasterXSize="9" rasterYSize="9"><VRTRasterBand dataType="Byte" band="1">'
                    b'<SimpleSource><SourceFilename>other.jpg</SourceFilename><SourceBand>1</SourceBand>'
                    b'</SimpleSource></VRTRasterBand></VRTDataset>',
    'dicom.jpg': bytes(128) + b'DICM',
    # A known beginning is not enough: OpenCV's own decoders refuse these, and it asks GDCM next.
    'webp-dicom.webp': (b'RIFF\x80\0\0\0WEBPVP8X' + bytes(112))[:128] + b'DICM',
    'png-dicom.png': b'\x89PNG\r\n\x1a\x1a' + bytes(120) + b'DICM',
    'vp8l-junk.webp': b'/' + bytes((37 * i * i + 11 * i) % 251 for i in range(103)),
    'tiff-without-its-last-byte.tif': pictures['grey.tif'][:-1],
    # OpenCV's decoder went on after libtiff's errors.
    'damaged-lzw.tif': pictures['lzw.tif'][:40] + b'\xff' * 20 + pictures['lzw.tif'][60:],
    'jbig-of-nothing.tif': pictures['grey.tif'].replace(struct.pack('<HHIH', 259, 3, 1, 1),
                                                        struct.pack('<HHIH', 259, 3, 1, 34661)),
    # FFmpeg only logs that pixels are missing.
    'two-bytes-of-codes.gif': b'GIF89a' + struct.pack('<HHBBB', 64, 48, 0x80, 0, 0) + b'\0\0\0\xff\xff\xff,' +
                              struct.pack('<HHHHB', 0, 0, 64, 48, 0) + b'\x02\x02\x44\x01\0;',
    'huge.png': png(60000, 60000, 8, 0, bytes(4000)),
    'empty': b'',
}
for name, data in {**pictures, **past}.items():
    put('image', name, b'\0' + data)
    if name in ('colour.jpg', 'palette.png', 'sixteen.png', 'colour.bmp', 'deflate.tif'):
        put('image', 'half-' + name, b'\x05' + data)
        put('image', 'eighth-' + name, b'\x03' + data)
for name in ('colour.jpg', 'progressive.jpg'):
    put('image', 'lenient-cut-' + name, b'\x08' + pictures[name][:-20])
for name, data in {**pictures, 'huge.png': past['huge.png']}.items():
    if name.endswith('.png'):
        put('png', name, b'\1' + data)
put('png', 'cut.png', b'\0' + pictures['colour.png'][:-9])
put('png', 'wrong-sum.png', b'\0' + pictures['colour.png'][:50] + b'x' + pictures['colour.png'][51:])



# HEIC and AVIF, of which no pixel is decoded.
def box(kind, data):
    return struct.pack('>I', len(data) + 8) + kind + data


def full(kind, version, data):
    return box(kind, bytes([version, 0, 0, 0]) + data)


def heif(items, primary=1, extent=4):
    """Of items (number, type, properties, parts), whose data are four bytes each, or a grid's."""
    infos = uses = boxes = refs = b''
    count, index = 0, 0
    for number, kind, properties, parts in items:
        infos += full(b'infe', 2, struct.pack('>HH', number, 0) + kind + b'\0')
        uses += struct.pack('>HB', number, len(properties))
        for one in properties:
            index += 1
            boxes += one
            uses += bytes([0x80 | index])
        if parts:
            refs += box(b'dimg', struct.pack(f'>HH{len(parts)}H', number, len(parts), *parts))
        count += 1

    def meta(start):
        places = b''
        for number, kind, _, parts in items:
            length = 8 if kind == b'grid' else extent
            places += struct.pack('>HHHII', number, 0, 1, start, length)
            start += 8 if kind == b'grid' else 4
        return full(b'meta', 0, full(b'pitm', 0, struct.pack('>H', primary)) +
                    full(b'iloc', 0, struct.pack('>HH', 0x4400, count) + places) +
                    full(b'iinf', 0, struct.pack('>H', count) + infos) +
                    (full(b'iref', 0, refs) if refs else b'') +
                    box(b'iprp', box(b'ipco', boxes) + full(b'ipma', 0, struct.pack('>I', count) + uses)))
    head = box(b'ftyp', b'avif\0\0\0\0mif1avif')
    data = b''.join(struct.pack('>BBBBHH', 0, 0, 1, 1, 100, 90) if kind == b'grid' else b'data'
                    for _, kind, _, _ in items)
    return head + meta(len(head) + len(meta(0)) + 8) + box(b'mdat', data)


def sized(width, height):
    return full(b'ispe', 0, struct.pack('>II', width, height))


av1 = [box(b'av1C', b'\x81\0\x0c\0'), sized(64, 48)]
tiles = [(i, b'av01', av1, ()) for i in range(1, 5)]
whole_grid = (9, b'grid', [sized(100, 90)], (1, 2, 3, 4))
put('heif', 'single', heif(tiles[:1]))
put('heif', 'hevc', heif([(1, b'hvc1', [box(b'hvcC', bytes(23)), av1[1]], ())]))
put('heif', 'turned', heif([(1, b'av01', av1 + [box(b'irot', b'\1'), box(b'imir', b'\0')], ())]))
put('heif', 'grid', heif(tiles + [whole_grid], 9))
put('heif', 'grid-of-itself', heif(tiles + [whole_grid[:3] + ((1, 2, 9, 4),)], 9))
put('heif', 'grid-of-nothing', heif(tiles + [whole_grid[:3] + ((1, 2, 77, 4),)], 9))
put('heif', 'grid-of-three', heif(tiles[:3] + [whole_grid[:3] + ((1, 2, 3),)], 9))
put('heif', 'identity-of-itself', heif([(1, b'iden', [av1[1]], (1,))]))
put('heif', 'overlay', heif(tiles[:1] + [(2, b'iovl', [av1[1]], (1,))], 2))
put('heif', 'past-the-end', heif(tiles[:1], extent=1 << 30))
put('heif', 'endless-property', heif([(1, b'av01', [b'\0\0\0\0' + av1[1][4:]] + av1, ())]))

# EXIF data, in a JPEG (0) and a PNG (1).
for i, order in enumerate('<>'):
    for orientation in range(10):
        put('exif', f'orientation-{orientation}-{i}', bytes([i]) + exif(orientation, order))
put('exif', 'many-entries', b'\0' + exif(3, '<', 65535))
put('exif', 'ifd-that-leads-to-itself', b'\1' + exif(3)[:-4] + struct.pack('<I', 8))
put('exif', 'many-ways-to-itself', b'\0II' + struct.pack('<HIH', 42, 8, 101) + 100 * struct.pack('<HHII', 0x8769, 4, 1, 8) +
    exif(6)[10:])
put('exif', 'long-value', b'\0' + b'II' + struct.pack('<HIHHHIII', 42, 8, 1, 0x112, 3, 0x7fffffff, 0xfffffff0, 0))
put('exif', 'nothing', b'\0')

# Masks of ground truth.
rules = {'default': '', 'labels': 'skin=255;non-skin=0', 'colours': 'skin=255,0,0;hair=other;!0', 'inverted': '~',
         'ones': 'skin=1;non-skin=0', 'three': 'a=0;b=128;c=255;!other', 'wrong': 'a=300', 'twice': 'a=1;b=1'}
images = {'mask.png': encoded(mask, 'PNG'), 'mask.jpg': encoded(mask, 'JPEG', quality=60, optimize=True),
          'bits.pbm': pictures['text.pbm'], 'zeros-and-ones.pgm': b'P5 2 1 255\n\0\1', 'colour.ppm': b'P6 2 1 255\n'
          b'\xff\0\0\0\0\0'}
for rule, text in rules.items():
    for name, data in images.items():
        put('ground_truth', f'{rule}-{name}', bytes([len(text)]) + text.encode() + data)

# Matroska: the beginning of a file, and lengths of one to eight bytes.
ebml = b'\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska'
for size in range(1, 9):
    for name, value in (('unknown', (1 << 7 * size) - 1), ('long', (1 << 7 * size) - 2), ('short', 5)):
        data = (value | 1 << 7 * size).to_bytes(size, 'big')
        put('matroska', f'{name}-{size}', ebml + b'\x18\x53\x80\x67' + data)
put('matroska', 'nine', ebml + b'\x18\x53\x80\x67\0' + bytes(9))
put('matroska', 'cut', ebml + b'\x18\x53\x80\x67\x01\xff')
put('matroska', 'none', ebml)

# Samples.
put('samples_csv', 'canonical', 'class,b,g,r,count,group\nnon-skin,74,85,123,1,0\nskin,110,140,200,3,0\n')
put('samples_csv', 'uci', '74\t85\t123\t1\r\n73\t84\t122\t2\r\n')
put('samples_csv', 'order', '\ufeffGroup,R,G,B,label,count\n4294967295,1,2,3,hair,8796093022208\n\n')
put('samples_csv', 'blanks', 'label b g r\nskin 1 2 3\n  skin\t1 2\t3\n')
put('samples_csv', 'too-many', 'class,b,g,r,count\na,1,2,3,8796093022208\na,1,2,3,8796093022208\n')
put('samples_csv', 'zero', 'class,b,g,r,count\na,1,2,3,0\n')
put('samples_csv', 'header', 'class,b,g,r\n')
put('samples_csv', 'no-number', '256,1,2,1\n')
put('samples_csv', 'long-name', 'class,b,g,r\n' + 'x' * 1500 + ',1,2,3\n')
put('group_table', 'plain', 'image,camera,light\na/b.jpg,phone,lamp\nc.jpg,reflex,\n')
put('group_table', 'quoted', '\ufeffimage,"light, or\nnone"\r\na.png," a ""lamp"" " \r\n"b\n.png",sun\r\n\r\n')
put('group_table', 'open-quote', 'image,a\na.png,"1\n')
put('group_table', 'line-breaks', 'image,"by\nforged"\na.png,"x\nforged \u009b"\n')
put('group_table', 'behind-quote', 'image,a\na.png,"1"2\n')
put('group_table', 'many-values', 'image,n\n' + ''.join(f'{i},{i}\n' for i in range(101)))

# Parts whose lines hold lines of their own, orders to a terminal and no end; and options of a list.
part = {'format': 'skinmask-evaluation-part', 'format_version': 1, 'version': '0.1.0', 'options': {}, 'model': '',
        'data': '', 'size': 1, 'shard': [1, 1], 'positive': 'skin', 'finder': None, 'has_scores': False,
        'keeps_scores': False, 'keeps_tones': False, 'images_without_mask': 0, 'drawn': [], 'skipped': [],
        'problems': [{'input': 'a', 'line': 'a\nskinmask: forged\u009b' + 2500 * 'y'}],
        'images': [{'problem': {'input': 'b', 'line': 'b', 'shown': 'S\nskinmask: forged\x1b' + 1000 * '\u624b'}}]}
put('evaluation_part', 'forged-lines.json', json.dumps(part, ensure_ascii=False))
put('evaluation_part', 'write-option.json', json.dumps({**part, 'problems': [], 'options': {'write=/tmp/x': True}}))


# Models: every kind.
def model(kind, parameters, space='BGR', channels=('B', 'G', 'R'), classes=('skin', 'other'), **more):
    for k, one in enumerate(parameters['classes']):
        one.update({'class': classes[k], 'count': one.get('count', 10 + k), 'prior': 1 / len(classes)})
    return {'format': 'skinmask-model', 'version': 1, 'kind': kind, 'classes': list(classes), 'positive': classes[0],
            'features': {'space': space, 'channels': list(channels)}, 'parameters': parameters,
            'decision': {'threshold': 0.5, 'rule': 'fixed'},
            'card': {'training': {'sha256': '', 'channel_order': 'BGR'}}, **more}


def covariance(size, scale=100.0):
    return [[scale * (2 if i == j else 1) for j in range(size)] for i in range(size)]


def gaussian(size, mean, scale=100.0, **more):
    return {'mean': [mean] * size, 'covariance': covariance(size, scale), **more}


two = [gaussian(3, 100.0), gaussian(3, 150.0, 900.0)]
models = {
    'qda': model('qda', {'estimator': 'mle', 'classes': two}),
    'lda': model('lda', {'estimator': 'unbiased', 'covariance': covariance(2), 'classes': [
        {'mean': [1.0, 2.0], 'shrinkage': 0.5}, {'mean': [-3.0, 4.5], 'shrinkage': 0}]}, 'opponent', ('O1', 'O2')),
    'gaussian-nb': model('gaussian-nb', {'estimator': 'mle', 'classes': [
        {'mean': [9.0], 'covariance': [[4.0]]}, {'mean': [99.0], 'covariance': [[1e3]]}]}, 'HSV', ('H',)),
    'mixture': model('mixture', {'classes': [
        {'components': [gaussian(1, 0.3, 0.01, weight=0.25), gaussian(1, 0.5, 0.02, weight=0.75)]},
        {'components': [gaussian(1, 0.4, 0.1, weight=1)]}]}, 'rg', ('r',)),
    'logistic': model('logistic', {
        'constant': -1.5, 'linear': [0.01, -0.02, 0.03], 'product': [1e-4, 0, 0, -1e-4, 0, 1e-5], 'ridge': 1e-3,
        'solver': 'newton', 'iterations': 7, 'log_likelihood': -0.2, 'classes': [{}, {}]}, 'YCrCb', ('Y', 'Cr', 'Cb')),
    'histogram': model('histogram', {'bins': 4, 'smoothing': 1, 'classes': [
        {'bins': '0:3 63:7', 'count': 10}, {'bins': '5:11', 'count': 11}]}),
    'histogram-nb': model('histogram-nb', {'bins': 3, 'smoothing': 0.5, 'classes': [
        {'bins': '0:10 3:10 6:10', 'count': 10}, {'bins': '2:11 5:11 7:5 8:6', 'count': 11}]}, 'Lab', ('L', 'a', 'b')),
    'three': model('qda', {'estimator': 'mle', 'classes': two + [gaussian(3, 9.0)]}, classes=('a', 'b', 'c')),
    'calibrated': model('qda', {'estimator': 'mle', 'classes': two},
                        calibration={'slope': 0.6, 'offset': -0.8, 'data': 'here'}),
    'steep': model('qda', {'estimator': 'mle', 'classes': two},
                   calibration={'slope': 1e308, 'offset': -1e308, 'data': ''}),
    'many-bins': model('histogram', {'bins': 256, 'smoothing': 1, 'classes': [
        {'bins': '0:10', 'count': 10} for _ in range(6)]}, classes=tuple('abcdef')),
    'wrong-kind': model('svm', {'classes': [{}, {}]}),
    'long-number': model('qda', {'estimator': 'mle', 'classes': two}, version='9' * 500),
}
models['three']['card'].update({'notes': {'licence': 'CC0', 'source': '\u00e4'}, 'scores': [
    {'data': 'x', 'threshold': 0.5, 'precision': 0.5, 'recall': None, 'f1': 1, 'auc': 0.9}]})
for name, one in models.items():
    text = json.dumps(one, separators=(',', ':'), ensure_ascii=False)
    put('model_json', name, text.replace('"version":"' + '9' * 500 + '"', '"version":' + '9' * 500))
put('model_json', 'deep', '[' * 1500)
put('model_json', 'many-members', '{' + ','.join(f'"{i}":0' for i in range(1001)) + '}')
put('model_json', 'deep-lists', '{"a":' + '[' * 300 + ']' * 300 + '}')
put('model_json', 'other-json', '{"format":"skinmask-model","version":2}')

# Agreement: a byte for the kind, one for the space, the rest as it falls.
for kind in range(7):
    for space in (0, 1, 5, 7, 8):
        tail = bytes((kind * 89 + space * 31 + i * i * 7 + (i >> 3)) & 255 for i in range(240))
        put('agreement', f'{kind}-{space}', bytes([kind, space, 7 * (space % 2), 128, kind % 2]) + tail)
