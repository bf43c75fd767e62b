"""What files of strangers hold: other libraries' formats, sizes that lie, lists of other files."""
import io
import os
import random
import struct
import tarfile
import zlib

import inputs

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def corpus(name, target='image'):
    """An input of the fuzz targets; those of pictures have a byte of settings before them."""
    with open(f'{ROOT}/tests/fuzz/corpus/{target}/{name}', 'rb') as file:
        return file.read()[0 if target in ('matroska', 'heif') else 1:]


def sample(name):
    with open(f'{ROOT}/samples/photos/{name}', 'rb') as file:
        return file.read()


def nitf(source):
    """NITF by its first bytes, and to GDAL a virtual raster: the picture of another file."""
    bands = ''.join(f'<VRTRasterBand dataType="Byte" band="{i}"><SimpleSource>'
                    f'<SourceFilename relativeToVRT="0">{source}</SourceFilename>'
                    f'<SourceBand>{i}</SourceBand></SimpleSource></VRTRasterBand>'
                    for i in (1, 2, 3))
    return f'NITF02.10<VRTDataset rasterXSize="64" rasterYSize="48">{bands}</VRTDataset>'


def hls(entry, times=1, ends=True):
    lines = ['#EXTM3U', '#EXT-X-VERSION:3', '#EXT-X-TARGETDURATION:10']
    lines += ['#EXTINF:10,', entry] * times + ['#EXT-X-ENDLIST'] * ends
    return '\n'.join(lines) + '\n'


def dash(entry):
    return ('<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" '
            'mediaPresentationDuration="PT10S"><Period><AdaptationSet contentType="video">'
            f'<Representation id="0" bandwidth="1000"><BaseURL>{entry}</BaseURL>'
            '</Representation></AdaptationSet></Period></MPD>')


def concat(*entries):
    return 'ffconcat version 1.0\n' + ''.join(f"file '{entry}'\n" for entry in entries)


def sdp(port):
    return (f'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\n'
            f'm=video {port} RTP/AVP/TCP 96\na=rtpmap:96 H264/90000\n')


def png_of_size(width, height):
    data = inputs.png(8, 8, [bytes(8)] * 8, 0)
    header = struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0)
    return data[:8] + inputs.chunk(b'IHDR', header) + data[33:]


def png_with(extra):
    """A good picture with more chunks."""
    data = sample('astronaut.png')
    return data[:33] + extra + data[33:]


def texts_that_swell():
    """A thousand compressed texts of ten megabytes each, and a profile of as much."""
    packed = zlib.compress(bytes(10 << 20), 9)
    return png_with(inputs.chunk(b'zTXt', b'a\0\0' + packed) * 1000 +
                    inputs.chunk(b'iCCP', b'a\0\0' + packed))


def jpeg_of_size(width, height):
    """A photograph whose frame header (SOF0 or SOF2) says another size."""
    data, at = sample('grace_hopper.jpg'), 2
    while data[at + 1] not in (0xC0, 0xC2):
        at += 2 + struct.unpack('>H', data[at + 2:at + 4])[0]
    return data[:at + 5] + struct.pack('>HH', height, width) + data[at + 9:]


def jpeg_of_scans(count):
    """A progressive JPEG whose last scan comes over and over."""
    data = corpus('progressive.jpg')
    last = data[data.rindex(b'\xff\xda'):-2]
    return data[:-2] + last * count + data[-2:]


def jpeg_with_exif(exif):
    data, body = sample('grace_hopper.jpg'), b'Exif\0\0' + exif
    return data[:2] + b'\xff\xe1' + struct.pack('>H', len(body) + 2) + body + data[2:]


def riff(kind, data):
    body = kind + struct.pack('<I', len(data)) + data + b'\0' * (len(data) % 2)
    return b'RIFF' + struct.pack('<I', len(body) + 4) + b'WEBP' + body


def webp_canvas(width, height):
    return riff(b'VP8X', struct.pack('<I', 16) + (width - 1).to_bytes(3, 'little') +
                (height - 1).to_bytes(3, 'little')) + corpus('lossy.webp')[12:]


def webp_lossless(width, height):
    bits = (width - 1) | (height - 1) << 14
    return riff(b'VP8L', b'/' + struct.pack('<I', bits) + bytes(40))


def gif(width, height, pictures=1):
    head = b'GIF89a' + struct.pack('<HHBBB', width, height, 0x80, 0, 0) + b'\0\0\0\xff\xff\xff'
    one = b',' + struct.pack('<HHHHB', 0, 0, width, height, 0) + b'\x02\x02\x44\x01\0'
    return head + one * pictures + b';'


def gif_of_dots(width, height, pictures):
    """Pictures of one pixel, each of which makes a frame of the whole canvas."""
    dot = gif(1, 1, pictures)
    return dot[:6] + struct.pack('<HH', width, height) + dot[10:]


def tiff_of_tiles(count, width, height):
    """Eight bits grey, a pixel wide, in tiles that are all the same bytes."""
    places = 8 + 2 + 11 * 12 + 4
    data = places + 8 * count
    packed = zlib.compress(bytes(1 << 20), 9)
    entries = ((256, 1, 1), (257, 1, count * height), (258, 1, 8), (259, 1, 8), (262, 1, 1),
               (277, 1, 1), (284, 1, 1), (322, 1, width), (323, 1, height),
               (324, count, places), (325, count, places + 4 * count))
    return (b'II*\0' + struct.pack('<IH', 8, len(entries)) +
            b''.join(struct.pack('<HHII', tag, 4, number, value) for tag, number, value in entries) +
            bytes(4) + struct.pack('<I', data) * count + struct.pack('<I', len(packed)) * count +
            packed)


