"""Our files as others read them: `make check-engines`.

Figures are of the sample character, which has 21 bones. The published tables that only a licensed engine could check
are tests of the core: tests/core/skeleton/test_engine.py.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
import subprocess

import pytest

from .conftest import HERE, TOOLS, godot, need

NODE = {"NODE_PATH": str(TOOLS / "node_modules")}
SUFFIX = {"unreal": "fbx", "unity": "fbx", "mixamo": "fbx", "roblox": "fbx", "godot": "glb", "vrm": "vrm",
          "second-life": "dae"}
PARENTS = {"unreal": "spine_05>spine_04 neck_02>neck_01 hand_l>lowerarm_l ik_hand_l>ik_hand_gun ball_r>foot_r",
           "unity": "UpperChest>Chest LeftHand>LeftLowerArm RightToes>RightFoot Head>Neck",
           "mixamo": "mixamorig:Spine2>mixamorig:Spine1 mixamorig:LeftForeArm>mixamorig:LeftArm",
           "roblox": "UpperTorso>LowerTorso Head>UpperTorso LeftHand>LeftLowerArm",
           "second-life": "mChest>mTorso mWristLeft>mElbowLeft mFootRight>mAnkleRight",
           "godot": "Hips>Root UpperChest>Chest LeftToes>LeftFoot"}


def run(command, **more) -> str:
    """What a program says.  Fails the test with it if the program fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


FULL_PARENTS = {"unreal": "thumb_02_l>thumb_01_l cape_1_l>spine_05 cape_2_l>cape_1_l hair_1>head prop_hand_r>hand_r "
                          "upperarm_twist_01_l>upperarm_l prop_chest>spine_05",
                "unity": "cape_1_L>UpperChest hair_1>Head prop_hand_R>RightHand",
                "godot": "LeftThumbProximal>LeftThumbMetacarpal cape_1_L>UpperChest prop_hand_R>RightHand"}


def above_each(path) -> tuple[dict[str, str], str]:
    """({node: its parent}, all that assimp says of a file)."""
    said = run(["assimp", "info", str(path)])
    above: dict[str, str] = {}
    way: list[str] = []
    for line in said[said.index("Node hierarchy"):].splitlines()[1:]:
        found = re.match(r"^([\s│├└╴─]*)([^(\s][^(]*?)(?: \(mesh.*)?$", line)
        if found and found[2].strip():
            depth = len(found[1]) // 2
            way[depth:] = [found[2].strip()]
            above[way[-1]] = way[depth - 1] if depth else ""
    return above, said


def assert_hang(above: dict[str, str], pairs: str) -> None:
    """pairs : "bone>parent" of each, apart by spaces"""
    for pair in pairs.split():
        bone, parent = pair.split(">")
        assert above[bone] == parent


@pytest.mark.parametrize("engine", PARENTS)
def test_assimp_sees_the_bones_where_they_belong(files, engine):
    need("assimp", command="assimp")
    above, said = above_each(files / f"Pip-{engine}.{SUFFIX[engine]}")
    assert_hang(above, PARENTS[engine])
    assert re.search(r"Animations: +1" if engine != "second-life" else r"Animations: +0", said)
    assert int(re.search(r"Meshes: +(\d+)", said)[1]) == 17


@pytest.mark.parametrize("engine", FULL_PARENTS)
def test_assimp_sees_fingers_twists_and_things_where_they_belong(full, engine):
    need("assimp", command="assimp")
    above, _ = above_each(full / f"mesh-{engine}.{SUFFIX[engine]}")
    assert_hang(above, FULL_PARENTS[engine])


@pytest.mark.parametrize("engine", ["godot", "vrm"])
def test_the_validator_of_gltf_finds_neither_error_nor_warning(files, full, engine):
    need("node", command="node")
    need("gltf-validator", package="gltf-validator")
    for path in (files / f"Pip-{engine}.{SUFFIX[engine]}", full / f"mesh-{engine}.{SUFFIX[engine]}"):
        issues = json.loads(run(["node", str(HERE / "validate.js"), str(path)], env=os.environ | NODE))
        assert issues["numErrors"] == issues["numWarnings"] == 0, issues["messages"]


