"""Whatever Geppetto says about a scene can be said in German: every error, every warning, every report."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import bpy
import pytest

import geppetto
from geppetto.addon import registration
from geppetto.addon.choices import preset_label
from geppetto.addon.editing.reading import reading_line
from geppetto.addon.panels.joints import doubts_told
from geppetto.addon.words import messages, telling, translations
from geppetto.addon.words.joint_words import joint_word
from geppetto.addon.words.telling import word
from geppetto.core import errors
from geppetto.core.fitting import check, forewarning, grown_together
from geppetto.core.fitting.creature import creature_names
from geppetto.core.fitting.from_shape import NAME
from geppetto.core.seeing.stance import REASONS, UP_SET, UPRIGHT
from geppetto.core.skeleton.preset import load_template, preset_names

from .scenes import add_cube

ADDON = Path(registration.__file__).resolve().parent
CORE = Path(errors.__file__).resolve().parent
KINDS = {name for name in dir(errors) if isinstance(getattr(errors, name), type)} | {"BadFile"}
# Said by programs in a terminal, never in Blender's window.
ELSEWHERE = ("core/fitting/penalty_weights", "addon/batching", "addon/bridge/files", "addon/whole")


def sources():
    for path in sorted([*CORE.rglob("*.py"), *ADDON.rglob("*.py")]):
        if not path.relative_to(CORE.parent).as_posix().startswith(ELSEWHERE):
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def texts(node) -> list[str]:
    """What an expression may say, with {} for what is filled in."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return ["".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)]
    if isinstance(node, ast.IfExp):
        return texts(node.body) + texts(node.orelse)
    if isinstance(node, ast.BinOp) and not any(isinstance(n, ast.List) for n in (node.left, node.right)):
        return [a + b for a in texts(node.left) for b in texts(node.right)]
    return [text for child in ast.iter_child_nodes(node) for text in texts(child)]


def unreasoned(context) -> list[str]:
    """Our buttons that are grey now and do not say why."""
    grey = [cls.bl_idname for module in registration.MODULES for cls in getattr(module, "CLASSES", ())
            if issubclass(cls, bpy.types.Operator)]
    out = []
    for name in grey:
        group, _, own = name.partition(".")
        operator = getattr(getattr(bpy.ops, group), own)
        if not operator.poll():
            with pytest.raises(RuntimeError) as error:
                operator()
            out += [name] if "context is incorrect" in str(error.value) else []
    return out


def test_a_grey_button_says_why(extension):
    assert unreasoned(extension) == []
    cube = add_cube()
    bone = bpy.data.objects.new("Bones", bpy.data.armatures.new("Bones"))
    extension.collection.objects.link(bone)
    for active in (cube, bone):
        for o in (cube, bone):
            o.select_set(o == active)
        extension.view_layer.objects.active = active
        assert unreasoned(extension) == []


def raised():
    for path, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and (
                    getattr(node.exc.func, "id", "") in KINDS):
                yield from ((f"{path.name}:{node.lineno}", text) for text in texts(node.exc.args[0]))


def reports():
    for path, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "self.report":
                yield f"{path.name}:{node.lineno}", node.args[1]


def functions_that_warn():
    for name in ("pick_objects", "read_character", "write_weights", "stance_told", "forewarn", "_arm_warnings",
                 "forewarn_mesh", "unlike_preset", "check_character", "_choose", "search", "doubt_fit",
                 "_crossed", "_unlike", "_says", "_with_limbs"):
        yield from (node for _, tree in sources() for node in ast.walk(tree)
                    if isinstance(node, ast.FunctionDef) and node.name == name)


@pytest.mark.long
def test_every_error_has_a_german_text():
    found = list(raised())
    assert len(found) > 80
    missing = [(where, text) for where, text in found if text.strip() and text not in messages.GERMAN]
    assert missing == [], "\n".join(map(str, missing))


def test_every_report_is_told_in_the_persons_language():
    for where, said in reports():
        assert isinstance(said, ast.Call) and said.func.id in {"tell", "pgettext_rpt"}, f"{where} reports plain English"
        if said.func.id == "tell" and isinstance(said.args[0], ast.JoinedStr):
            assert texts(said.args[0])[0] in messages.GERMAN, where


@pytest.mark.slow
def test_every_warning_has_a_german_text():
    said = [text for function in functions_that_warn() for statement in function.body[1:]
            for node in ast.walk(statement) if isinstance(node, (ast.JoinedStr, ast.Constant)) for text in texts(node)]
    sentences = {t for t in said if len(t) > 24 and " " in t}
    assert len(sentences) > 20
    unknown = {t for t in sentences if telling.translate(t, lambda m: m + "*", messages.GERMAN) == t
               and not any(t.strip() in m for m in messages.GERMAN)}
    assert unknown == set()


