"""What is said about rest poses and export, in German."""

EXPORT = {
    "Export Character": "Figur exportieren", "Rest in": "Ruhe in", "Export for": "Exportieren für",
    "Rest Pose": "Ruhepose", "T-Pose": "T-Pose",
    "A-Pose": "A-Pose", "As Modelled": "Original", "As the Engine Wants": "Wie die Engine es will",
    "T-pose where the engine expects one": "T-Pose, wo die Engine eine erwartet", "As It Is": "Wie sie ist",
    "The rest pose the character has now": "Die Ruhepose, die die Figur jetzt hat",
    "Arms level": "Arme waagrecht", "Arms half lowered": "Arme halb gesenkt",
    "Arms level, palms down, legs upright": "Arme waagrecht, Handflächen nach unten, Beine senkrecht",
    "Arms half lowered, legs upright": "Arme halb gesenkt, Beine senkrecht",
    "Exactly the pose the character was modelled in": "Genau die Pose, in der die Figur modelliert wurde",
    "How the character stands at rest": "Wie die Figur in Ruhe steht",
    "How the character stands at rest in the file": "Wie die Figur in der Datei in Ruhe steht",
    "Change how the character stands at rest: mesh, shape keys and bones together, by its own weights, and exactly "
    "back":
        "Ändern, wie die Figur in Ruhe steht: Mesh, Formschlüssel und Knochen zusammen, mit ihren Gewichten, und genau "
        "zurück",
    "Write the character as a file that a game engine or program takes as it is: its bone names, root, helper bones, "
    "axes, rest pose and scale. The scene stays as it is":
        "Die Figur als Datei schreiben, die eine Engine oder ein Programm so nimmt, wie sie ist: mit deren "
        "Knochennamen, Wurzel, Hilfsknochen, Achsen, Ruhepose und Maßstab. Die Szene bleibt, wie sie ist",
    "For": "Für", "Which program the file is for": "Für welches Programm die Datei ist",
    "Motions": "Bewegungen", "Which motions the file holds": "Welche Bewegungen die Datei enthält",
    "All": "Alle", "All motions of the character": "Alle Bewegungen der Figur",
    "Active": "Aktive", "The motion it does now": "Die Bewegung, die sie jetzt macht",
    "None": "Keine", "The character alone": "Nur die Figur",
    "Title": "Titel", "What the avatar is called; empty: as the file": "Wie der Avatar heißt; leer: wie die Datei",
    "Author": "Urheber", "Who made the avatar": "Wer den Avatar gemacht hat",
    "Everyone May Use It": "Alle dürfen ihn nutzen",
    "Everyone may act as this avatar; otherwise only its author":
        "Alle dürfen als dieser Avatar auftreten; sonst nur der Urheber",
    "Commercial Use": "Kommerzielle Nutzung", "The avatar may earn money": "Der Avatar darf Geld verdienen",
    "Check Existing": "Vorhandene prüfen", "Folder": "Ordner",
    "Where the last export went": "Wohin der letzte Export ging",
    "Press Back to Plain Rig first: engines know nothing of controls":
        "Zuerst Zurück zum einfachen Rig drücken: Engines kennen keine Steuerungen",
}

