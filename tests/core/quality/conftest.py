"""A generated person on the skeleton it was grown around, weighed well and badly."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.pipeline import bind
from core.skeleton.rig import Rig
from tests.characters import person
from tests.core.motion.bodies import grown_rig


def air_weights(vertices, rig: Rig, power: float = 3.0) -> np.ndarray:
    """(V, B) weights by distance through the air alone, as the simplest binders make them: what bleeds."""
    along = rig.tails - rig.heads
    where = np.clip(((vertices[:, None] - rig.heads) * along).sum(2) / (along**2).sum(1), 0, 1)
    away = np.linalg.norm(vertices[:, None] - rig.heads - where[..., None] * along, axis=2)
    weights = (away.min(1, keepdims=True) / np.maximum(away, 1e-9)) ** power
    weights[weights < np.sort(weights, axis=1)[:, [-4]]] = 0.0
    return weights / weights.sum(1, keepdims=True)


@pytest.fixture(scope="session")
def bound():
    """A person bound well: .mesh, .rig, .good weights (V, B)."""
    character = person(vertices=2500, arm_angle=45)
    rig = grown_rig(character, "biped")
    return SimpleNamespace(mesh=character.mesh, rig=rig, good=bind(character.mesh, rig).matrix.toarray())


@pytest.fixture(scope="session")
def hanging():
    """A person with hanging arms bound badly: .mesh, .rig, .bad weights (V, B)."""
    character = person(vertices=2000, arm_angle=80)
    rig = grown_rig(character, "biped")
    return SimpleNamespace(mesh=character.mesh, rig=rig, bad=air_weights(character.mesh.vertices, rig))
