"""Contact sheets: every character of a folder from front and side, with fitted bones and the artist's landmarks.

    python tests/benchmarks/contact_sheet.py FOLDER OUT.png [--only REGEX] [--wrong] [--preset biped] [--json FILE]
        [--columns 3] [--rows 4]

FOLDER holds <set>/<name>/mesh.obj (triangles, Z up, facing -Y) and, where known, truth.json with `kind`, `height` and
`landmarks`. Pages of 3 x 4 characters are written to OUT.png, OUT-2.png, ...; a red title marks a failure or a landmark
that is off by a tenth of the character's size or more. Hollow green circles are the artist's landmarks (pale ones are
not compared), magenta lines lead from them to the joints they should be. Needs Pillow; for developing only.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.errors import RigError
from core.fitting.check import check_character
from core.fitting.from_shape import template_in
from core.geometry.mesh import Mesh
from core.picture.camera import View, fit_views, view_axes
from core.picture.scene import render_character
from core.picture.surface import smooth_surface
from core.pipeline import fit, prepare

WIDTH, CELL, TITLE = 800, 640, 56  # of a character: width, height of its pictures, height of the text above; pixels
WRONG = 0.10
SAMPLES = 2  # of the overlay per pixel each way
LEFT, RIGHT, MIDDLE = (30, 90, 240), (225, 40, 20), (240, 150, 0)
LANDMARK, MISS = (0, 150, 40), (230, 0, 200)

# which bone of the presets begins at which of the artist's landmarks
BIPED = {"hips": "hips", "neck": "neck", "head": "head"} | {
    f"{landmark}_{side}": f"{bone}.{side.upper()}" for side in "lr" for landmark, bone in (
        ("shoulder", "upper_arm"), ("elbow", "forearm"), ("wrist", "hand"), ("hip", "thigh"), ("knee", "shin"),
        ("ankle", "foot"), ("toe", "toe"))}
QUADRUPED = {"neck": "neck", "head": "head", "tail": "tail"} | {
    f"{end}_{side}_{landmark}": f"{end}_{bone}.{side.upper()}" for end in ("front", "hind") for side in "lr"
    for landmark, bone in (("upper", "upper"), ("knee", "lower"), ("foot", "foot"))}
TABLES: dict[str | None, dict[str, str]] = {"biped": BIPED, "quadruped": QUADRUPED}
UNCOUNTED = ("neck", "head", "toe_l", "toe_r")  # of bipeds: artists disagree too much about these


@dataclass
class Fitted:
    """What was found for a character: bones {name: (head, tail)}, or why nothing was.

    sure : how likely its least likely joint is right
    """

    bones: dict
    failure: str = ""
    seconds: float = 0.0
    sure: float = 1.0


def read_mesh(path: Path) -> Mesh:
    """A triangle mesh from a Wavefront file."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    vertices = [[float(x) for x in words[1:4]] for words in lines if words and words[0] == "v"]
    faces = [[int(x.split("/")[0]) - 1 for x in words[1:4]] for words in lines if words and words[0] == "f"]
    return Mesh(np.array(vertices), np.array(faces), path.parent.name)


