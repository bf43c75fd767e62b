"""A screen without a monitor, and what is on it."""
import os
import subprocess

import numpy


class Screen:
    """An X server with a window manager."""

    def __init__(self, case, size="1600x1100"):
        from Xlib import display
        reader, writer = os.pipe()
        self.server = case.start(["Xvfb", "-displayfd", str(writer), "-screen", "0", size + "x24"], pass_fds=[writer],
                                 stderr=subprocess.DEVNULL)
        self.name = ":" + os.read(reader, 20).decode().strip()
        self.environment = {**os.environ, "DISPLAY": self.name}
        case.start(["openbox"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.display = display.Display(self.name)
        self.root = self.display.screen().root

    def window(self):
        """The program's window and the position of its contents; None before there is one."""
        def search(window):
            for child in window.query_tree().children:
                name = child.get_wm_name()
                if name and "skinmask" in str(name) and child.get_attributes().map_state == 2:
                    return child
                found = search(child)
                if found:
                    return found
            return None
        try:
            window = search(self.root)
            if not window:
                return None
            at = window.translate_coords(self.root, 0, 0)
            geometry = window.get_geometry()
            return window, -at.x, -at.y, geometry.width, geometry.height
        except Exception:  # it changed meanwhile
            return None

    def shot(self, x, y, width, height):
        """(height, width, 3), blue green red."""
        image = self.root.get_image(x, y, width, height, 2, 0xFFFFFFFF)
        return numpy.frombuffer(image.data, numpy.uint8).reshape(height, width, 4)[:, :, :3]

    def xdotool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, stderr=subprocess.DEVNULL)
