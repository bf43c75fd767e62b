"""The kinds of hostile files: name, content and what the program should make of them."""
import re
import tarfile

import content

# What the program should make of a file: one line and no output; one line and what was whole
# before the damage; a picture like others; not a word, as it is no file of a known name.
LINE, PART, DONE, SKIPPED = 'line', 'part', 'done', 'skipped'


def extensions():
    """All that the program takes, from its source, so that none is forgotten here."""
    text = open(f'{content.ROOT}/src/media/inputs.cc').read()
    lists = re.findall(r'k(?:Images|Videos)\{([^}]*)\}', text)
    found = sorted(set(re.findall(r'"\.(\w+)"', ' '.join(lists)))) + ['tar']
    if len(lists) != 2 or not {'jpg', 'mkv'} <= set(found):
        raise SystemExit('src/media/inputs.cc: has no lists of extensions that can be read here')
    return found


def lists_of_others(secrets, port):
    """(a) and (c): what names another file or an address."""
    address = f'http://127.0.0.1:{port}'
    picture, video = secrets
    yield 'vrt-file.jpg', content.nitf(picture)
    yield 'vrt-address.png', content.nitf(f'/vsicurl/{address}/a.png')
    yield 'vrt-neighbour.tif', content.nitf('000.jpg')
    yield 'vrt.ntf.bmp', content.corpus('nitf-vrt.ntf')
    for kind in ('ts', 'mp4', 'mkv'):
        yield f'hls-video.{kind}', content.hls(video)
        yield f'hls-address.{kind}', content.hls(f'{address}/a.ts', ends=False)
        yield f'concat-neighbours.{kind}', content.concat(video, '000.jpg', f'{address}/a.mp4')
    yield 'hls-address.avi', content.hls(f'{address}/a.ts', 39)
    yield 'hls-key.ts', content.hls(video).replace(
        '#EXTINF', f'#EXT-X-KEY:METHOD=AES-128,URI="{address}/key"\n#EXTINF', 1)
    yield 'dash-video.mp4', content.dash(video)
    yield 'dash-address.webm', content.dash(f'{address}/a.mp4')
    yield 'sdp.mp4', content.sdp(port)
    yield 'address.mkv', f'{address}/a.mkv\n'
    yield 'asx.wmv', f'<asx version="3.0"><entry><ref href="{address}/a.wmv"/></entry></asx>'
    yield 'references.asf', f'[Reference]\nRef1={address}/a.wmv?MSWMExt=.asf\n'
    yield 'pls.flv', f'[playlist]\nFile1={address}/a.flv\nNumberOfEntries=1\n'
    yield 'smooth.mov', ('<SmoothStreamingMedia MajorVersion="2" Duration="9"><StreamIndex '
                         f'Url="{address}/q"/></SmoothStreamingMedia>')
    yield 'imf.mxf', (f'<CompositionPlaylist><Id>urn:uuid:0</Id><Resource>{video}</Resource>'
                      '</CompositionPlaylist>')
    yield 'vobsub.vob', f'# VobSub index file, v7 (do not modify this line!)\nid: en\n# {video}\n'
    yield 'svg-image.png', ('<svg xmlns="http://www.w3.org/2000/svg"><image href='
                            f'"{address}/a.png"/><image href="file://{picture}"/></svg>')
    yield 'entity.jpg', f'<!DOCTYPE x [<!ENTITY y SYSTEM "file://{picture}">]><svg>&y;</svg>'
    yield 'postscript.jpg', f'%!PS-Adobe-3.0 EPSF-3.0\n({picture}) (r) file 9 string readstring\n'
    yield 'run.tiff', '%!PS\n(%pipe%touch executed) (w) file closefile\n'
    yield 'magick.png', f'push graphic-context\nimage over 0,0 0,0 "{address}/a.png"\npop\n'


