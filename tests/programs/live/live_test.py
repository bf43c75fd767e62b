#!/usr/bin/env python3
"""`skinmask live` with real sources and a real window: live_test.py PROGRAM SOURCE_FOLDER [TEST...].

Runs inside a D-Bus session (scripts/test-live). TEST is a class (SpeedTest), or a class and one of its tests.
"""
import sys
import unittest

from camera_test import CameraTest, PipeWire
from speed_test import SpeedTest
from stream_test import StreamTest
from window_test import WindowTest

__all__ = ["CameraTest", "SpeedTest", "StreamTest", "WindowTest"]  # what runs


def main():
    with PipeWire():
        loader = unittest.defaultTestLoader
        module = sys.modules["__main__"]
        suite = loader.loadTestsFromNames(sys.argv[3:], module) if sys.argv[3:] else loader.loadTestsFromModule(module)
        result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
