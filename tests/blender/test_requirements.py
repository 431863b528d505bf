"""Where scipy is missing or useless, or another copy is on, the add-on still comes and goes, and says what to do."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import bpy
import pytest

from geppetto.addon import libraries, requirements
from geppetto.addon.manifest import VERSION
from tests.packaging import build

ROOT = Path(__file__).resolve().parents[2]

WITHOUT_SCIPY = """
import sys
sys.modules["scipy"] = None  # importing it raises ModuleNotFoundError, as where it is not installed
import bpy
from tests.conftest import load_as_package
geppetto = load_as_package()

class Layout:
    def __init__(self): self.texts = []
    def column(self, align): return self
    def label(self, text, icon): self.texts.append(text)

def traces():
    return [n for n in dir(bpy.types) if "geppetto" in n.lower()]

for _ in range(2):
    geppetto.register()
    assert traces() == ["GEPPETTO_PT_remedy"], traces()
    panel = type("Drawn", (), {"layout": Layout(), "texts": geppetto.addon.requirements.RemedyPanel.texts})()
    geppetto.addon.requirements.RemedyPanel.draw(panel, bpy.context)
    assert len(panel.layout.texts) > 2, panel.layout.texts
    said = " ".join(panel.layout.texts)
    assert "no scipy" in said and ("pip install scipy" in said or "python3-scipy" in said), said
    assert not [m for m in sys.modules if m.startswith("geppetto.core")]
    geppetto.unregister()
    assert traces() == [], traces()

geppetto.register()
del sys.modules["scipy"]  # it appears while the stand-in is there: that is still what must go
geppetto.unregister()
assert traces() == [], traces()
geppetto.register()
assert "GEPPETTO_PT_character" in traces() and "GEPPETTO_PT_remedy" not in traces()
geppetto.unregister()
assert traces() == [], traces()
print("all held")
"""


TWO_COPIES = """
import sys
import bpy
from tests.conftest import load_as_package
first, second = load_as_package(), load_as_package("copied")

def traces():
    return [n for n in dir(bpy.types) if "geppetto" in n.lower()]

first.register()
known = traces()
for _ in range(2):
    second.register()
    assert traces() == sorted([*known, "GEPPETTO_PT_remedy"]), traces()
    fault, remedy = sys.modules["copied.addon.requirements"].RemedyPanel.texts
    assert "on: geppetto. This one is copied." in fault and "Turn the other one off" in remedy
    second.unregister()
    assert traces() == known
second.register()
first.unregister()
assert traces() == ["GEPPETTO_PT_remedy"], traces()
second.unregister()
second.register()
assert traces() == known
second.unregister()
assert traces() == [], traces()
print("all held")
"""


THREE_COPIES = """
import bpy
from tests.conftest import load_as_package
first, second, third = load_as_package(), load_as_package("copied"), load_as_package("copied_again")

def traces():
    return [n for n in dir(bpy.types) if "geppetto" in n.lower()]

for order in ((first, second, third), (second, third, first), (third, second, first)):
    first.register()
    known = traces()
    second.register()
    third.register()
    assert traces() == sorted([*known, "GEPPETTO_PT_remedy"]), traces()
    for copy in order:
        copy.unregister()
    assert traces() == [], traces()
print("all held")
"""


@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize("held", [WITHOUT_SCIPY, TWO_COPIES, THREE_COPIES],
                         ids=["without scipy", "two copies", "three copies"])
def test_a_panel_stands_in_and_leaves_no_trace(held):
    blender = bpy.app.binary_path  # empty for the bpy wheel
    start = [blender, "-b", "--factory-startup", "--python-expr"] if blender else [sys.executable, "-c"]
    # Ends without the destructors of the wheel's libraries, which can wait for ever after an exception.
    program = (f"import os, sys; sys.path.insert(0, {str(ROOT)!r})"
               "\nsys.excepthook = lambda *told: (sys.__excepthook__(*told), sys.stderr.flush(), os._exit(1))") + held
    done = subprocess.run([*start, program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "all held" in done.stdout.splitlines(), done.stdout + done.stderr


def test_with_scipy_there_is_no_fault():
    assert libraries.fault_of_scipy() == ""


@pytest.mark.parametrize(("error", "said"), [
    (ModuleNotFoundError("No module named 'scipy'", name="scipy"), "no scipy"),
    (ModuleNotFoundError("No module named 'scipy._x'", name="scipy._x"), "scipy is incomplete: No module named"),
    (ImportError("wrong ELF class\nand more"), "scipy does not load: wrong ELF class"),
    (ValueError("numpy.dtype size changed"), "scipy does not load: numpy.dtype size changed")])
def test_a_useless_scipy_is_named(monkeypatch, error, said):
    def fail(name):
        raise error
    monkeypatch.setattr(libraries.importlib, "import_module", fail)
    assert said in libraries.fault_of_scipy()


@pytest.mark.parametrize(("version", "is_fine"), [("1.9.3", False), ("1.10.0", True), ("1.17.1", True),
                                                  ("2.0.0rc1", True)])
def test_an_old_scipy_is_refused(monkeypatch, version, is_fine):
    scipy = types.SimpleNamespace(__version__=version)
    monkeypatch.setattr(libraries.importlib, "import_module", lambda name: scipy)
    fault = libraries.fault_of_scipy()
    assert (fault == "") is is_fine and (is_fine or version in fault)


@pytest.fixture
def official(monkeypatch, tmp_path):
    """As in Blender's own build on Linux, which brings its Python."""
    blender = types.SimpleNamespace(app=types.SimpleNamespace(binary_path=str(tmp_path / "blender")),
                                    utils=types.SimpleNamespace(resource_path=lambda kind: str(tmp_path)))
    monkeypatch.setattr(requirements, "bpy", blender)
    monkeypatch.setattr(requirements, "PYTHONS", (sys.version_info[:2],))
    monkeypatch.setattr(requirements.platform, "system", lambda: "Linux")
    monkeypatch.setattr(requirements.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "python"))


@pytest.mark.parametrize(("system", "machine", "suffix"), [
    ("Linux", "x86_64", "linux_x64"), ("Windows", "AMD64", "windows_x64"),
    ("Darwin", "x86_64", "macos_x64"), ("Darwin", "arm64", "macos_arm64")])
def test_an_official_blender_is_told_its_zip(official, monkeypatch, system, machine, suffix):
    monkeypatch.setattr(requirements.platform, "system", lambda: system)
    monkeypatch.setattr(requirements.platform, "machine", lambda: machine)
    assert f"geppetto-{VERSION}-{suffix}.zip" in requirements.remedy()


def test_where_no_zip_has_fitting_wheels_scipy_is_to_be_installed(official, monkeypatch):
    monkeypatch.setattr(requirements, "PYTHONS", ())
    assert f"{sys.executable} -m pip install scipy" in requirements.remedy() and ".zip" not in requirements.remedy()
    monkeypatch.setattr(requirements, "PYTHONS", (sys.version_info[:2],))
    monkeypatch.setattr(requirements.platform, "machine", lambda: "riscv64")
    assert f"{sys.executable} -m pip install scipy" in requirements.remedy() and ".zip" not in requirements.remedy()


def test_a_blender_on_the_systems_python_is_told_the_systems_package(official, monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/usr")
    assert "python3-scipy" in requirements.remedy() and ".zip" not in requirements.remedy()


def test_the_zips_it_names_are_those_that_are_built():
    assert set(requirements.PLATFORMS.values()) == {p.replace("-", "_") for p in build.PLATFORMS}
    assert {f"{major}.{minor}" for major, minor in requirements.PYTHONS} == set(build.PYTHONS)
