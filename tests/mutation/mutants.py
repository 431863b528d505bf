"""Small faults of one source file: each a new text of the whole file that differs in one place.

Not drawn are faults that are no other program to anyone who uses it:
- the edge of a limit on what is measured (`< 0.3` for `<= 0.3`, `< NEAR` where this module, or one from which it takes
  NEAR, has `NEAR = 0.3`, `< reach` where `reach: float` is a parameter, `< far` where `far = 0.5 * length` was worked
  out before): nothing lies on it to the last digit. Edges of whole numbers, which are counts and indices, of 0.0 and
  1.0, and of what is taken from the numbers that are compared (their least, a quantile) matter;
- times a sign for divided by it, where the sign is 1 or -1 wherever it is given (`for side, sign in (("L", 1.0), ("R",
  -1.0))`): both are the same to the last digit;
- a reshaping's -1 as -2: numpy takes either for "the rest";
- what is added or taken away for rounding alone (TINY) with another sign or left out.
A number moves by three tenths, a whole number below TEN by one. One below TINY, which guards against rounding or a
division by nothing, becomes LARGE instead, which is a size: three tenths of next to nothing are nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SWAPPED = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "+", ast.Pow: "*",
           ast.BitAnd: "|", ast.BitOr: "&", ast.MatMult: "+"}
TURNED = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in",
          ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"}
EDGES = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
COUNTS = ("len", "sum", "count_nonzero", "bincount")
TINY, LARGE, TEN = 1e-5, 0.01, 10


@dataclass(frozen=True)
class Mutant:
    """One fault.  path : of the file;  line : where;  what : in words;  text : the file with the fault"""

    path: Path
    line: int
    what: str
    text: str


def mutants_of(path: Path, lines: set[int]) -> list[Mutant]:
    """All faults that are tried in some lines of a file."""
    source = path.read_text(encoding="utf-8")
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    raw, out = source.encode(), []

    def place(node: ast.AST) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    for node, begin, end, new, what in _changes(ast.parse(source), raw, place, path):
        if node.lineno in lines:
            text = (raw[:begin] + new.encode() + raw[end:]).decode()
            out.append(Mutant(path, node.lineno, what, text))
    return out


def _changes(tree: ast.Module, raw: bytes, place, path: Path) -> Iterator[tuple]:
    """(node, from, to, new text, in words) of each fault."""
    measures = _measures(tree) | _imported(tree, path)
    handed, signs = _handed(tree, measures), _signs(tree)
    rests = {id(size) for call in ast.walk(tree) if isinstance(call, ast.Call) and _called(call) == "reshape"
             for arg in call.args for size in ast.walk(arg) if isinstance(size, ast.Constant) and size.value == 1}
    for node in _of_functions(tree):
        begin, end = place(node)
        old = raw[begin:end].decode()
        if isinstance(node, ast.BinOp) and type(node.op) in SWAPPED and not _is_text(node) and not _is_rounding(node):
            left, right = (raw[slice(*place(side))].decode() for side in (node.left, node.right))
            new = SWAPPED[type(node.op)]
            if not (isinstance(node.op, ast.Mult | ast.Div) and _is_sign(node.right, signs)):
                yield node, begin, end, f"(({left}) {new} ({right}))", f"`{old}` with {new}"
            yield node, begin, end, f"({left})", f"`{old}` without its second term"
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = (raw[slice(*place(side))].decode() for side in (node.left, node.comparators[0]))
            for table in (TURNED, EDGES)[:1 if _is_measured(node, measures) or id(node) in handed else 2]:
                if type(node.ops[0]) in table:
                    new = table[type(node.ops[0])]
                    yield node, begin, end, f"(({left}) {new} ({right}))", f"`{old}` with {new}"
        elif isinstance(node, ast.BoolOp):
            word = " or " if isinstance(node.op, ast.And) else " and "
            parts = [f"({raw[slice(*place(v))].decode()})" for v in node.values]
            yield node, begin, end, f"({word.join(parts)})", f"`{old}` with{word}"
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            first, last = place(node.test)
            test = raw[first:last].decode()
            yield node.test, first, last, f"(not ({test}))", f"not `{test}`"
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and id(node) not in rests:
            new = repr(_moved(node.value))
            yield node, begin, end, f"({new})", f"{old} is {new}"
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield node, begin, end, "pass", f"`{old}` left out"


def _moved(number: float) -> float:
    """Another number, as far from it as people would notice."""
    if isinstance(number, int):
        return number + 1 if number < TEN else round(number * 1.3)
    return number * 1.3 if number >= TINY else LARGE if number else 0.1


def _measures(tree: ast.Module) -> set[str]:
    """The names of the module's limits on what is measured."""
    out = set()
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=True))
                out |= {name.id for name, value in pairs if isinstance(name, ast.Name) and _is_measured(value, out)}
    return out


def _imported(tree: ast.Module, path: Path) -> set[str]:
    """The names of limits on what is measured that a module takes from modules beside or above it."""
    out = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level and node.module:
            other = path.parents[node.level - 1].joinpath(*node.module.split(".")).with_suffix(".py")
            if other.is_file():
                known = _measures(ast.parse(other.read_text(encoding="utf-8")))
                out |= {one.asname or one.name for one in node.names if one.name in known}
    return out


