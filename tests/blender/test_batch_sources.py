"""What a character's file names beside itself counts as its contents: pictures, materials, linked libraries."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import bpy
import pytest

from geppetto.addon.batching.hints import Hints, read_hints
from geppetto.addon.batching.options import RigOptions
from geppetto.addon.bridge.files import named_files, open_file
from geppetto.core.errors import BadHint
from tests.characters import person as grow_person

from .batches import QUICK, fresh, main, report_of, save
from .scenes import add_character, add_cube


def picture(path: Path, grey: float) -> bpy.types.Image:
    """A small picture as a file."""
    image = bpy.data.images.new(path.stem, 4, 4)
    image.generated_color = (grey, grey, grey, 1)
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    return image


def paint(o: bpy.types.Object, image: bpy.types.Image) -> None:
    """Let an object's first material show a picture."""
    tree = o.data.materials[0].node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("suffix", [".obj", ".blend"])
def test_a_picture_painted_anew_is_rigged_anew(person, tmp_path, suffix, capsys):
    fresh()
    paint(add_character(person)[0], picture(tmp_path / "skin.png", 0.2))
    arguments = [str(save(tmp_path / f"person{suffix}")), "--out", str(tmp_path / "out"), *QUICK, "--resume"]
    assert main(arguments) == 0
    record = json.loads((tmp_path / "out" / ".geppetto" / "records" / "person.json").read_text(encoding="utf-8"))
    assert {name for name, size, *_ in record["sources"] if size > 0} >= {"skin.png"}
    capsys.readouterr()
    assert main(arguments) == 0 and "done before" in capsys.readouterr().out
    fresh()
    picture(tmp_path / "skin.png", 0.9)
    assert main(arguments) == 0 and "done before" not in capsys.readouterr().out
    assert report_of(tmp_path / "out")[0]["status"] == "rigged"


def test_linked_libraries_and_what_they_show_are_named(tmp_path):
    fresh()
    lent = add_cube("Lent")
    lent.data.materials.append(bpy.data.materials.new("Lent"))
    if lent.data.materials[0].node_tree is None:  # up to 4.5
        lent.data.materials[0].use_nodes = True
    paint(lent, picture(tmp_path / "lent.png", 0.5))
    library = save(tmp_path / "library.blend")
    fresh()
    with bpy.data.libraries.load(str(library), link=True) as (_, to):
        to.objects = ["Lent"]
    bpy.context.scene.collection.objects.link(to.objects[0])
    save(tmp_path / "scene.blend")
    open_file(tmp_path / "scene.blend")
    assert {Path(name).name for name in named_files()} == {"library.blend", "lent.png"}


@pytest.mark.long
def test_a_character_of_the_files_own_is_rigged_beside_a_larger_one_that_is_linked(person, tmp_path):
    fresh()
    lent, = add_character(person)
    lent.name, lent.location.x, lent.scale = "Lent", 6.0, (1.5, 1.5, 1.5)
    save(tmp_path / "library.blend")
    fresh()
    add_character(grow_person(vertices=900))
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, to):
        to.objects = ["Lent"]
    bpy.context.scene.collection.objects.link(to.objects[0])
    save(tmp_path / "scene.blend")
    assert main([str(tmp_path / "scene.blend"), "--out", str(tmp_path / "out"), *QUICK]) == 0
    entry, = report_of(tmp_path / "out")
    assert entry["status"] == "rigged" and 500 < entry["vertices"] < 1500
    assert any("'Lent' is linked from another file" in warning for warning in entry["warnings"])


def test_hints_are_places_of_joints(tmp_path):
    hints = tmp_path / "person.hints.json"
    assert read_hints(hints) == Hints() and not read_hints(hints)
    hints.write_text('{"hips": [0, -1.5, 9e11], "head": [1, 2, 3]}')
    assert read_hints(hints) == Hints({"hips": [0, -1.5, 9e11], "head": [1, 2, 3]})
    hints.write_bytes(b'\xef\xbb\xbf{"hips": [0, 0, 1]}')  # a mark of the encoding, as some editors write it
    assert read_hints(hints) == Hints({"hips": [0, 0, 1]})


def test_hints_say_which_reading_and_what_this_file_has_instead_of_the_runs_options(tmp_path):
    hints = tmp_path / "person.hints.json"
    hints.write_text('{"head": [1, 2, 3], "reading": 2, "preset": "dragon 0.8", "up": "Z", "front": "-X"}')
    said = read_hints(hints)
    assert said and said.joints == {"head": [1, 2, 3]} and said.reading == 1
    options = RigOptions(preset="biped", detail="full")
    assert said.within(options) == replace(options, preset="dragon 0.8", up="Z", front="-X")
    hints.write_text('{"up": "auto", "preset": "auto"}')
    assert read_hints(hints).within(replace(options, up="X")) == replace(options, preset="auto")
    hints.write_text('{"reading": 1}')
    assert not read_hints(hints)


@pytest.mark.parametrize(("text", "says"), [
    ("{", "person.hints.json' is not JSON"), ('{"hips": [0, 0, 1], "hips": [0, 0, 2]}', '"hips" is given twice'),
    ('{"detail": "full"}', "one of preset, up, front, reading"),
    ("[1]", "joint"), ("[" * 200_000, "nested"), ('{"hips": [1, 2]}', "three numbers"),
    ('{"hips": [1, 2, 3, 4]}', "three numbers"), ('{"hips": "123"}', "three numbers"),
    ('{"hips": [1, true, 3]}', "three numbers"), ('{"hips": [1, "2", 3]}', "three numbers"),
    ('{"reading": 0}', "from 1"), ('{"reading": true}', "from 1"), ('{"reading": "2"}', "from 1"),
    ('{"up": "up"}', "one of auto, X, -X"), ('{"front": [0, -1, 0]}', "one of auto, X"),
    ('{"preset": "unicorn"}', "no preset"),
    ('{"preset": 3}', "name of a skeleton"), ('{"preset": "mine.json"}', "name of a skeleton"),
    ('{"hips": [1, 2, NaN]}', "three numbers"), ('{"head": [0, 0, 1], "hips": [1, -2e12, 3]}', "three numbers")])
def test_hints_that_make_no_sense_are_named(tmp_path, text, says):
    hints = tmp_path / "person.hints.json"
    hints.write_text(text)
    with pytest.raises(BadHint, match=says):
        read_hints(hints)