SAID = {
    "'{}': {} bones, {} objects, {} motions": "'{}': {} Knochen, {} Objekte, {} Bewegungen",
    "'{}': {} bones, {} objects, 1 motion": "'{}': {} Knochen, {} Objekte, 1 Bewegung",
    "'{}': {} bones, 1 object, {} motions": "'{}': {} Knochen, 1 Objekt, {} Bewegungen",
    "'{}': {} bones, 1 object, 1 motion": "'{}': {} Knochen, 1 Objekt, 1 Bewegung",
    "'{}': 1 bone, {} objects, {} motions": "'{}': 1 Knochen, {} Objekte, {} Bewegungen",
    "'{}': 1 bone, {} objects, 1 motion": "'{}': 1 Knochen, {} Objekte, 1 Bewegung",
    "'{}': 1 bone, 1 object, {} motions": "'{}': 1 Knochen, 1 Objekt, {} Bewegungen",
    "'{}': 1 bone, 1 object, 1 motion": "'{}': 1 Knochen, 1 Objekt, 1 Bewegung",
    "'{}' rests in the {}-pose": "'{}' ruht in der {}-Pose",
    "'{}' rests as it was modelled": "'{}' ruht, wie modelliert",
    "Only people have a T-pose or A-pose: this skeleton has no '{}'. Keep it as modelled.":
        "Nur Menschen haben eine T-Pose oder A-Pose: dieses Skelett hat kein '{}'. Lass es, wie es modelliert ist.",
    "{} knows only people's skeletons, and '{}' has no '{}'. Choose an engine that takes any body: Unreal, Unity or "
    "Godot.": "{} kennt nur Skelette von Menschen, und '{}' hat kein '{}'. Wähle eine Engine, die jeden Körper nimmt: "
              "Unreal, Unity oder Godot.",
    "'{}' has motions, which are measured from its rest pose. Choose the rest pose before the motion, or when you "
    "export.": "'{}' hat Bewegungen, die von der Ruhepose aus gemessen sind. Wähle die Ruhepose vor der Bewegung, oder "
               "beim Exportieren.",
    "'{}' is not in this view layer, so its bones cannot be moved. Tick its collection in the Outliner, or link it "
    "into this scene.":
        "'{}' ist nicht in diesem View Layer, deshalb lassen sich seine Knochen nicht bewegen. Hake im Outliner seine "
        "Sammlung an, oder verknüpfe es mit dieser Szene.",
    "'{}' is hidden, so its bones cannot be moved. Show it first.":
        "'{}' ist verborgen, also lassen sich die Knochen nicht bewegen. Zeige es zuerst.",
    "Too much of '{}' was changed since it took its rest pose, so the way back is lost. Undo that, or keep the rest "
    "pose.": "Zu viel von '{}' wurde geändert, seit die Ruhepose gewählt ist, also ist der Rückweg verloren. Mache das "
             "rückgängig, oder behalte die Ruhepose.",
    "'{}' stays in its {}-pose, as if modelled so: too much of it was changed to take it back.":
        "'{}' bleibt in der {}-Pose, als wäre es so modelliert: zu viel davon wurde geändert, um es zurückzubringen.",
    "'{}' is linked from another file. Make it local first (Object > Relations).":
        "'{}' ist aus einer anderen Datei verknüpft. Mache es zuerst lokal (Objekt > Beziehungen).",
    "Shape keys of '{}' change which vertices its modifiers make. Apply the modifiers, or take those away that do "
    "this.": "Formschlüssel von '{}' ändern, welche Punkte die Modifikatoren machen. Wende die Modifikatoren an, oder "
             "nimm die weg, die das tun.",
    "'{}' has no bone '{}': '{}' holds no person as {} knows them, and bones keep their names. If the bone was "
    "renamed, give it that name again.":
        "'{}' hat keinen Knochen '{}': '{}' enthält keine Person, wie {} sie kennt, und Knochen behalten ihre Namen. "
        "Wurde der Knochen umbenannt, gib ihm diesen Namen wieder.",
    "'{}' is called '{}' in '{}': a bone has its name there, and engines find bones by their names.":
        "'{}' heißt '{}' in '{}': einen Knochen dieses Namens gibt es dort, und Engines finden Knochen nach Namen.",
    "A bone is called '{}' already. Rename it first.": "Ein Knochen heißt schon '{}'. Benenne ihn zuerst um.",
    "Two bones would be called '{}'. Rename one of them.": "Zwei Knochen hießen '{}'. Benenne einen um.",
    "'{}' cannot be written: there is no such folder. Choose another.":
        "'{}' lässt sich nicht schreiben: den Ordner gibt es nicht. Wähle einen anderen.",
    "'{}' cannot be written: {}": "'{}' lässt sich nicht schreiben: {}",
    "The file is no binary glTF 2.0.": "Die Datei ist kein binäres glTF 2.0.",
    "'{}' does not describe an engine in version {}.": "'{}' beschreibt keine Engine in Version {}.",
    "There is no engine '{}'. Choose one of: {}; or give the path of an engine's .json file.":
        "Es gibt keine Engine '{}'. Wähle eine von: {}; oder gib den Pfad einer .json-Datei an.",
    "The engine '{}' cannot be read: {}.": "Die Engine '{}' ist nicht lesbar: {}.",
    "The engine '{}' is not JSON: {}.": "Die Engine '{}' ist kein JSON: {}.",
    "'{}': the field \"{}\" is missing or not as presets/README.md describes it.":
        "'{}': das Feld \"{}\" fehlt oder ist nicht so, wie presets/README.md es beschreibt.",
    "{} knows no motions: '{}' holds the character without one.":
        "{} kennt keine Bewegungen: '{}' enthält die Figur ohne.",
    "'{}' does no motion now: '{}' holds the character without one. Choose one in the Action Editor, or all motions.":
        "'{}' führt gerade keine Bewegung aus: '{}' enthält die Figur ohne. Wähle eine im Aktion-Editor, oder alle "
        "Bewegungen.",
    "{} is not in the file: only meshes that follow a bone are. Parent it to a bone, or turn it into a mesh with "
    "Object > Convert.": "{} ist nicht in der Datei: nur Meshes sind es, die einem Knochen folgen. Hänge es an einen "
                         "Knochen, oder mach es mit Objekt > Konvertieren zu einem Mesh.",
    "{} lacks what {} shows besides a mesh: hair of particles, instances or curves. Make meshes of them first, with "
    "Object > Convert or Object > Apply > Make Instances Real.":
        "{} fehlt, was {} außer einem Mesh zeigt: Haare aus Partikeln, Instanzen oder Kurven. Mach zuerst Meshes "
        "daraus, mit Objekt > Konvertieren oder Objekt > Anwenden.",
    "'{}' has shape keys of '{}' that keys or drivers move, such as '{}', without their motion and at 0.":
        "'{}' hat Formschlüssel von '{}', die Keyframes oder Treiber bewegen, etwa '{}', ohne ihre Bewegung und bei 0.",
    "'{}' is scaled unevenly: in motion the character looks different in '{}'. Apply the scale of the rig and of its "
    "meshes first.": "'{}' ist ungleich skaliert: in Bewegung sieht die Figur in '{}' anders aus. Wende zuerst die "
                     "Skalierung des Rigs und seiner Meshes an.",
    "The file in '{}' has no name. Give it one.": "Die Datei in '{}' hat keinen Namen. Gib ihr einen.",
    "The motion '{}' scales bones, '{}' does not: there they keep their size.":
        "Die Bewegung '{}' skaliert Knochen, '{}' nicht: dort behalten sie ihre Größe.",
    "The motion '{}' has frames 0 to {}: only frame {} is left of it, and a motion takes two. Choose other ends.":
        "Die Bewegung '{}' hat die Bilder 0 bis {}: nur Bild {} bleibt davon, und eine Bewegung braucht zwei. Wähle "
        "andere Enden.",
}