def _handed(tree: ast.Module, measures: set[str]) -> set[int]:
    """The comparisons (their ids) with a measure that a function is handed or works out, but for those with a number
    as such."""
    out = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            own = function.args
            floats = {one.arg for one in (*own.posonlyargs, *own.args, *own.kwonlyargs)
                      if isinstance(one.annotation, ast.Name) and one.annotation.id == "float"}
            limits = floats | _worked_out(function, floats | measures)
            out |= {id(node) for node in ast.walk(function) if isinstance(node, ast.Compare)
                    and not any(isinstance(side, ast.Constant) for side in (node.left, *node.comparators))
                    and any(isinstance(one, ast.Name) and one.id in limits for one in ast.walk(node))}
    return out


def _worked_out(function: ast.FunctionDef, measures: set[str]) -> set[str]:
    """The names in a function that stand for limits made of measures alone, wherever they are assigned."""
    given: dict[str, list[ast.AST]] = {}
    once = {id(one.targets[0]) for one in ast.walk(function) if isinstance(one, ast.Assign) and len(one.targets) == 1}
    for one in ast.walk(function):
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            given.setdefault(one.targets[0].id, []).append(one.value)
    stored = [one for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    other = {one.id for one in stored if id(one) not in once}
    found: set[str] = set()
    while more := {name for name, values in given.items() if name not in found | other
                   and all(_is_limit(value, measures | found) for value in values)}:
        found |= more
    return found


def _is_limit(node: ast.AST, measures: set[str]) -> bool:
    """Whether something is a measure times, or next to, something else, or the larger or smaller of such."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and node.value not in (0, 1)
    if isinstance(node, ast.Name):
        return node.id in measures
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.Add | ast.Sub):
        if any(isinstance(one, ast.Call) and _called(one) in COUNTS for one in ast.walk(node)):
            return False  # half of a count is often a count
        return _is_limit(node.left, measures) or _is_limit(node.right, measures)
    if isinstance(node, ast.IfExp):  # a number as such stands for "none" or "all"
        made = [one for one in (node.body, node.orelse) if not isinstance(one, ast.Constant)]
        return bool(made) and all(_is_limit(one, measures) for one in made)
    if isinstance(node, ast.Call) and _called(node) in ("max", "min", "maximum", "minimum") and len(node.args) > 1:
        return all(_is_limit(one, measures) for one in node.args)
    return isinstance(node, ast.DictComp) and _is_limit(node.value, measures)


def _signs(tree: ast.Module) -> set[int]:
    """The uses (their ids) of names that a function gives nothing but 1 and -1."""
    out = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            stored = [one for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
            given = {id(target): name for one in ast.walk(function) for target, name in _given_signs(one)}
            other = {one.id for one in stored if id(one) not in given} | {
                one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
            names = set(given.values()) - other
            out |= {id(one) for one in ast.walk(function) if isinstance(one, ast.Name) and one.id in names}
    return out


def _given_signs(node: ast.AST) -> Iterator[tuple[ast.Name, str]]:
    """(where it is stored, name) of what a loop or an assignment gives 1 or -1."""
    if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Tuple | ast.List):
        rows = [(node.target, one) for one in node.iter.elts]
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        rows = [(node.targets[0], node.value)]
    else:
        return
    found: dict[int, tuple[ast.Name, bool]] = {}
    for target, value in rows:
        many = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)
        for one, own in zip(target.elts, value.elts, strict=True) if many else ((target, value),):
            if isinstance(one, ast.Name):
                found[id(one)] = one, found.get(id(one), (one, True))[1] and _is_sign(own, set())
    yield from ((name, name.id) for name, is_sign in found.values() if is_sign)


def _is_sign(node: ast.AST, signs: set[int]) -> bool:
    """Whether something is 1 or -1 whatever happens."""
    if isinstance(node, ast.IfExp):
        return _is_sign(node.body, signs) and _is_sign(node.orelse, signs)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _is_sign(node.operand, signs)
    return id(node) in signs or (isinstance(node, ast.Constant) and type(node.value) in (int, float)
                                 and node.value == 1)


def _is_measured(node: ast.AST, measures: set[str]) -> bool:
    """Whether a limit on what is measured takes part in something: a number with a point that is neither 0 nor 1."""
    return any((isinstance(one, ast.Constant) and isinstance(one.value, float) and one.value not in (0, 1))
               or (isinstance(one, ast.Name) and one.id in measures) for one in ast.walk(node))


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_rounding(node: ast.BinOp) -> bool:
    """Whether something is added for rounding alone."""
    return isinstance(node.op, ast.Add | ast.Sub) and any(
        isinstance(one, ast.Constant) and isinstance(one.value, float) and 0 < one.value < TINY
        for one in (node.left, node.right))


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and isinstance(one.value, str | bytes))
               for one in (node.left, node.right))


def _of_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """Everything inside functions and the numbers of the module, without annotations, decorators and messages."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.FunctionDef):
            waiting += [*node.args.defaults, *(d for d in node.args.kw_defaults if d), *node.body]
            continue
        if isinstance(node, ast.ClassDef):
            waiting += [one for one in node.body if isinstance(one, ast.FunctionDef)]
            continue
        if isinstance(node, ast.AnnAssign):
            waiting += [node.value] if node.value else []
            continue
        if hasattr(node, "lineno"):
            yield node
        waiting += ast.iter_child_nodes(node)