def test_godot_finds_its_humanoid_with_names_parents_and_rest_turns(files):
    command = godot()
    said = run([*command, "--headless", "--script", str(HERE / "check.gd"), "--", str(files / "Pip-godot.glb")],
               cwd=files)
    found = json.loads(re.search(r"FOUND (.*)", said)[1])
    assert found["error"] == 0 and found["meshes"] == 17 and found["animations"] == ["walk"]
    assert found["required_missing"] == found["unknown"] == found["wrong_parents"] == []
    assert len(found["named"]) == 23 and found["worst_axis"] < 1e-5 and found["skeleton_at"]


def test_godot_finds_the_fingers_of_its_humanoid_too(full):
    command = godot()
    said = run([*command, "--headless", "--script", str(HERE / "check.gd"), "--", str(full / "mesh-godot.glb")],
               cwd=full)
    found = json.loads(re.search(r"FOUND (.*)", said)[1])
    assert len(found["named"]) == 53 and found["worst_axis"] < 1e-5 and found["wrong_parents"] == []
    assert all("Twist" in name or name.startswith(("cape", "hair", "prop")) for name in found["unknown"])


@pytest.fixture(scope="module")
def viewer() -> str:
    need("chromium", command="chromium")
    need("three-vrm", package="@pixiv/three-vrm")
    need("esbuild", package="esbuild")
    return run([str(TOOLS / "node_modules" / ".bin" / "esbuild"), str(HERE / "viewer.js"), "--bundle", "--format=iife",
                "--log-level=error"], env=os.environ | NODE)


def looked_at(viewer: str, path, picture) -> dict:
    """What the page found in a file, and a picture of it."""
    page = picture.with_suffix(".html")
    code = viewer.replace("</script", "<\\/script")
    file = base64.b64encode(path.read_bytes()).decode()
    page.write_text(f'<body style="margin:0"><script>window.FILE="{file}"</script><script>{code}</script></body>')
    base = ["chromium", "--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader", "--window-size=900,900", "--virtual-time-budget=20000"]
    run([*base, f"--screenshot={picture}", page.as_uri()])
    title = re.search(r"<title>(.*?)</title>", run([*base, "--dump-dom", page.as_uri()]), re.DOTALL)
    found = json.loads(html.unescape(title[1]))
    assert "error" not in found and found["warnings"] == [], found
    return found


def test_three_vrm_loads_poses_and_shows_the_avatar(files, viewer):
    found = looked_at(viewer, files / "Pip-vrm.vrm", files / "vrm.png")
    assert found["version"] == "1" and len(found["bones"]) == 22
    rest, posed = found["rest"], found["posed"]
    for side, sign in (("left", 1), ("right", -1)):
        arm = [rest[f"{side}{part}"] for part in ("UpperArm", "LowerArm", "Hand")]
        assert sign * arm[0][0] < sign * arm[1][0] < sign * arm[2][0] and max(abs(a[1] - arm[0][1]) for a in arm) < 1e-4
        assert rest[f"{side}Toes"][2] > rest[f"{side}Foot"][2] + 0.05, "toes point to +Z"
    assert posed["leftHand"][1] < rest["leftHand"][1] - 0.2 and posed["rightHand"][1] > rest["rightHand"][1] + 0.1
    assert posed["leftLowerLeg"][2] > rest["leftLowerLeg"][2] + 0.1
    assert posed["rightFoot"] == pytest.approx(rest["rightFoot"], abs=1e-6)


def test_three_vrm_sways_capes_and_hair_and_shows_what_has_no_material(full, viewer):
    found = looked_at(viewer, full / "mesh-vrm.vrm", full / "vrm.png")
    assert len(found["bones"]) == 52 and {"cape_1_L", "cape_1_R", "hair_1"} <= set(found["springs"])
    assert found["brightness"] > 0.15, "black where no surroundings are mirrored"


def test_three_shows_the_walk(files, viewer):
    found = looked_at(viewer, files / "Pip-godot.glb", files / "godot.png")
    (name, seconds), = found["animations"]
    assert name == "walk" and 0.5 < seconds < 3.0