def test_what_is_said_of_several_bodies_has_a_german_text():
    said = {forewarning.SEVERAL, forewarning.TOUCHING, grown_together.FUSED, grown_together.RIDDEN}
    assert said <= set(messages.GERMAN)


def test_what_the_check_says_of_stances_is_known():
    assert {*REASONS, UPRIGHT.reason, UP_SET} <= set(messages.GERMAN)
    assert check.CharacterCheck.__doc__


@pytest.mark.parametrize(("english", "german"), [
    ("'Hans' is a flat sheet. A character needs a volume: add a Solidify modifier.",
     "'Hans' ist ein flaches Blatt. Eine Figur braucht ein Volumen: füge den Modifikator 3-dimensionalisieren hinzu."),
    ("There is no mesh to rig. 'hat' is hidden and was left out. Show it if it belongs to the character.",
     "Es gibt kein Mesh zum Riggen. 'hat' ist verborgen und wurde ausgelassen. "
     "Zeige es, wenn es zur Figur gehört."),
    ("biped: two legs under an upright body with two arms",
     "Zweibeiner: zwei Beine unter einem aufrechten Körper mit zwei Armen"),
    ("'Hans' is taken to stand with Z up (it leans by 15 degrees), facing halfway between X and -Y: no other way looks "
     "clearly better. If this is wrong, set Up and Front.",
     "'Hans' wird so verstanden: Z ist oben (um 15 Grad geneigt), Blickrichtung genau zwischen X und -Y: keine andere "
     "Lage sieht klar besser aus. Ist das falsch, stelle Oben und Vorne ein."),
    ("'the left foot' has no vertices. Select an object with a mesh.",
     "'the left foot' hat keine Punkte. Wähle ein Objekt mit einem Mesh."),
    ("'cap', 'coat' and 2 more were bound to 'old': those bindings are kept but switched off.",
     "'cap', 'coat' und 2 weitere waren an 'old' gebunden: diese Bindungen bleiben, sind aber ausgeschaltet."),
    ("6 warnings: see panel 1 Check", "6 Warnungen: siehe Panel 1 Prüfen"),
    ("Nobody knows this sentence", "Nobody knows this sentence")])
def test_finished_texts_find_their_message(english, german):
    assert telling.translate(english, messages.GERMAN.__getitem__, messages.GERMAN) == german


@pytest.mark.parametrize(("said", "told"), [
    ("No bones are made for both arms, as nothing of that is seen: choose 'biped_tail' under Skeleton if it is there.",
     "choose 'Biped Tail' under Skeleton"),
    ("It is not clear what it is: 'shape' (51%) or 'spider' (49%); Automatic takes the likelier.",
     "'From Shape' (51%) or 'Spider'"),
    ("Pin 'arm': the preset 'my horse' has no such joint. It has: a.", "the preset 'my horse' has"),
    ("'horse' is taken to stand with Z up, facing -Y: as the file says.", "'horse' is taken")])
def test_a_skeleton_is_called_as_the_menu_calls_it(extension, said, told):
    """Of the same name an object is not meant, and a template of one's own has no other."""
    assert told in telling.tell(said)


def labels() -> set[str]:
    """The texts that panels write into a line of their own."""
    found = set()
    for path in (ADDON / "panels").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "label":
                found |= {text for value in node.keywords if value.arg == "text" for text in texts(value.value)}
    return {text for text in found if len(text) > 3}


def test_labels_are_not_cut_in_a_sidebar_of_default_width(extension):
    """Their letters as wide as Blender draws them, at 292 pixels of which tabs, edges and an icon take 87."""
    import blf  # there once bpy is

    german = {text: told for (_, text), told in translations.german().items()}
    assert len(labels()) > 12
    blf.size(0, 11.0)
    wide = {text: blf.dimensions(0, text)[0] for label in labels() for text in (label, german.get(label, label))}
    assert {text for text, width in wide.items() if width > 205} == set()


def test_lines_that_are_filled_in_are_not_cut_either(extension, monkeypatch):
    """Of whatever skeleton, joint or reading they tell, in both languages; the button that takes another kind has a
    line of its own, and beside the kind there is room for a count."""
    import blf

    german = {text: told for (_, text), told in translations.german().items()}
    blf.size(0, 11.0)
    shown: dict[str, int] = {}
    for words, said in ((str, {}), (german.get, messages.GERMAN)):
        monkeypatch.setattr(telling, "pgettext_iface", lambda text, _, words=words: words(text) or text)
        monkeypatch.setattr(telling, "pgettext_rpt", lambda text, _, said=said: said.get(text, text))
        known = [word(preset_label(name)) for name in (*preset_names(), *creature_names(), NAME)]
        lines = [word(text).format(name) for text in ("Rigged as {}", "Rig as {}") for name in known]
        lines += [word("No known kind") + ": 51%", telling.tell("Reading 12 of 13: the likeliest")]
        for name in sorted({(joint, skeleton) for skeleton in preset_names()
                            for joint in load_template(skeleton).names}):
            lines.append(doubts_told([joint_word(*name)] * 12))
            lines.append(telling.tell(reading_line(1, 3, f"with '{name[0]}' elsewhere", joint_word)))
        shown |= {text: blf.dimensions(0, text)[0] for text in lines}
    assert len(shown) > 150 and {text: wide for text, wide in shown.items() if wide > 205} == {}
    assert max(shown[text] for text in ("No known kind: 51%", "Keine bekannte Art: 51%")) < 150


