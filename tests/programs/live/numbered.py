#!/usr/bin/env python3
"""A live source whose pictures carry their number: numbered.py camera|jpeg-camera|rtsp|http|udp WHERE.

A photograph with a strip along the bottom: a white cell, a black one, then sixteen bits, the highest
first. Each number is logged (--log) with the monotonic time at which its picture was handed on.
"""
import argparse
import io
import subprocess
import sys
import threading
import time

import numpy

CELLS = 18


def strip(height):
    """Rows of the strip."""
    return slice(height - height // 10, height)


def draw(luma, number):
    """Writes the strip into a grey picture: 235 for ones, 16 for noughts."""
    height, width = luma.shape
    cells = [1, 0] + [number >> bit & 1 for bit in range(15, -1, -1)]
    row = numpy.repeat(numpy.array(cells, numpy.uint8) * 219 + 16, width // CELLS)
    luma[strip(height), : row.size] = row


def read(picture):
    """The number in a picture (height, width[, colours]), or None."""
    rows = strip(picture.shape[0])
    middle = (rows.start + rows.stop) // 2
    return read_rows(picture[middle - 2:middle + 3])


def read_rows(rows):
    """The number in some rows of the strip."""
    grey = rows if rows.ndim == 2 else rows.max(axis=2)
    cell = grey.shape[1] // CELLS
    values = [int(grey[:, int((i + 0.5) * cell)].mean()) for i in range(CELLS)]
    white, black = values[:2]
    if white - black < 30:
        return None
    return sum((v > (white + black) / 2) << (15 - i) for i, v in enumerate(values[2:]))


def photograph(path, width, height):
    """Planes Y, U, V of the photograph, all of full size, BT.601."""
    from PIL import Image
    rgb = numpy.asarray(Image.open(path).convert("RGB").resize((width, height)), float)
    y = 16 + rgb @ [0.257, 0.504, 0.098]
    u = 128 + rgb @ [-0.148, -0.291, 0.439]
    v = 128 + rgb @ [0.439, -0.368, -0.071]
    rows = strip(height)
    u[rows] = v[rows] = 128
    return [plane.clip(0, 255).astype(numpy.uint8) for plane in (y, u, v)]


class Source:
    def __init__(self, options):
        self.width, self.height = map(int, options.size.split("x"))
        self.rate = options.rate
        self.planes = photograph(options.photo, self.width, self.height)
        self.log = open(options.log, "w", buffering=1) if options.log else None
        self.number = 0
        self.packed = None

    def note(self):
        if self.log:
            self.log.write(f"{self.number} {time.monotonic():.6f}\n")
        self.number += 1

    def yuyv(self):
        y, u, v = self.planes
        draw(y, self.number)
        if self.packed is None:
            self.packed = numpy.dstack([y, y])
            self.packed[:, 0::2, 1] = u[:, 0::2]
            self.packed[:, 1::2, 1] = v[:, 0::2]
        rows = strip(self.height)  # all that changes
        self.packed[rows, :, 0] = y[rows]
        return self.packed.tobytes()

    def i420(self):
        y, u, v = self.planes
        draw(y, self.number)
        return y.tobytes() + u[::2, ::2].tobytes() + v[::2, ::2].tobytes()

    def jpeg(self):
        from PIL import Image
        y, u, v = self.planes
        draw(y, self.number)
        out = io.BytesIO()
        Image.fromarray(numpy.dstack([y, u, v]), "YCbCr").save(out, "JPEG", quality=90)
        return out.getvalue()

    def beats(self):
        """Sleeps from beat to beat; a late one does not move those that follow."""
        start = time.monotonic()
        for i in range(1 << 30):
            pause = start + i / self.rate - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            yield i


def gstreamer():
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    Gst.init(None)
    return Gst


def push(gst, source, appsrc, make):
    for _ in source.beats():
        data = make()
        source.note()
        if appsrc.emit("push-buffer", gst.Buffer.new_wrapped(data)) != gst.FlowReturn.OK:
            return


def camera(options, jpeg):
    gst = gstreamer()
    source = Source(options)
    kind = "image/jpeg" if jpeg else "video/x-raw,format=YUY2"
    caps = f"{kind},width={source.width},height={source.height},framerate={source.rate}/1"
    pipeline = gst.parse_launch(
        f"appsrc name=src is-live=true do-timestamp=true format=time max-buffers=2 leaky-type=downstream caps={caps} ! "
        "pipewiresink mode=provide stream-properties=\"props,media.class=Video/Source,media.role=Camera,"
        "node.name=numbered,node.description=Numbered\"")
    pipeline.set_state(gst.State.PLAYING)
    push(gst, source, pipeline.get_by_name("src"), source.jpeg if jpeg else source.yuyv)


def rtsp(options):
    gst = gstreamer()
    import gi
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, GstRtspServer
    source = Source(options)
    caps = f"video/x-raw,format=I420,width={source.width},height={source.height},framerate={source.rate}/1"
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(f"( appsrc name=src is-live=true do-timestamp=true format=time caps={caps} ! "
                       "jpegenc ! rtpjpegpay name=pay0 )")

    def configured(_, media):
        appsrc = media.get_element().get_by_name_recurse_up("src")
        threading.Thread(target=push, args=(gst, source, appsrc, source.i420), daemon=True).start()

    factory.connect("media-configure", configured)
    server = GstRtspServer.RTSPServer()
    server.set_service(options.where)
    server.get_mount_points().add_factory("/camera", factory)
    server.attach(None)
    GLib.MainLoop().run()


def http(options):
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/silent":
                time.sleep(60)
                return
            if self.path != "/camera":
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            source = Source(options)
            try:
                for _ in source.beats():
                    data = source.jpeg()
                    source.note()
                    self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n"
                                     % (len(data), data))
            except OSError:
                pass

        def log_message(self, *_):
            pass

    ThreadingHTTPServer.allow_reuse_address = True
    ThreadingHTTPServer(("127.0.0.1", int(options.where)), Handler).serve_forever()


def udp(options):
    source = Source(options)
    sender = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", options.size, "-r",
         str(source.rate), "-i", "-", "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "10",
         "-f", "mpegts", f"udp://127.0.0.1:{options.where}?pkt_size=1316"], stdin=subprocess.PIPE)
    for _ in source.beats():
        data = source.i420()
        source.note()
        sender.stdin.write(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["camera", "jpeg-camera", "rtsp", "http", "udp"])
    parser.add_argument("where", nargs="?", help="port")
    parser.add_argument("--photo", required=True)
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--rate", type=int, default=30)
    parser.add_argument("--log")
    options = parser.parse_args()
    if options.mode.endswith("camera"):
        camera(options, options.mode == "jpeg-camera")
    else:
        {"rtsp": rtsp, "http": http, "udp": udp}[options.mode](options)


if __name__ == "__main__":
    sys.exit(main())