def fit_character(mesh: Mesh, preset: str) -> Fitted:
    """Fit a preset, "auto" for the one that suits the body; a failure is a result here."""
    start = time.perf_counter()
    try:
        shape = prepare(mesh)
        rig = fit(mesh, template_in(shape, check_character(shape).preset if preset == "auto" else preset), shape=shape)
    except (RigError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return Fitted({}, f"{type(error).__name__}: {error}", time.perf_counter() - start)
    bones = {n: (h.tolist(), t.tolist()) for n, h, t in zip(rig.names, rig.heads, rig.tails, strict=True)}
    return Fitted(bones, "", time.perf_counter() - start, min(rig.confidence.values(), default=1.0))


def landmark_errors(truth: dict, mesh: Mesh, bones: dict) -> dict:
    """{landmark: distance to the head of its bone, over the character's size}, for landmarks that have a bone."""
    table = TABLES.get(truth.get("kind"), {})
    size = truth["height"] if truth.get("kind") == "biped" else float(np.ptp(mesh.vertices, axis=0).max())
    marks = truth.get("landmarks", {})
    return {mark: float(np.linalg.norm(np.subtract(bones[bone][0], marks[mark])) / size)
            for mark, bone in table.items() if mark in marks and bone in bones}


def counted(truth: dict, errors: dict) -> dict:
    """The errors that decide whether a character is right."""
    return {k: e for k, e in errors.items() if truth.get("kind") == "quadruped" or k not in UNCOUNTED}


def draw_overlay(image: Image.Image, view: View, truth: dict, bones: dict) -> None:
    """Bones, joints and landmarks over a panel, in place."""
    fine = view.enlarged(SAMPLES)
    layer = Image.new("RGBA", (fine.width, fine.height))
    pen = ImageDraw.Draw(layer)

    def at(point):
        return tuple(float(x) for x in fine.project(np.array([point]))[0, :2])

    def dot(point, radius, **style):
        x, y = at(point)
        pen.ellipse([x - radius, y - radius, x + radius, y + radius], **style)

    for name, (head, tail) in bones.items():
        color = LEFT if name.endswith(".L") else RIGHT if name.endswith(".R") else MIDDLE
        pen.line([at(head), at(tail)], fill=(255, 255, 255, 200), width=5 * SAMPLES)
        pen.line([at(head), at(tail)], fill=(*color, 255), width=3 * SAMPLES)
    for _, tail in bones.values():
        dot(tail, 2.5 * SAMPLES, fill=(20, 20, 20, 255))
    for head, _ in bones.values():
        dot(head, 4 * SAMPLES, fill=(255, 255, 255, 255), outline=(20, 20, 20, 255), width=SAMPLES)
    table = TABLES.get(truth.get("kind"), {})
    for mark, place in truth.get("landmarks", {}).items():
        bone = table.get(mark)
        if bone in bones:
            pen.line([at(place), at(bones[bone][0])], fill=(*MISS, 255), width=2 * SAMPLES)
        dot(place, 6 * SAMPLES, outline=(*LANDMARK, 255 if bone else 110), width=2 * SAMPLES)
    image.alpha_composite(layer.resize(image.size, Image.Resampling.LANCZOS))


def draw_character(name: str, mesh: Mesh, truth: dict, found: Fitted) -> Image.Image:
    """A cell of the sheet: text above, front and side view below."""
    cell = Image.new("RGBA", (WIDTH, TITLE + CELL), "white")
    surface = smooth_surface(mesh)
    points = np.concatenate([surface.seen_points, *[np.array(b) for b in found.bones.values()]])
    axes = [view_axes(0.0), view_axes(np.pi / 2)]
    left = 0
    for view in fit_views([points, points], axes, height=CELL, margin=0.02, most_width=WIDTH - 8):
        panel = Image.fromarray(render_character(surface, None, view)).convert("RGBA")
        draw_overlay(panel, view, truth, found.bones)
        cell.paste(panel, (left, TITLE))
        left += view.width + 4
    errors = landmark_errors(truth, mesh, found.bones)
    deciding = counted(truth, errors)
    is_wrong = bool(found.failure) or max(deciding.values(), default=0) >= WRONG
    text = f"{name}   {found.seconds:.1f} s, sure {found.sure:.2f}"
    below = found.failure
    if deciding:
        worst = max(deciding, key=deciding.__getitem__)
        text += f"   mean {np.mean(list(deciding.values())):.3f}, {worst} {deciding[worst]:.3f}"
        below = ",  ".join(f"{k} {e:.2f}" for k, e in sorted(errors.items(), key=lambda x: -x[1]) if e >= WRONG / 2)
    pen = ImageDraw.Draw(cell)
    color = "red" if is_wrong else "black"
    pen.text((6, 4), text, fill=color, font=ImageFont.load_default(19))
    pen.text((6, 31), below[:105], fill=color if found.failure else (90, 90, 90), font=ImageFont.load_default(15))
    return cell


def write_pages(cells: list[Image.Image], out: Path, columns: int, rows: int) -> None:
    """Pages of columns x rows cells: OUT.png, OUT-2.png, ..."""
    out.parent.mkdir(parents=True, exist_ok=True)
    each = columns * rows
    for page in range(0, len(cells), each):
        some = cells[page:page + each]
        sheet = Image.new("RGB", (min(columns, len(some)) * WIDTH, -(-len(some) // columns) * (TITLE + CELL)), "white")
        for i, cell in enumerate(some):
            sheet.paste(cell, (i % columns * WIDTH, i // columns * (TITLE + CELL)))
        path = out if page == 0 else out.with_stem(f"{out.stem}-{page // each + 1}")
        sheet.save(path)
        print(path)


def parse(arguments) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="", help="regular expression on <set>/<name>")
    parser.add_argument("--wrong", action="store_true", help="draw only the characters that are not right")
    parser.add_argument("--preset", help="of all, auto: what suits each; otherwise what truth.json calls for, or biped")
    parser.add_argument("--json", type=Path, help="joints found earlier, read if there and completed; delete to refit")
    parser.add_argument("--columns", type=int, default=3)
    parser.add_argument("--rows", type=int, default=4)
    return parser.parse_args(arguments)


def main(arguments=None) -> None:
    """Fit and draw."""
    choice = parse(arguments)
    known = json.loads(choice.json.read_text()) if choice.json and choice.json.exists() else {}
    cells, means, right = [], [], 0
    for path in sorted(choice.folder.rglob("mesh.obj")):
        name = f"{path.parent.parent.name}/{path.parent.name}"
        if not re.search(choice.only, name):
            continue
        beside = path.with_name("truth.json")
        truth = json.loads(beside.read_text()) if beside.exists() else {}
        kind = truth.get("kind")
        preset = str(choice.preset or (kind if kind in TABLES else "biped"))
        mesh = read_mesh(path)
        key = f"{name} {preset}"
        if key not in known:
            known[key] = vars(fit_character(mesh, preset))
        found = Fitted(**known[key])
        deciding = list(counted(truth, landmark_errors(truth, mesh, found.bones)).values())
        is_right = not found.failure and max(deciding, default=0) < WRONG
        if deciding:
            means.append(float(np.mean(deciding)))
            right += is_right
        if not (choice.wrong and is_right):
            cells.append(draw_character(name, mesh, truth, found))
    if choice.json:
        choice.json.write_text(json.dumps(known))
    write_pages(cells, choice.out, choice.columns, choice.rows)
    if means:
        print(f"{right} of {len(means)} right, mean error {np.mean(means):.4f}")


if __name__ == "__main__":
    main()
