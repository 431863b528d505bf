"""Engines: their files are sound, their skeletons have the published names and parents, weights are dealt whole."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from core.errors import BadBoneMap, BadRig
from core.skeleton.bone_map import find_roles
from core.skeleton.engine import engines, load_engine
from core.skeleton.engine_rig import _with_axes, dealt_weights, engine_rig, file_axes
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.root import with_root
from core.skeleton.template import rig_from_joints

UNREAL = """pelvis>root spine_01>pelvis spine_02>spine_01 spine_03>spine_02 spine_04>spine_03 spine_05>spine_04
neck_01>spine_05 neck_02>neck_01 head>neck_02 clavicle_l>spine_05 upperarm_l>clavicle_l lowerarm_l>upperarm_l
upperarm_twist_01_l>upperarm_l lowerarm_twist_01_l>lowerarm_l hand_l>lowerarm_l thumb_01_l>hand_l thumb_02_l>thumb_01_l
index_metacarpal_l>hand_l index_01_l>index_metacarpal_l index_02_l>index_01_l index_03_l>index_02_l
pinky_metacarpal_l>hand_l pinky_01_l>pinky_metacarpal_l thigh_l>pelvis thigh_twist_01_l>thigh_l calf_l>thigh_l
calf_twist_01_l>calf_l foot_l>calf_l ball_l>foot_l ik_foot_root>root ik_foot_l>ik_foot_root ik_foot_r>ik_foot_root
ik_hand_root>root ik_hand_gun>ik_hand_root ik_hand_l>ik_hand_gun ik_hand_r>ik_hand_gun"""  # Epic's SK_Mannequin
UNITY = """Hips LeftUpperLeg RightUpperLeg LeftLowerLeg RightLowerLeg LeftFoot RightFoot Spine Head LeftUpperArm
RightUpperArm LeftLowerArm RightLowerArm LeftHand RightHand"""  # required by Unity's Mecanim
ROBLOX = """LowerTorso>Root UpperTorso>LowerTorso Head>UpperTorso LeftUpperArm>UpperTorso LeftLowerArm>LeftUpperArm
LeftHand>LeftLowerArm LeftUpperLeg>LowerTorso LeftLowerLeg>LeftUpperLeg LeftFoot>LeftLowerLeg"""  # Roblox's R15


def person(*, hands: bool = False) -> tuple[Rig, dict[str, int]]:
    """The biped's bones, with fingers, twists, eyes and a jaw on demand, and who is who."""
    template = load_template("biped")
    rig = rig_from_joints(template, template.positions)
    names, parents = list(rig.names), list(rig.parents)
    heads, tails = list(rig.heads), list(rig.tails)

    def add(name: str, parent: str, head, tail) -> None:
        names.append(name)
        parents.append(names.index(parent))
        heads.append(np.asarray(head, float))
        tails.append(np.asarray(tail, float))

    for side, sign in (("L", 1.0), ("R", -1.0)) if hands else ():
        end = rig.tails[names.index(f"hand.{side}")]
        for k, finger in enumerate(("thumb", "index", "middle", "ring", "pinky")):
            for i in (1, 2, 3):
                at = end + [sign * 0.02 * (i - 1), 0.01 * (k - 2), 0.0]
                add(f"{finger}_{i}.{side}", f"hand.{side}" if i == 1 else f"{finger}_{i - 1}.{side}", at,
                    at + [sign * 0.02, 0.0, 0.0])
        for limb in ("upper_arm", "forearm", "thigh", "shin"):
            b = names.index(f"{limb}.{side}")
            add(f"{limb}_twist_1.{side}", f"{limb}.{side}", (heads[b] + tails[b]) / 2, tails[b])
        add(f"eye.{side}", "head", [sign * 0.03, -0.05, 0.9], [sign * 0.03, -0.08, 0.9])
    if hands:
        add("jaw", "head", [0, 0.0, 0.85], [0, -0.05, 0.83])
    rig = Rig(tuple(names), np.array(parents), np.array(heads), np.array(tails))
    return rig, {name: i for i, name in enumerate(names)}