def tiff(width, height, strip=8):
    """Eight bits grey, in one strip at `strip`."""
    entries = ((256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1), (262, 3, 1),
               (273, 4, strip), (277, 3, 1), (278, 4, height), (279, 4, width * height % 2**32))
    return (b'II*\0' + struct.pack('<IH', 8, len(entries)) +
            b''.join(struct.pack('<HHII', tag, kind, 1, value) for tag, kind, value in entries) +
            bytes(4))


def jxl(width, height):
    """A bare codestream: the size (30 bits a side), then nothing that is special."""
    bits, at = 0, 0
    for value, count in ((0, 1), (3, 2), (height - 1, 30), (0, 3), (3, 2), (width - 1, 30),
                         (1, 1), (1, 1)):
        bits |= value << at
        at += count
    return b'\xff\x0a' + bits.to_bytes(16, 'little') + bytes(64)


def heif_of_size(name, width, height):
    data = corpus(name)
    at = data.index(b'ispe') + 8
    return data[:at] + struct.pack('>II', width, height) + data[at + 8:]


def bmp(width, height):
    data = bytearray(corpus('colour.bmp'))
    data[18:26] = struct.pack('<ii', width, height)
    return bytes(data)


def y4m(width, height):
    return f'YUV4MPEG2 W{width} H{height} F25:1 C420jpeg\nFRAME\n'.encode() + bytes(999)


def ivf(width, height):
    return (b'DKIF' + struct.pack('<HH4sHHIIII', 0, 32, b'VP80', width, height, 25, 1, 1, 0) +
            struct.pack('<IQ', 40, 0) + b'\x10\2\0\x9d\1\x2a' + b'\xff' * 34)


def flash_screen(width, height):
    """An FLV of Flash Screen Video, whose one block unpacks to a single byte."""
    block = zlib.compress(b'\0')
    picture = b'\x13' + struct.pack('>HHH', 15 << 12 | width, 15 << 12 | height, len(block)) + block
    tags = b''
    for i in range(9):
        tags += b'\x09' + len(picture).to_bytes(3, 'big') + (40 * i).to_bytes(3, 'big') + bytes(4)
        tags += picture + struct.pack('>I', len(picture) + 11)
    return b'FLV\1\1\0\0\0\x09\0\0\0\0' + tags


def laughs():
    """An XML whose text is a billion times as long as it is."""
    levels = ''.join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    return (f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a0 "lol">{levels}]>'
            '<svg xmlns="http://www.w3.org/2000/svg"><text>&a9;</text></svg>')


def tar(*entries):
    """Of (name, bytes) or (name, TarInfo's type, what it leads to)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as archive:
        for name, *what in entries:
            info = tarfile.TarInfo(name)
            if len(what) == 1:
                info.size = len(what[0])
            else:
                info.type, info.linkname = what
            archive.addfile(info, io.BytesIO(what[0]) if len(what) == 1 else None)
    return out.getvalue()


def without_end(archive):
    """Without the blocks of zeros, so that more may follow."""
    end = len(archive.rstrip(b'\0'))
    return archive[:end + -end % 512]


def sparse_entry(size):
    """One entry of GNU's form for files with holes: a terabyte, say, of which nothing is there."""
    head = bytearray(tar(('terabyte.png', b''))[:512])
    head[156:157] = b'S'
    head[257:265] = b'ustar  \0'
    head[386:410] = b'%011o\0%011o\0' % (0, 0)
    head[483:495] = b'\x80' + size.to_bytes(11, 'big')
    head[148:156] = b' ' * 8
    head[148:156] = b'%06o\0 ' % sum(head)
    return bytes(head) + bytes(1024)


# First bytes that decoders and demuxers know, before what is random.
BEGINNINGS = {
    'jpg': b'\xff\xd8\xff\xe0\0\x10JFIF\0', 'png': b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
    'webp': b'RIFF\0\x10\0\0WEBPVP8 ', 'tif': b'II*\0\x08\0\0\0', 'gif': b'GIF89a', 'bmp': b'BM',
    'jxl': b'\xff\x0a', 'heic': b'\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'ppm': b'P6\n',
    'avif': b'\0\0\0\x18ftypavif\0\0\0\0mif1avif', 'mp4': b'\0\0\0\x18ftypisom\0\0\2\0isommp42',
    'mkv': b'\x1aE\xdf\xa3\x8bB\x82\x88matroska\x18S\x80g', 'avi': b'RIFF\0\x10\0\0AVI LIST',
    'flv': b'FLV\1\5\0\0\0\t', 'ogv': b'OggS\0\2', 'mxf': bytes.fromhex('060e2b34020501010d010201'),
    'wmv': bytes.fromhex('3026b2758e66cf11a6d900aa0062ce6c'), 'mpg': b'\0\0\1\xba\x44\0\4\0\4\1',
    'ivf': b'DKIF\0\0\x20\0VP80', 'nut': b'nut/multimedia container\0', 'h264': b'\0\0\0\1\x67',
    'h265': b'\0\0\0\1\x40\1\x0c', 'y4m': b'YUV4MPEG2 W9 H9 ', 'dv': b'\x1f\x07\0\x3f',
}


def junk(seed, beginning=b'', size=20000):
    return beginning + random.Random(seed).randbytes(size)
