"""The laws of this house, read off the source: who may import whom, how large things get, what is documented."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

BELOW = {  # what the modules of each layer of the core may import from inside the core, besides their own layer
    "geometry": set(),
    "skeleton": {"geometry"},
    "seeing": {"geometry", "skeleton"},
    "fitting": {"geometry", "skeleton", "seeing"},
    "hanging": {"geometry", "skeleton"},
    "detail": {"geometry", "skeleton", "fitting", "hanging"},
    "skinning": {"geometry", "skeleton", "hanging"},
    "motion": {"geometry", "skeleton"},
    "posing": {"geometry", "skeleton", "motion"},
    "picture": {"geometry", "skeleton"},
    "quality": {"geometry", "skeleton", "motion", "picture"},
    "pipeline": {"geometry", "skeleton", "seeing", "fitting", "detail", "skinning", "motion"},
}
EVERYWHERE = {"errors", "arrays", "steps", "json_file"}
BLENDER = {"bpy", "bpy_extras", "bmesh", "mathutils", "gpu", "gpu_extras", "blf", "bl_math", "addon_utils"}
STANDARD = {"numpy", "scipy"}
# What Blender calls by its name, and what is there for scripts and benchmarks.
OFFERED = {"draw_item", "draw_prepare", "modal", "refresh", "setup", "test_select", "bind_shape", "expanded"}

CORE = sorted((ROOT / "core").rglob("*.py"))
ADDON = sorted((ROOT / "addon").rglob("*.py"))
SHIPPED = [*CORE, *ADDON, ROOT / "__init__.py"]


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(parsed(path)))


def imports_of(path: Path) -> set[str]:
    """Absolute names of everything a file imports, nested imports too; 'core' and 'addon' are top-level names."""
    package = path.relative_to(ROOT).parent.parts
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module)
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1]
            parts = [*base, *(node.module.split(".") if node.module else [])]
            found |= {".".join([*parts, alias.name]) for alias in node.names} if not node.module else {".".join(parts)}
    return found


def test_core_knows_only_numpy_scipy_and_the_layers_below():
    for path in CORE:
        layer = path.relative_to(ROOT / "core").with_suffix("").parts[0]
        for name in imports_of(path):
            top, *rest = name.split(".")
            assert top not in BLENDER | {"addon", "tests"}, f"{short(path)} imports {name}"
            if top == "core" and rest and layer != "__init__":
                allowed = EVERYWHERE if layer in EVERYWHERE else BELOW[layer] | EVERYWHERE | {layer}
                assert rest[0] in allowed, f"{short(path)} imports {name}; it may import {sorted(allowed)}"


def test_core_imports_itself_relatively_and_nothing_but_scipy_from_outside():
    for path in CORE:
        for node in nodes_of(path):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else (
                [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else [])
            for name in names:
                known = name.split(".")[0] in STANDARD | sys.stdlib_module_names
                assert known, f"{short(path)}, line {node.lineno}: import of {name}"


def test_importing_core_does_not_load_blender():
    modules = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in CORE]
    program = "import importlib, sys\n" + "".join(f"importlib.import_module('{m}')\n" for m in modules)
    program += "assert not {'bpy', 'mathutils', 'addon'} & set(sys.modules), sorted(sys.modules)"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def functions_of(path: Path):
    for node in nodes_of(path):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def test_files_and_functions_stay_small():
    for path in SHIPPED:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, f"{short(path)} has grown past 400 lines"
        for function in functions_of(path):
            length = function.end_lineno - function.lineno + 1
            assert length <= 60, f"{short(path)}: {function.name} has {length} lines"


def test_public_things_say_what_they_promise():
    for path in SHIPPED:
        tree = parsed(path)
        assert ast.get_docstring(tree), f"{short(path)} has no docstring"
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{short(path)}: {node.name} has no docstring"


def test_no_error_is_swallowed():
    for path in SHIPPED:
        for node in nodes_of(path):
            if not isinstance(node, ast.ExceptHandler):
                continue
            where = f"{short(path)}, line {node.lineno}"
            caught = ast.unparse(node.type) if node.type else ""
            assert caught not in ("", "Exception", "BaseException"), f"{where} catches everything"
            ignored = all(isinstance(n, (ast.Pass, ast.Constant)) for n in node.body)
            assert not ignored, f"{where} ignores what it caught"


def names_used(path: Path) -> set[str]:
    """Names and attributes that a file reads, and its texts, by which `getattr` finds what there is."""
    return {node.id if isinstance(node, ast.Name) else node.attr for node in nodes_of(path)
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)} | {
                node.value for node in nodes_of(path) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_nothing_is_left_that_nobody_uses():
    """Functions, methods, classes and constants of what ships that only tests read, or nothing."""
    used = OFFERED.union(*(names_used(path) for path in SHIPPED))
    for path in SHIPPED:
        told = [node.name for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        told += [name.id for node in parsed(path).body if isinstance(node, ast.Assign)
                 for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        left = [name for name in told if name not in used and not name.startswith("__")]
        assert not left, f"nothing uses {', '.join(left)} of {short(path)}"


def test_no_type_has_fields_that_nobody_reads():
    read = OFFERED | {node.attr for path in SHIPPED for node in nodes_of(path)
                      if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
    for path in SHIPPED:
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and any("dataclass" in ast.unparse(d) for d in node.decorator_list):
                left = [one.target.id for one in node.body
                        if isinstance(one, ast.AnnAssign) and one.target.id not in read]
                assert not left, f"nothing reads {', '.join(left)} of {node.name} in {short(path)}"


def test_names_and_habits():
    for path in SHIPPED:
        text = path.read_text(encoding="utf-8")
        assert path.stem not in {"utils", "helpers", "common", "misc"}
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = {a.name.split(".")[0] for a in node.names} | {(getattr(node, "module", "") or "").split(".")[0]}
                assert not names & {"threading", "concurrent", "multiprocessing"}, f"{short(path)} starts threads"
        for word in ("TODO", "FIXME", "XXX"):
            assert word not in text, f"{short(path)} says {word}"


def test_extension_code_imports_relatively():
    """An installed extension is bl_ext.<repository>.geppetto: a bare 'core' or 'addon' would not be found there."""
    for path in [ROOT / "__init__.py", *ADDON]:
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module.split(".")[0] not in {"core", "addon", "geppetto"}
            if isinstance(node, ast.Import):
                assert not {a.name.split(".")[0] for a in node.names} & {"core", "addon", "geppetto"}


def test_tests_share_what_they_import():
    """By its full name: pytest calls a test `folder.tests.core...`, so a relative import loads a second copy, whose
    caches are filled again.
    """
    for path in [*(ROOT / "tests/core").rglob("*.py"), *(ROOT / "tests/batching").rglob("*.py")]:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not line.startswith("from ."), f"{short(path)}: {line}"