def test_whatever_is_counted_has_words_for_one_of_it():
    """Texts that begin alike, up to what is counted; what a number only measures, or what is never one, needs none."""
    never_one = ("No vertex follows", "Some vertices follow", "The motion '{}'", "{} objects now", "{} characters",
                 "{} objects follow '{}'", "{} of {} bones", "1 of {} bones", "{} warnings", "{} frames a second",
                 "'{}': {} frames", "'{}': 1 frame", "1 bone, {} vertices", "{} bones, {} vertices",
                 "The action '{}' is", "it shows {} of", "Hand '{}' shows", "'{}' is cut off")
    counted = re.compile(r"\{\} (vertic|object|joint|bone|motion|frame|character|limb|finger|warning)e?s\b")
    known, missing = [re.sub(r"[,.]|$", " ", text) for text in messages.GERMAN], []
    for text in messages.GERMAN:
        for found in counted.finditer(text):
            one = re.sub(r"[,.]", " ", text[:found.start()]) + f"1 {found[1].replace('vertic', 'vertex')} "
            if not any(other.startswith(one) for other in known):
                missing.append(text)
    assert [text for text in missing if not text.startswith(never_one)] == []


def test_translations_fill_in_what_the_messages_fill_in():
    for english, german in messages.GERMAN.items():
        assert english.count("{}") == german.count("{}"), english


# What Blender's own German interface calls what our texts send people to.
OF_BLENDER = {"Limit Total": "Gewichtungen > Totale Grenze", "under Item": "unter Gegenstand", "Deform ": "Deformieren",
              "Solidify": "3-dimensionalisieren", "Action Editor": "Aktion-Editor", "Edit mode": "Bearbeitungsmodus",
              "Weight Paint mode": "Malereieinfluss", "ertex group": "Punktgruppe", "constraint": "Beschränkung",
              "keyframes": "Schlüsselbilder", "distance, or": "nach Entfernung", "odifiers": "Modifikatoren"}


@pytest.mark.parametrize(("english", "german"), OF_BLENDER.items())
def test_german_texts_name_what_is_blenders_as_blender_does(english, german):
    naming = {text: told for (_, text), told in translations.german().items() if english in text}
    assert naming
    assert {text: told for text, told in naming.items() if german.lower() not in told.lower()} == {}


def test_every_button_that_a_text_says_to_press_is_there(extension):
    known = {text for _, text in translations.german()}
    pressed = re.compile(r"[Pp]ress ((?:[A-Z][a-z]+)(?: (?:[A-Z][a-z]+|to|and))*)\b(?!')")
    said = {name for text in known for name in pressed.findall(text)}
    assert len(said) > 5 and said <= known


# In italics on the pages too: Blender's own buttons, labels with a number or a name in them, a bone collection.
OF_OTHERS = {"In Front", "Display Type", "Vertex Groups", "1 Check", "2 Things Without Bones", "Left Elbow", "Rig as",
             "Fewer Keys", "Things", "Realize Instances"}


@pytest.mark.parametrize("page", ["README.md", "docs/manual.md", "docs/limits.md"])
def test_every_button_that_a_page_names_is_there(extension, page):
    text = re.sub(r"\*\*.*?\*\*", "", (CORE.parent / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    named = {part for name in re.findall(r"\*([^*]+)\*", text) for part in re.split(" > |: ", " ".join(name.split()))}
    assert named and named - OF_OTHERS - {english for _, english in translations.german()} == set()


def test_blender_speaks_german_when_its_interface_does(context, monkeypatch):
    monkeypatch.setattr(telling, "pgettext_rpt", lambda text, context: messages.GERMAN.get(text, text))
    geppetto.register()
    sheet = add_cube("sheet")
    sheet.scale.z = 0
    sheet.select_set(True)
    context.view_layer.update()
    with pytest.raises(RuntimeError, match="'sheet' ist ein flaches Blatt"):
        bpy.ops.object.geppetto_auto_rig()
    geppetto.unregister()
