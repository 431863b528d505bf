"""Geppetto's core: a mesh and a skeleton template in, a rig and skin weights out. numpy and scipy only, never bpy.

Stages, in the order of [BP07] (Baran & Popović 2007)::

    Mesh -Stance, Frame-> unit Mesh -> Solid -> DistanceField
    kinds that are learned:  unit Mesh -> Sight -> Evidence;  Evidence + JointTree -> Reading -> Rig
    other skeletons:  DistanceField -> MedialSamples -> Spheres -> SphereGraph
                      SkeletonTemplate -> ReducedTemplate;  ReducedTemplate + SphereGraph -> Embedding -> Rig
    Rig + HandSolid -> Hand -> Chain;  Rig + Chains -> Rig (with fingers)
    Shape + Rig -> Parts, Strands -> Piece -> Thing;  Rig + Things -> Rig (with capes, hair, swords, wings)
    Mesh + Rig -> SkinWeights
    MotionClip + Rig -> MotionClip (retargeted, feet held)
    Rig + roles -> matrices of T-pose or A-pose; with weights -> Mesh there and back
    Rig + roles + Engine -> EngineRig (names, root, pieces, helpers, axes); with weights -> weights dealt
    Mesh + Rig + weights -> WeightCheck (anybody's: posed, measured, judged)

Frames
    *object*: the caller's coordinates, whatever units. Z up, facing -Y, the character's left is +X.
    *unit*: the same axes; the longest side is 1, the ground is z = 0, x and y are centred. Every constant lives here.

Conventions
    Radians. Quaternions are w x y z. Distances inside the solid are negative; *depth* is their positive twin.
    The Laplacian is positive semidefinite. Parents come before children; the root's parent is -1.
    A bone's local Y runs from head to tail; a positive turn about its local X bends the joint.
    Bones of the left side end in ``.L``, of the right side in ``.R``.
    The same input gives the same bits: no randomness without an ``rng``, ties break by index.

Papers
    [BP07] Baran, Popović: Automatic Rigging and Animation of 3D Characters. 2007.
    [W12]  Wang: density-clustered limb candidates for [BP07]. 2012.
    [DL14] Dionne, de Lasa: Geodesic Binding for Degenerate Character Geometry Using Sparse Voxelization. 2014.
"""
