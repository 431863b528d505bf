# Loads a .glb with Godot's own glTF reader: names, parents and rest turns against SkeletonProfileHumanoid, as JSON.
extends SceneTree
func _init():
	var state = GLTFState.new()
	var document = GLTFDocument.new()
	var failed = document.append_from_file(OS.get_cmdline_user_args()[0], state)
	var found = {"error": failed}
	if failed == OK:
		var scene = document.generate_scene(state)
		var skeleton: Skeleton3D = scene.find_children("*", "Skeleton3D", true, false)[0]
		var profile = SkeletonProfileHumanoid.new()
		var turns = {}
		for i in profile.bone_size:
			var t = profile.get_reference_pose(i).basis.orthonormalized()  # its thumbs have three digits
			var above = profile.get_bone_parent(i)
			turns[profile.get_bone_name(i)] = (turns[above] if above != "" else Basis()) * t
		var worst = 0.0
		var named = []
		var unknown = []
		var wrong_parents = []
		for i in skeleton.get_bone_count():
			var name = skeleton.get_bone_name(i)
			if not name in turns:
				unknown.append(name)
				continue
			named.append(name)
			var rest = skeleton.get_bone_global_rest(i).basis
			for axis in 3:
				worst = max(worst, (rest[axis] - turns[name][axis]).length())
			var above = skeleton.get_bone_parent(i)
			var wanted = profile.get_bone_parent(profile.find_bone(name))
			if above >= 0 and skeleton.get_bone_name(above) != wanted:
				wrong_parents.append([name, skeleton.get_bone_name(above), wanted])
		found["named"] = named
		found["unknown"] = unknown
		found["wrong_parents"] = wrong_parents
		found["worst_axis"] = worst
		found["required_missing"] = []
		for i in profile.bone_size:
			if profile.is_required(i) and not profile.get_bone_name(i) in named:
				found["required_missing"].append(profile.get_bone_name(i))
		var players = scene.find_children("*", "AnimationPlayer", true, false)
		found["animations"] = players[0].get_animation_list() if players else []
		found["meshes"] = scene.find_children("*", "MeshInstance3D", true, false).size() + scene.find_children("*", "ImporterMeshInstance3D", true, false).size()
		found["skeleton_at"] = skeleton.transform == Transform3D.IDENTITY
	print("FOUND " + JSON.stringify(found))
	quit()