def parents_of(rig: Rig) -> dict[str, str]:
    return {name: rig.names[p] if p >= 0 else "" for name, p in zip(rig.names, rig.parents, strict=True)}


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize("hands", [False, True])
def test_a_person_for_an_engine_is_a_sound_rig_that_is_recognised_again(engine, hands):
    rig, roles = person(hands=hands)
    plan = engine_rig(rig, roles, load_engine(engine), 0.0)
    assert plan.is_person and (plan.rig.parents < np.arange(len(plan.rig.names))).all()
    assert set(plan.shares) == set(rig.names) and len(plan.sources) == len(plan.rig.names)
    found = find_roles(plan.rig)
    for role in ("hips", "head", "upper_arm.L", "forearm.R", "hand.L", "thigh.R", "shin.L", "foot.R"):
        if role in plan.roles:
            assert plan.rig.names[found[role]] == plan.roles[role]


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize("hands", [False, True])
def test_a_rig_that_is_the_engines_already_stays_as_it_is(engine, hands):
    plan = engine_rig(*person(hands=hands), load_engine(engine), 0.0)
    again = engine_rig(plan.rig, find_roles(plan.rig), load_engine(engine), 0.0)
    assert parents_of(again.rig) == parents_of(plan.rig)
    assert again.is_person and again.shares == {name: ((name, 0.0),) for name in plan.rig.names}
    np.testing.assert_allclose(again.rig.heads, plan.rig.heads, atol=1e-12)


@pytest.mark.parametrize("engine", ["unity", "unreal", "godot"])
def test_an_animal_that_is_the_engines_already_stays_as_it_is(engine):
    template = load_template("quadruped")
    rig = rig_from_joints(template, template.positions)
    plan = engine_rig(rig, find_roles(rig), load_engine(engine), 0.0)
    again = engine_rig(plan.rig, find_roles(plan.rig), load_engine(engine), 0.0)
    assert parents_of(again.rig) == parents_of(plan.rig)


def test_a_head_stands_in_for_a_neck():
    whole = person()[0]
    rig = whole.only([name for name in whole.names if name != "neck"])
    plan = engine_rig(rig, {name: i for i, name in enumerate(rig.names)}, load_engine("roblox"), 0.0)
    assert plan.is_person and plan.sources[plan.rig.names.index("Head")] == rig.names.index("head")


@pytest.mark.parametrize(("engine", "table"), [("unreal", UNREAL), ("roblox", ROBLOX)])
def test_bones_hang_as_the_engine_has_published(engine, table):
    rig, roles = person(hands=True)
    found = parents_of(engine_rig(rig, roles, load_engine(engine), 0.0).rig)
    for pair in table.split():
        for side in "lr":
            bone, above = (w.replace("_l", f"_{side}") if w.endswith("_l") else
                           w.replace("Left", "Left" if side == "l" else "Right") for w in pair.split(">"))
            assert found[bone] == above
    assert engine != "roblox" or len(found) == 16


def test_unity_has_its_fifteen_and_godot_its_fifty_six():
    rig, roles = person(hands=True)
    assert set(UNITY.split()) <= set(engine_rig(rig, roles, load_engine("unity"), 0.0).rig.names)
    godot = load_engine("godot")
    plan = engine_rig(rig, roles, godot, 0.0)
    assert len(godot.axes) == 56 and set(godot.axes) <= set(plan.rig.names)
    x, y = (np.array([godot.axes[name][k] for name in godot.axes]) for k in (0, 1))
    i = [plan.rig.names.index(name) for name in godot.axes]
    along = plan.rig.tails - plan.rig.heads
    np.testing.assert_allclose(along[i] / np.linalg.norm(along[i], axis=1)[:, None], y, atol=1e-6)
    np.testing.assert_allclose(plan.rig.x_axes[i], x, atol=1e-6)


def test_pieces_of_a_chain_join_end_to_end_and_helpers_lie_on_what_they_copy():
    rig, roles = person()
    plan = engine_rig(rig, roles, load_engine("unreal"), 0.0)
    at = plan.rig.heads[[plan.rig.names.index(f"spine_0{i}") for i in range(1, 6)]]
    np.testing.assert_allclose(at[0], rig.heads[roles["spine"]])
    assert (np.diff(at[:, 2]) > 0).all() and np.abs(at - rig.heads[roles["chest"]]).sum(1).min() < 1e-12
    for helper, bone in (("ik_foot_l", "foot_l"), ("ik_hand_gun", "hand_r"), ("ik_hand_r", "hand_r")):
        i, j = plan.rig.names.index(helper), plan.rig.names.index(bone)
        np.testing.assert_array_equal(plan.rig.heads[i], plan.rig.heads[j])
        assert plan.sources[i] == plan.sources[j] and not plan.rig.deform[i]
    assert (plan.rig.heads[0] == [*rig.heads[0, :2], 0.0]).all() and plan.sources[0] == -1