def bombs():
    """(d): what is small as a file."""
    yield 'huge.png', content.png_of_size(60000, 60000)
    yield 'huge-corpus.png', content.corpus('huge.png')
    yield 'longest.png', content.png_of_size(2**31 - 1, 1)
    yield 'huge.jpg', content.jpeg_of_size(65500, 65500)
    yield 'scans.jpg', content.jpeg_of_scans(5000)
    yield 'huge.webp', content.webp_canvas(60000, 60000)
    for count in (1, 2):
        yield f'huge-{count}.gif', content.gif(60000, 60000, count)
    yield 'dots.gif', content.gif_of_dots(8192, 8192, 20)
    yield 'huge.tif', content.tiff(60000, 60000)
    yield 'tiles.tif', content.tiff_of_tiles(1000, 1 << 24, 16)
    yield 'huge.jxl', content.jxl(60000, 60000)
    yield 'channels.jxl', content.corpus('five-channels.jxl')
    yield 'huge.avif', content.heif_of_size('primary.avif', 60000, 60000)
    yield 'huge.heic', content.heif_of_size('primary.heic', 60000, 60000)
    yield 'huge.bmp', content.bmp(60000, 60000)
    yield 'huge.ppm', b'P6 60000 60000 255\n' + bytes(99)
    yield 'digits.pgm', b'P5 ' + b'9' * 5000 + b' 9 255\n'
    yield 'huge.y4m', content.y4m(60000, 60000)
    yield 'huge.ivf', content.ivf(65535, 65535)
    yield 'laughs.jpg', content.laughs()
    yield 'pages.png', '%PDF-1.4\n' + '1 0 obj<</Type/Pages/Kids[1 0 R]/Count 9999999>>endobj\n'
    yield 'loop.webp', '%!PS\n{ 1 } loop\n'


def derived_images():
    """HEIC and AVIF whose pictures are made of themselves, of nothing, or of other kinds."""
    for name in ('grid-of-itself', 'grid-of-nothing', 'grid-of-three', 'identity-of-itself',
                 'overlay', 'past-the-end', 'endless-property'):
        yield f'{name}.avif', content.corpus(name, 'heif')


def memory_of_videos():
    """Videos whose decoders would show what was in their memory."""
    for width, height in ((240, 240), (512, 256)):
        yield f'spy-{width}.flv', content.flash_screen(width, height)


def below_the_limit():
    """Bombs that are within the default limit, and take gigabytes: for a run with a smaller one."""
    side = 16384
    yield 'limit.png', content.png_of_size(side, side)
    yield 'limit.jpg', content.jpeg_of_size(side, side)
    yield 'limit.webp', content.webp_lossless(side, side)
    yield 'limit.gif', content.gif(side, side)
    yield 'limit.tif', content.tiff(side, side)
    yield 'limit.jxl', content.jxl(side, side)
    yield 'limit.avif', content.heif_of_size('primary.avif', side, side)
    yield 'limit.bmp', content.bmp(side, side)
    yield 'limit.ppm', b'P6 16384 16384 255\n' + bytes(99)
    yield 'limit.y4m', content.y4m(side, side)


def strange_formats():
    """(b) and (h): what other libraries would take, and headers that are junk."""
    for name in ('dicom.jpg', 'webp-dicom.webp', 'png-dicom.png', 'vp8l-junk.webp',
                 'tiff-without-its-last-byte.tif', 'damaged-lzw.tif', 'jbig-of-nothing.tif',
                 'sixteen-rgb-of-one-sample.tif', 'two-bytes-of-codes.gif'):
        yield name, content.corpus(name)
    yield 'dicom-zeros.png', bytes(128) + b'DICM'
    yield 'openexr.png', bytes.fromhex('762f310102000000') + b'x' * 90
    yield 'jpeg2000.jpg', bytes.fromhex('0000000c6a5020200d0a870a') + bytes(90)
    yield 'hdr.bmp', b'#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 9 +X 9\n' + bytes(90)
    yield 'pfm.ppm', b'PF\n9 9\n-1.0\n' + bytes(972)
    yield 'sunraster.png', bytes.fromhex('59a66a95') + bytes(60)
    for name in ('unknown-8', 'long-8', 'nine', 'cut'):
        yield f'{name}.mkv', content.corpus(name, 'matroska')
    for kind in ('jpg', 'png', 'mp4', 'tar'):
        yield f'empty.{kind}', b''


