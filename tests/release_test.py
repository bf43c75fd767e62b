"""scripts/release on a clone of what is committed: refusals, the same bytes twice, sums and notes.

    release_test.py SOURCE

Packages, which take a quarter of an hour, are left out. Exit status 77 where SOURCE is no checkout
of git.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

WHO = "Somebody Real <somebody@example.org>"


def release(clone: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "SKINMASK_MAINTAINER"}
    command = [str(clone / "scripts/release"), "--no-packages", *words]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**environment, **settings},
        cwd=clone.parent,
        check=False,
    )


def files_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), int(path.stat().st_mtime))
        for path in folder.rglob("*")
        if path.is_file()
    }


def refused(clone: Path, part: str, *words: str) -> None:
    run = release(clone, *words)
    assert run.returncode == 2, (words, run)
    assert part in run.stderr and run.stderr.count("\n") == 1, run.stderr
    assert not (clone / "build").exists()


def main(source: Path) -> int:
    if subprocess.run(["git", "-C", source, "rev-parse"], capture_output=True).returncode != 0:
        print("needs a checkout of git")
        return 77
    with tempfile.TemporaryDirectory() as work:
        clone = Path(work) / "clone"
        # Without a copy of what is there already.
        subprocess.run(["git", "clone", "-q", "--shared", source, clone], check=True)
        shutil.copy(source / "scripts/release", clone / "scripts/release")
        for command in (["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "a release"]):
            who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
            subprocess.run(["git", *who, *command], cwd=clone, check=True)
        refused(clone, "who maintains the packages is not said")
        refused(clone, "ends in .invalid", "--maintainer", "No One <no@skinmask.invalid>")
        refused(clone, "is no NAME <ADDRESS>", "--maintainer", "somebody@example.org")
        refused(clone, "there is no option --maintaner", "--maintaner", WHO)
        (clone / "new").write_text("")
        refused(clone, "not committed", "--maintainer", WHO)
        (clone / "new").unlink()

        first = release(clone, "--maintainer", WHO)
        assert first.returncode == 0, first.stderr
        again = release(
            clone, "again", SKINMASK_MAINTAINER=WHO, TZ="Asia/Kolkata", LC_ALL="C", LANG="C"
        )
        assert again.returncode == 0, again.stderr
        made = files_of(clone / "build/release-files")
        assert made == files_of(Path(work) / "again")
        refused_again = release(clone, "--maintainer", WHO)
        assert refused_again.returncode == 2 and "not empty" in refused_again.stderr

        (archive,) = [name for name in made if name.endswith(".tar.gz")]
        assert set(made) == {archive, "NOTES.md", "SHA256SUMS"}, set(made)
        for line in made["SHA256SUMS"][0].decode().splitlines():
            digest, name = line.split("  ")
            assert hashlib.sha256(made[name][0]).hexdigest() == digest, name
        version = archive[len("skinmask-") : -len(".tar.gz")]
        changes = (clone / "CHANGELOG.md").read_text()
        notes = made["NOTES.md"][0].decode()
        assert notes.startswith(f"# skinmask {version}\n")
        assert len(notes) > 1000 and notes.split("\n", 2)[2].strip() in changes
        with tarfile.open(clone / "build/release-files" / archive) as packed:
            names = {member.name for member in packed if member.isfile()}
        tracked = subprocess.run(
            ["git", "ls-files", "-z"], cwd=clone, capture_output=True, text=True, check=True
        ).stdout.split("\0")
        links = {name for name in tracked if name and (clone / name).is_symlink()}
        wanted = {f"skinmask-{version}/{name}" for name in tracked if name and name not in links}
        assert names == wanted, names ^ wanted
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