@pytest.mark.parametrize(("engine", "becomes"), [("godot", ("chest", 0.0)), ("roblox", ("UpperTorso", 0.0))])
def test_bones_beyond_the_names_of_a_chain_keep_their_own_or_join_the_one_they_hang_on(engine, becomes):
    rig, roles = person()
    short = replace(load_engine(engine), chains=((("spine", "chest"), ("UpperTorso",)),), bones={"hips": "Hips"})
    shares = engine_rig(rig, roles, short, 0.0).shares
    assert shares["spine"] == (("UpperTorso", 0.0),) and shares["chest"] == (becomes,)


@pytest.mark.parametrize("engine", ["unity", "godot", "vrm", "mixamo"])
def test_a_bone_between_spine_and_chest_is_one_of_the_chain(engine):
    rig, roles = person()
    chest, middle = roles["chest"], "Chest"  # as those who have one of these skeletons already call it
    at = (rig.heads[chest] + rig.tails[chest]) / 2
    parents = np.insert(np.where(rig.parents >= chest, rig.parents + 1, rig.parents), chest, roles["spine"])
    heads, tails = np.insert(rig.heads, chest, rig.heads[chest], 0), np.insert(rig.tails, chest, at, 0)
    parents[chest + 1], heads[chest + 1] = chest, at
    rig = Rig((*rig.names[:chest], middle, *rig.names[chest:]), parents, heads, tails)
    roles = {role: bone + (bone >= chest) for role, bone in roles.items()}
    plan = engine_rig(rig, roles, load_engine(engine), 0.0)
    names = next(names for of, names in load_engine(engine).chains if "chest" in of)
    assert [plan.shares[name] for name in ("spine", middle, "chest")] == [((name, 0.0),) for name in names]


def test_limbs_of_unreal_have_x_along_the_bone_away_from_the_body_on_the_left_arm_and_the_right_leg():
    rig, roles = person()
    plan = engine_rig(rig, roles, load_engine("unreal"), 0.0)
    for name, role, sign in (("upperarm_l", "upper_arm.L", 1), ("upperarm_r", "upper_arm.R", -1),
                             ("thigh_l", "thigh.L", -1), ("thigh_r", "thigh.R", 1), ("spine_01", "spine", 1)):
        along = rig.tails[roles[role]] - rig.heads[roles[role]]
        x = plan.rig.x_axes[plan.rig.names.index(name)]
        np.testing.assert_allclose(x, sign * along / np.linalg.norm(along), atol=1e-9)


@pytest.mark.parametrize("engine", engines())
def test_weights_are_dealt_whole_smoothly_and_to_bones_that_move_skin(engine, rng):
    rig, roles = person(hands=True)
    plan = engine_rig(rig, roles, load_engine(engine), 0.0)
    weights = rng.random((200, len(rig.names))) * (rng.random((200, len(rig.names))) < 0.1)
    weights[:3] = 0.0
    weights /= np.maximum(weights.sum(1, keepdims=True), 1e-12)
    points = rng.random((200, 3))
    dealt = dealt_weights(sparse.csr_matrix(weights), points, rig, plan, 99).toarray()
    few = dealt_weights(sparse.csr_matrix(weights), points, rig, plan, 4).toarray()
    of_bone = np.equal.outer(plan.sources, np.arange(len(rig.names))).astype(float)
    assert ((few > 0).sum(1) <= np.maximum((weights > 0).sum(1), 4)).all()
    np.testing.assert_allclose(few @ of_bone, dealt @ of_bone, atol=1e-12)
    np.testing.assert_allclose(dealt.sum(1), 1.0, atol=1e-12)
    assert dealt.min() >= 0 and dealt[:, ~plan.rig.deform].sum() == 0
    aside = Rig(rig.names, rig.parents, rig.heads + [3, -2, 5], rig.tails + [3, -2, 5])
    moved = dealt_weights(sparse.csr_matrix(weights), points + [3, -2, 5], aside, plan, 99).toarray()
    np.testing.assert_allclose(moved, dealt, atol=1e-9, err_msg="wherever the body stands")
    spine = roles["spine"]
    line = rig.heads[spine] + np.linspace(-0.2, 1.2, 400)[:, None] * (rig.tails[spine] - rig.heads[spine])
    alone = sparse.csr_matrix((np.ones(400), (np.arange(400), np.full(400, spine))), shape=(400, len(rig.names)))
    along = dealt_weights(alone, line, rig, plan, 4).toarray()
    assert np.abs(np.diff(along, axis=0)).max() < 0.05


