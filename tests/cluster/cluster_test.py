#!/usr/bin/env python3
"""Shards on a cluster give the bytes of one run: cluster_test.py PROGRAM SOURCE_FOLDER [TEST...].

TEST is a class (NamespacesTest), or a class and one of its tests.
"""
import filecmp
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from slurm import Cluster  # noqa: E402

PROGRAM, SOURCE = sys.argv[1], sys.argv[2]
DATA = os.path.join(SOURCE, "..", "shared", "data", "ecu")
SHARDS = "8"


def data():
    """Images, masks and the option that says how masks are called."""
    if os.path.isdir(DATA):
        return f"{DATA}/images", f"{DATA}/masks", ["--mask-name", "{stem}_skin_{stem}"]
    return f"{SOURCE}/samples/photos", f"{SOURCE}/samples/masks", []


def skinmask(words, folder):
    environment = {name: value for name, value in os.environ.items() if name != "SKINMASK_FACES"}
    done = subprocess.run([PROGRAM, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"skinmask {' '.join(words)}: status {done.returncode}: {done.stderr}")


def files(folder):
    """Paths below a folder, hidden ones too, but for the one in which runs leave their options."""
    return sorted(os.path.relpath(os.path.join(root, name), folder)
                  for root, _, names in os.walk(folder) for name in names if name != ".skinmask-options.jsonl")


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="skinmask-cluster-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def expect_same_files(self, one, other):
        names = files(f"{self.folder}/{one}")
        self.assertEqual(files(f"{self.folder}/{other}"), names)
        self.assertTrue(names)
        for name in names:
            self.assertTrue(filecmp.cmp(f"{self.folder}/{one}/{name}", f"{self.folder}/{other}/{name}", False), name)

    def read(self, name):
        with open(f"{self.folder}/{name}", "rb") as file:
            return file.read()


class SlurmTest(FolderTest):
    """Arrays of jobs; every output is that of a single run."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(tempfile.mkdtemp(prefix="skinmask-slurm-"), PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()

    def array(self, words):
        return self.cluster.submit([f"--array=1-{SHARDS}", f"--chdir={self.folder}", f"{SOURCE}/scripts/cluster/slurm-array.sh", *words],
                                   SHARDS=SHARDS)

    def merge(self, words, after):
        return self.cluster.submit([f"--dependency=afterok:{after}", "--kill-on-invalid-dep=yes", f"--chdir={self.folder}",
                                    "--wrap", " ".join([PROGRAM, *words])])

    def expect_completed(self, job):
        self.assertEqual(self.cluster.finish(job), {"COMPLETED"}, self.logs(job))

    def logs(self, job):
        text = ""
        for path in glob.glob(f"{self.cluster.folder}/job-{job}-*.log"):
            with open(path, encoding="utf-8", errors="replace") as file:
                text += file.read()[-2000:]
        return text

    def test_a_node_is_lost_and_no_mask_is(self):
        images = data()[0]
        job = self.array(["detect", images, "-o", "out", "--resume", "-q"])
        self.cluster.wait(lambda: os.path.isdir(f"{self.folder}/out") and len(files(f"{self.folder}/out")) >= 5, 60, "first masks")
        self.assertGreaterEqual(self.cluster.kill("n2"), 3)  # daemon, step, program
        self.expect_completed(job)
        skinmask(["detect", images, "-o", "one", "-q"], self.folder)
        parts = [name for name in files(f"{self.folder}/out") if name.endswith(".part")]
        for name in parts:  # of the node that died: a run removes them when they are a day old
            os.remove(f"{self.folder}/out/{name}")
        self.assertLessEqual(len(parts), 8)
        self.expect_same_files("one", "out")

    def test_archives(self):
        images = data()[0]
        names = sorted(os.listdir(images))
        os.mkdir(f"{self.folder}/shards")
        for i in range(11):
            subprocess.run(["tar", "-C", images, "-cf", f"{self.folder}/shards/{i:03}.tar", *names[i::11]], check=True)
        job = self.array(["detect", "shards", "-o", "out", "--resume", "--adapt", "off", "-q"])
        self.expect_completed(job)
        skinmask(["detect", "shards", "-o", "one", "--adapt", "off", "-q"], self.folder)
        self.expect_same_files("one", "out")

    def test_a_model_is_trained(self):
        images, masks, names = data()
        pairs = ["--images", images, "--masks", masks, *names]
        job = self.array(["sample", *pairs, "--step", "4", "-o", "part-{}.csv", "-q"])
        merge = self.merge(["sample", "--samples", *(f"part-{i}.csv" for i in range(1, 9)), "-o", "merged.csv", "-q", "&&",
                            PROGRAM, "train", "--samples", "merged.csv", "-o", "merged.json", "-q"], job)
        self.expect_completed(job)
        self.expect_completed(merge)
        skinmask(["sample", *pairs, "--step", "4", "-o", "one.csv", "-q"], self.folder)
        skinmask(["train", "--samples", "one.csv", "-o", "one.json", "-q"], self.folder)
        self.assertTrue(self.read("merged.csv") == self.read("one.csv"))
        one, merged = (json.loads(self.read(name)) for name in ("one.json", "merged.json"))
        self.assertEqual(merged["classes"], one["classes"])

    def test_a_model_is_judged(self):
        images, masks, names = data()
        pairs = ["--images", images, "--truth", masks, *names]
        job = self.array(["evaluate", *pairs, "--partial", "part-{}.json", "-q"])
        merge = self.merge(["evaluate", *pairs, "--partials", *(f"part-{i}.json" for i in range(1, 9)), "--json", "merged.json",
                            "--report", "merged.html", "-q"], job)
        self.expect_completed(job)
        self.expect_completed(merge)
        skinmask(["evaluate", *pairs, "--json", "one.json", "--report", "one.html", "-q"], self.folder)
        self.assertTrue(self.read("merged.json") == self.read("one.json"))
        self.assertTrue(self.read("merged.html") == self.read("one.html"))


class NamespacesTest(FolderTest):
    """Workers that are each process 1 of a namespace of their own, as in containers, share a folder."""
    ROUNDS, WORKERS = 20, 8

    def workers(self, words_of):
        prefix = ["unshare", "-pf", "--mount-proc"] if os.geteuid() == 0 else ["unshare", "-Urpf", "--mount-proc"]
        children = [subprocess.Popen([*prefix, PROGRAM, *words_of(i)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True) for i in range(self.WORKERS)]
        for child in children:
            self.assertEqual(child.communicate()[1], "")
            self.assertEqual(child.returncode, 0)

    def test_nothing_is_lost(self):
        images = data()[0]
        skinmask(["detect", images, "-o", "one", "--scale", "1/8", "--adapt", "off", "-q"], self.folder)
        for i in range(self.ROUNDS):
            words = ["detect", images, "-o", "out", "--scale", "1/8", "--adapt", "off", "-q"]
            if i % 2:  # shards of their own, or all of them the same list
                self.workers(lambda n, words=words: [*words, "--shard", f"{n + 1}/{self.WORKERS}"])
            else:
                self.workers(lambda n, words=words: [*words, "--resume"])
            self.expect_same_files("one", "out")
            shutil.rmtree(f"{self.folder}/out")


def main():
    start = time.monotonic()
    loader, module = unittest.defaultTestLoader, sys.modules["__main__"]
    names = sys.argv[3:]
    suite = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"{time.monotonic() - start:.0f} s")
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
