"""Headless Chromium by the DevTools protocol over a pipe; needs nothing but Python.

--remote-debugging-pipe reads commands from file descriptor 3 and answers on 4, JSON that ends in NUL.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile

# No window of its own, whose new tab and suggestions are pages that take more than any of ours.
WITHOUT_WINDOW = ("--no-startup-window",
                  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup")


def find_chromium():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """A page of a browser of its own. `problems` gathers exceptions, console errors and requests."""

    def __init__(self, program):
        self.problems = []
        self.answers = {}
        self.events = set()
        self.last_id = 0
        self.session = None
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.commands = os.pipe()
        self.replies, from_browser = os.pipe()
        # Moved clear of 3 and 4 first, so that neither overwrites the other.
        high = [os.dup(fd) for fd in (to_browser, from_browser)]
        script = f"exec 3<&{high[0]} 4>&{high[1]}; exec \"$@\""
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", program, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
             *WITHOUT_WINDOW, f"--user-data-dir={self.profile.name}"],
            pass_fds=high, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (to_browser, from_browser, *high):
            os.close(fd)
        self.reader = os.fdopen(self.replies, "rb", buffering=0)
        self.pending = b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.reader.close()
        os.close(self.commands)
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.pending:
            part = self.reader.read(1 << 20)
            if not part:
                raise RuntimeError("the browser closed the pipe")
            self.pending += part
        text, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(text)
        if "id" in message:
            self.answers[message["id"]] = message
        else:
            self.note(message["method"], message["params"])

    def note(self, method, params):
        self.events.add(method)
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(json.dumps(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file:", "data:", "about:")):
                self.problems.append("asks the network for " + url)

    def call(self, method, **params):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while self.last_id not in self.answers:
            self.receive()
        answer = self.answers.pop(self.last_id)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, path, width=1200, height=900, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events.discard("Page.loadEventFired")
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            self.receive()
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def click(self, selector):
        x, y = self.evaluate(
            f"(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}});"
            " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