def test_other_bodies_keep_their_names_or_are_refused_by_name():
    template = load_template("quadruped")
    rig = rig_from_joints(template, template.positions)
    roles = {name: i for i, name in enumerate(rig.names)}
    plan = engine_rig(rig, roles, load_engine("unreal"), 0.0)
    assert not plan.is_person and {"root", "front_upper_l", "hind_foot_r", "spine"} <= set(plan.rig.names)
    for engine in ("vrm", "roblox", "mixamo", "second-life"):
        with pytest.raises(BadRig, match=r"'Rex' has no 'upper_arm\.L'.*Unreal"):
            engine_rig(rig, roles, load_engine(engine), 0.0, name="Rex")


def test_mittens_stand_in_for_the_middle_finger():
    rig, _ = person(hands=True)
    mitten = tuple(n.replace("middle", "fingers") for n in rig.names)
    keep = [n for n in mitten if not n.startswith(("index", "ring", "pinky"))]
    rig = replace(rig, names=mitten).only(keep)
    plan = engine_rig(rig, {name: i for i, name in enumerate(rig.names)}, load_engine("vrm"), 0.0)
    assert plan.roles["middle_1.L"] == "J_Bip_L_Middle1"


def test_a_root_carries_everything_and_moves_no_skin():
    rig, _ = person()
    rooted = with_root(rig, -0.25)
    assert rooted.names == ("root", *rig.names) and (np.asarray(rooted.parents) >= 0).sum() == len(rig.names)
    np.testing.assert_array_equal(rooted.heads[0], [*rig.heads[0, :2], -0.25])
    assert not rooted.deform[0] and rooted.deform[1:].all()
    with pytest.raises(BadRig, match="'root' already"):
        with_root(rooted, 0.0)


@pytest.mark.parametrize("engine", engines())
def test_a_files_axes_keep_hands_apart(engine):
    axes = file_axes(load_engine(engine)) * load_engine(engine).unit
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) > 0


@pytest.mark.parametrize("change, complaint", [
    ("{", "not JSON"), ("{}", "version 2"), ({"bones": {"a": "x", "b": "x"}}, "two bones one"),
    ({"bones": [1]}, "\"bones\""),
    ({"container": "exe"}, "\"container\""), ({"unit": 0}, "\"unit\""), ({"chains": [{"of": ["spine"]}]}, "\"chains\""),
    ({"peple_only": False}, "no field \"peple_only\".*people_only"),
    ({"unit": float("inf")}, "\"unit\""), ({"influences": 4.5}, "\"influences\""),
    ({"influences": True}, "\"influences\""), ({"needed": "hips"}, "\"needed\""), ({"name": "../up"}, "\"name\""),
    ({"endings": {"L": "_l"}}, "\"endings\""), ({"endings": {".L": None}}, "\"endings\""),
    ({"name": ""}, "\"name\""), ({"label": 3}, "\"label\""), ({"along": {"*": ["X", "-X"]}}, "\"along\""),
    ({"axes": {"Hips": [[1, 0, 0], [2, 0, 0]]}}, "\"axes\""),
    ({"chains": [{"of": "spine", "bones": ["Spine"]}]}, "\"chains\""),
    ({"inserted": {"Palm": {"below": "hand.L", "above": "index_1.L", "at": 7}}}, "\"inserted\""),
    ({"up": "Z", "front": "-Z"}, "\"front\""), ({"axes": {"Hips": [1, 2]}}, "\"axes\""), ({"root": 3}, "\"root\"")])
def test_unsound_files_are_named(tmp_path, change, complaint):
    path = tmp_path / "engine.json"
    data = {"format": "geppetto-engine", "version": 2, "container": "fbx", "rest": "T", "bones": {"hips": "Hips"}}
    path.write_text(change if isinstance(change, str) else json.dumps(data | change))
    with pytest.raises(BadBoneMap, match=complaint):
        load_engine(path)
    with pytest.raises(BadBoneMap, match=r"There is no engine.*unreal"):
        load_engine("no such engine")


AXES = ("X", "-X", "Y", "-Y", "Z", "-Z")


@pytest.mark.parametrize("first, second", [(a, b) for a in AXES for b in AXES if a[-1] != b[-1]])
def test_a_bones_axes_point_where_the_engine_says_and_are_right_handed(first, second):
    along, bend = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    rig = Rig(("a",), np.array([-1]), np.zeros((1, 3)), 2 * along[None], bend[None])
    engine = replace(load_engine("unity"), along={"*": (first, second)}, axes={})
    turned = _with_axes(rig, engine)
    x, y = turned.x_axes[0], (turned.tails - turned.heads)[0] / 2
    axes = {"X": x, "Y": y, "Z": np.cross(x, y)}
    for axis, wanted in ((first, along), (second, bend)):
        np.testing.assert_allclose(axes[axis[-1]] * (-1 if axis[0] == "-" else 1), wanted, atol=1e-12)
