"""Paths, downloads and environments of the suites, and the results of their runs."""

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
PLACE = TARGET / "suites"
# `cust` links with the libraries in a folder named `lib64`.
LIBRARY = PLACE / "libcuda" / "lib64"


class Missing(Exception):
    """A suite cannot be downloaded or compiled on this machine."""


@dataclass
class Result:
    """The result of a suite: the names of passed and failed tests, the output, and the seconds."""

    passed: set = field(default_factory=set)
    failed: set = field(default_factory=set)
    text: str = ""
    seconds: float = 0.0

    def add(self, text, passed, failed, seconds=0.0):
        self.text += text
        self.failed |= set(failed)
        self.passed = (self.passed | set(passed)) - self.failed
        self.seconds += seconds


def get(command, **options):
    """Runs a command that downloads or builds another program."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, command))}: {done.stderr.strip()[-400:]}")
    return done.stdout


def run(command, seconds, **options):
    """The output of a command, until its end or until the time limit, and the seconds that it took. The error output comes after
    the standard output: in between, it would break the lines that name tests."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, **options)
        output = done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"") + (late.stderr or b"") + f"\nIt did not end in {seconds} s.\n".encode()
    return output.decode(errors="replace"), time.monotonic() - start


def build_library():
    subprocess.run(["cargo", "build", "--locked", "-p", "virtual-libcuda"], cwd=ROOT, check=True)
    LIBRARY.mkdir(parents=True, exist_ok=True)
    # The file is replaced and not overwritten: a program that still runs keeps the file that it has loaded.
    shutil.copy(TARGET / "debug" / "libvirtual_libcuda.so", LIBRARY / "new")
    (LIBRARY / "new").replace(LIBRARY / "libcuda.so.1")
    link = LIBRARY / "libcuda.so"
    if not link.is_symlink():
        link.symlink_to("libcuda.so.1")


def environment(libraries=(), **settings):
    paths = ":".join(map(str, [LIBRARY, *libraries]))
    return {**os.environ, "LD_LIBRARY_PATH": paths, "VIRTUAL_GPU": "on", **settings}


def pip_environment(name, packages):
    """A Python environment with these packages. It is made again when they change."""
    folder, stamp = PLACE / name, PLACE / name / "packages.txt"
    wanted = "\n".join(packages)
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        get([sys.executable, "-m", "venv", folder])
        get([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *packages])
        stamp.write_text(wanted)
    return folder


def crate_source(name, version, changes):
    """The source of a crate, as a separate package. `changes` lists files, and texts to replace in them."""
    folder, stamp = PLACE / f"{name}-{version}", PLACE / f"{name}-{version}.txt"
    wanted = repr(changes)
    if not folder.exists() or not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        fetch = PLACE / "fetch"
        shutil.rmtree(fetch, ignore_errors=True)
        (fetch / "src").mkdir(parents=True)
        (fetch / "src" / "lib.rs").write_text("")
        manifest = f'[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\n{name} = "={version}"\n[workspace]\n'
        (fetch / "Cargo.toml").write_text(manifest)
        get(["cargo", "vendor", "--versioned-dirs", "--quiet"], cwd=fetch)
        source = fetch / "vendor" / f"{name}-{version}"
        for file, old, new in [("Cargo.toml", None, "\n[workspace]\n"), *changes]:
            text = (source / file).read_text()
            text = text.replace(old, new) if old else text + new
            (source / file).write_text(text)
        if not (source / "Cargo.lock").exists():
            # Use the same versions of the dependencies as this workspace.
            shutil.copy(ROOT / "Cargo.lock", source)
        shutil.move(source, folder)
        stamp.write_text(wanted)
    return folder


def cargo_results(text):
    """The tests that passed and failed, from the output of `cargo test`."""
    lines = re.findall(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED)$", text, re.M)
    passed = {test for test, verdict in lines if verdict == "ok"}
    return passed, {test for test, verdict in lines if verdict != "ok"}
