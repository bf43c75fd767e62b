"""Images whose headers say something else than they should: a generator for each format's fields."""
import random
import struct
import zlib

from content import corpus

# Numbers that are too small, too large, or at the border of what a type holds.
ODD = (0, 1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 33, 64, 127, 128, 255, 256, 1000, 4095, 8192, 32767,
       32768, 65535, 65536, 100000, 1 << 20, 1 << 24, (1 << 28) + 1, (1 << 31) - 1, 1 << 31,
       (1 << 32) - 1)
# Of TIFF: those that libtiff knows, and others.
COMPRESSIONS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 32766, 32771, 32773, 32809, 32908, 32909, 32946,
                34661, 34676, 34677, 34887, 34925, 50000, 50001, 50002, 65535)
SIDE = 32


def tiff_tags(kind):
    """Tags and pixels of a good TIFF: (tag, type, values), types 3 (two bytes) and 4 (four)."""
    packed = {1: bytes, 8: zlib.compress, 32773: lambda b: b''.join(
        b'\x7f' + b[i:i + 128] for i in range(0, len(b), 128))}
    compression, tiled, samples, bits = kind
    pixels = bytes(i * 7 & 255 for i in range(SIDE * SIDE * samples * bits // 8))
    data = packed[compression](pixels)
    tags = [(256, 4, [SIDE]), (257, 4, [SIDE]), (258, 3, [bits] * samples),
            (259, 3, [compression]), (262, 3, [2 if samples == 3 else 1]), (266, 3, [1]),
            (274, 3, [1]), (277, 3, [samples]), (284, 3, [1]), (317, 3, [1]), (338, 3, [0]),
            (339, 3, [1] * samples)]
    if tiled:
        tags += [(322, 4, [SIDE]), (323, 4, [SIDE]), (324, 4, [None]), (325, 4, [len(data)])]
    else:
        tags += [(273, 4, [None]), (278, 4, [SIDE]), (279, 4, [len(data)])]
    return sorted(tags), data


def tiff(chance):
    kind = (chance.choice((1, 8, 32773)), chance.random() < .3, chance.choice((1, 3)),
            chance.choice((8, 8, 16)))
    tags, data = tiff_tags(kind)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(tags))
        tag, form, values = tags[at]
        how = chance.random()
        if how < .6:
            numbers = COMPRESSIONS if tag == 259 else ODD
            values = [chance.choice(numbers)] * chance.choice((1, len(values), len(values)))
        elif how < .75:
            form = chance.randrange(0, 19)
        elif how < .85:
            values = values * chance.choice((2, 16, 1000))
        elif how < .95:
            tag = chance.choice((320, 332, 336, 347, 512, 513, 529, 530, 532, chance.choice(ODD)))
        else:
            del tags[at]
            continue
        tags[at] = tag & 65535, form, values
    return tiff_file(tags, data, chance)


def tiff_file(tags, data, chance):
    order = chance.choice('<>')
    head = (b'II*\0' if order == '<' else b'MM\0*') + struct.pack(order + 'I', 8)
    start = 8 + 2 + 12 * len(tags) + 4
    extra, entries = b'', struct.pack(order + 'H', len(tags))
    place = start + sum(len(values) * 4 for _, _, values in tags) + 64
    for tag, form, values in tags:
        letter, size = {3: ('H', 2), 1: ('B', 1), 6: ('B', 1)}.get(form, ('I', 4))
        mask = (1 << 8 * size) - 1
        packed = b''.join(struct.pack(order + letter, (place if v is None else v) & mask)
                          for v in values)
        if len(packed) > 4:
            where, extra = start + len(extra), extra + packed
            packed = struct.pack(order + 'I', where)
        entries += struct.pack(order + 'HHI', tag, form, len(values)) + packed.ljust(4, b'\0')
    body = head + entries + struct.pack(order + 'I', 0) + extra
    return body.ljust(place, b'\0') + data


def boxes(data, start, end):
    """(type, first byte of the content, end) of all boxes of ISO/IEC 14496-12, those within too."""
    inner = {b'meta': 4, b'iprp': 0, b'ipco': 0, b'iinf': 6, b'dinf': 0}
    while start + 8 <= end:
        size, name = struct.unpack('>I4s', data[start:start + 8])
        last = min(end, start + size) if size >= 8 else end
        yield name, start + 8, last
        if name in inner:
            yield from boxes(data, start + 8 + inner[name], last)
        start = last


def heif(name):
    whole = corpus(name)
    found = [box for box in boxes(whole, 0, len(whole)) if box[1] < box[2]]

    def varied(chance):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 3))):
            kind, start, end = chance.choice(found)
            if kind == b'mdat':
                end = min(end, start + 48)  # the headers of the coded picture
            if kind == b'ftyp' or chance.random() < .1:
                start, end = start - 8, start - 4  # the box's length
            size = chance.choice((1, 1, 2, 4))
            at = chance.randrange(start, max(start + 1, end - size + 1))
            number = chance.choice(ODD) if chance.random() < .7 else chance.getrandbits(32)
            data[at:at + size] = (number & (1 << 8 * size) - 1).to_bytes(size, 'big')
        return bytes(data)
    return varied


def jxl(chance):
    """Fields of a codestream are runs of bits: size, bits, channels, colours, frames."""
    name = chance.choice(('lossless.jxl', 'layers.jxl', 'jpeg.jxl', 'large-layer.jxl',
                          'five-channels.jxl'))
    data = corpus(name)
    start = max(0, data.find(b'\xff\x0a')) + 2
    bits = int.from_bytes(data, 'little')
    for _ in range(chance.choice((1, 1, 2, 4))):
        length = chance.choice((1, 1, 2, 3, 5, 9, 13, 18, 30))
        at = 8 * start + chance.randrange(chance.choice((40, 120, 320)))
        number = chance.choice(ODD) if chance.random() < .5 else chance.getrandbits(32)
        mask = (1 << length) - 1
        bits = bits & ~(mask << at) | (number & mask) << at
    return (bits & (1 << 8 * len(data)) - 1).to_bytes(len(data), 'little')


KINDS = (('tif', tiff), ('heic', heif('primary.heic')), ('avif', heif('primary.avif')),
         ('jxl', jxl))


def write(folder, count, seed):
    """Names of so many images, which are written there."""
    names = []
    for number in range(count):
        extension, generate = KINDS[number % len(KINDS)]
        names.append(f'{number:04}.{extension}')
        with open(f'{folder}/{names[-1]}', 'wb') as file:
            file.write(generate(random.Random(f'{seed} {number}')))
    return names