def cut(videos):
    """Files that end too early: of videos, what is whole before that may be an output."""
    yield 'cut.jpg', content.sample('grace_hopper.jpg')[:-20000], LINE
    yield 'cut.png', content.sample('astronaut.png')[:-20000], LINE
    for name in ('lossy.webp', 'lossless.webp', 'colour.bmp', 'deflate.tif', 'still.gif',
                 'primary.avif', 'primary.heic', 'lossless.jxl', 'binary.ppm'):
        yield f'cut-{name}', content.corpus(name)[:-20], LINE
    for name, data, expected in videos:
        yield f'cut.{name}', data, expected


def archives():
    good = content.sample('grace_hopper.jpg')
    yield 'leads-out.tar', content.tar(('../../escaped.jpg', good))
    yield 'absolute.tar', content.tar(('/escaped.jpg', good))
    yield 'twice.tar', content.tar(('a.jpg', good), ('a.jpg', good))
    yield 'cut.tar', content.tar(('a.jpg', good))[:20000]
    yield 'long-name.tar', content.tar(('a' * 5000 + '.jpg', good))
    yield 'packed.tar', bytes.fromhex('1f8b0800000000000003') + bytes(600)
    yield 'video.ts', content.tar(('v.ts', good))
    yield 'picture.jpg', content.tar(('a.jpg', good))


def spoiled_archives():
    """Of which one picture is good: it is done, and the other is a line."""
    good = content.without_end(content.tar(('a.jpg', content.sample('grace_hopper.jpg'))))
    for name, second in (
            ('terabyte', content.sparse_entry(1 << 40)),
            ('link', content.tar(('b.jpg', tarfile.SYMTYPE, '/etc/passwd'))),
            ('hard-link', content.tar(('b.jpg', tarfile.LNKTYPE, '../000.jpg'))),
            ('device', content.tar(('b.jpg', tarfile.CHRTYPE, ''))),
            ('damaged', content.tar(('b.jpg', content.junk('b'))))):
        yield f'{name}.tar', good + second


def names():
    """Names that give orders to a terminal, a shell or FFmpeg; the content is junk."""
    forged = '\nskinmask: in\u2215000.jpg: is forged'
    for name in ('\x1b]0;title\a\x1b[31m', forged, '\r\x1b[2K', '\u202egpj', '\udc9b\udcff\udcc0',
                 '\u009b2J\u2028', 'n' * 200, '`touch executed`$(touch executed);\'"&|*',
                 '%n%n%s%1$s', '%03d', 'trailing blank ', '-o', 'file:a|b', '\u200b\ufeff'):
        for kind in ('png', 'mp4'):
            yield f'{name}.{kind}'


def harmless():
    """What looks like harm and is a picture: no more than its pixels is read."""
    yield 'texts.png', content.texts_that_swell()
    for name in ('many-ways-to-itself', 'ifd-that-leads-to-itself', 'many-entries', 'long-value'):
        yield f'exif-{name}.jpg', content.jpeg_with_exif(content.corpus(name, 'exif'))
    yield 'png.jpg', content.sample('astronaut.png')
    yield 'escape-\x1b[31m\n\udc9b.jpg', content.sample('grace_hopper.jpg')


def all_files(secrets, port, videos):
    """(name, content, what is expected) of everything that is written; the rest are special()."""
    for part in (lists_of_others(secrets, port), bombs(), strange_formats(), archives(),
                 memory_of_videos(), derived_images()):
        yield from ((name, data, LINE) for name, data in part)
    yield from cut(videos)
    yield from ((name, data, PART) for name, data in spoiled_archives())
    yield from ((name, content.junk(name.encode('utf-8', 'replace')), LINE) for name in names())
    yield from ((f'random.{kind}', content.junk(kind), LINE) for kind in extensions())
    yield from ((f'begins.{kind}', content.junk(kind, first), LINE)
                for kind, first in content.BEGINNINGS.items())
    yield from ((name, data, DONE) for name, data in harmless())
    yield 'laughs.svg', content.laughs(), SKIPPED
    yield 'list.m3u8', content.hls(secrets[1]), SKIPPED
    # It lists itself 39 times and never ends; its number is put before the name, as for all.
    yield 'self.ts', '{self}', LINE
