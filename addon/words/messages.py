"""What Geppetto says about scenes, in German: errors with their remedies, warnings, what the check found.

A message is English text with a {} wherever a name or number was filled in. `telling` finds out which one a finished
text came from, so whoever writes a message simply writes it.
"""

from .creatures_german import CREATURES
from .export_german import SAID
from .findings_german import FINDINGS
from .workflow_german import MESSAGES

GERMAN = CREATURES | FINDINGS | SAID | MESSAGES | {
    # doubt
    "Reading {} of {}: {}": "Deutung {}/{}: {}", "Reading {} of {}": "Deutung {} von {}",
    "the likeliest": "die wahrscheinlichste", "with '{}' elsewhere": "mit '{}' woanders",
    "{} and {} more joints": "{} und {} weitere Gelenke",
    "{} may be wrong: the body could be read another way. Check, and pin what should be elsewhere, or take another "
    "reading.": "{} kann falsch sein: der Körper lässt sich auch anders deuten. Prüfe, pinne fest, was woanders "
                "hingehört, oder nimm eine andere Deutung.",
    "It is not clear where the legs are. Pin them; if the body is cut off above them, delete their bones: Update Rig "
    "leaves them out.":
        "Wo die Beine sind, ist unklar. Pinne sie fest; endet der Körper über ihnen, lösche ihre Knochen: Rig "
        "aktualisieren lässt sie weg.",
    "{} came out outside the body: pin what should be elsewhere.":
        "{} liegt außerhalb des Körpers: pinne fest, was woanders hingehört.",
    "{} follow the flesh of an arm that is hardly seen: check them.":
        "{} folgen dem Fleisch eines Arms, der kaum zu sehen ist: prüfe sie.",
    "{} lies on the other side of its partner: limbs were taken for one another. Pin one of them.":
        "{} liegt auf der Seite des Partners: Glieder wurden verwechselt. Pinne eines davon fest.",
    "{} lie on the other side of their partners: limbs were taken for one another. Pin one of them.":
        "{} liegen auf der Seite der Partner: Glieder wurden verwechselt. Pinne eines davon fest.",
    "The limbs that end in '{}' and '{}' came out unlike, one {} times as long as the other: check both, and pin the "
    "wrong one.": "Die Glieder, die in '{}' und '{}' enden, sind ungleich, eines {}-mal so lang wie das andere: prüfe "
                  "beide und pinne das falsche fest.",
    "Turn on Rigify?": "Rigify einschalten?", "Turn On": "Einschalten",
    "Rigify comes with Blender and makes the controls. It stays on in your preferences.":
        "Rigify gehört zu Blender und macht die Steuerung. Es bleibt in deinen Einstellungen eingeschaltet.",
    "The character whose joints are shown was deleted. Select another and press Edit Joints.":
        "Die Figur, deren Gelenke zu sehen sind, wurde gelöscht. Wähle eine andere und drücke Gelenke bearbeiten.",
    "Hand '{}' shows no fingers, the other one shows {}: it may hold something. If it has some, choose how many under "
    "Fingers.":
        "An Hand '{}' sind keine Finger zu sehen, an der anderen {}: vielleicht hält sie etwas. Wenn sie welche hat, "
        "wähle unter Finger, wie viele.",
    "Hand '{}' shows {} of the {} fingers looked for: they may be melted together. Part them in the mesh, or choose "
    "fewer.": "Hand '{}' zeigt {} von {} gesuchten Fingern: sie sind vielleicht verschmolzen. Trenne sie im Mesh oder "
              "wähle weniger.",
    # characters and meshes
    "There is no mesh to rig. {}": "Es gibt kein Mesh zum Riggen. {}",
    "There is no mesh to rig.": "Es gibt kein Mesh zum Riggen.",
    "Select the character's mesh.": "Wähle das Mesh der Figur aus.",
    "'{}' is {}.": "'{}' ist {}.", "'{}' (and {} more) is {}.": "'{}' (und {} weitere) ist {}.",
    "hidden and was left out. Show it if it belongs to the character":
        "verborgen und wurde ausgelassen. Zeige es, wenn es zur Figur gehört",
    "linked from another file and was left out. Make it local to rig it (Object > Relations)":
        "aus einer anderen Datei verknüpft und wurde ausgelassen. Mache es lokal (Objekt > Beziehungen)",
    "without faces and was left out": "ohne Flächen und wurde ausgelassen",
    "not a mesh and was left out. Convert it to a mesh if it belongs to the character":
        "kein Mesh und wurde ausgelassen. Wandle es um, wenn es zur Figur gehört",
    "an instance and was left out. Make instances real to rig them (Object > Apply)":
        "eine Instanz und wurde ausgelassen. Mache Instanzen real, um sie zu riggen (Objekt > Anwenden)",
    "'{}' has no faces left after its modifiers and was left out.":
        "'{}' hat nach seinen Modifikatoren keine Flächen mehr und wurde ausgelassen.",
    "The mesh '{}' has faces with corners at vertices that are not there, as in a damaged file. Export it again.":
        "Das Mesh '{}' hat Flächen mit Ecken an Punkten, die es nicht gibt, wie in einer beschädigten Datei. "
        "Exportiere sie noch einmal.",
    "'{}' has {} vertices whose coordinates are not finite numbers. Delete them, or export the file again.":
        "'{}' hat {} Punkte, deren Koordinaten keine endlichen Zahlen sind. Lösche sie oder exportiere neu.",
    "'{}' was changed while it was being rigged. Press the button again.":
        "'{}' wurde während des Riggens verändert. Drücke den Knopf noch einmal.",
    "'{}' is sheared by the scale of what it hangs on: the rig does not hang on it.":
        "'{}' ist geschert, weil schief skaliert ist, woran es hängt: Das Rig hängt nicht daran.",
    "'{}' hung on the skeleton '{}': the rig does not. Parent it to the bone on which it should ride.":
        "'{}' hing am Skelett '{}': Das Rig hängt nicht daran. Hänge es an den Knochen, auf dem es reiten soll.",
    "moved by keys, drivers or constraints of its own, away from its bones. Take them off, or give them to '{}'":
        "durch eigene Keyframes, Treiber oder Beschränkungen bewegt und verlässt seine Knochen. Nimm sie weg, oder gib "
        "sie '{}'",
    "'{}' was bound to '{}': that binding is kept but switched off.":
        "'{}' war an '{}' gebunden: diese Bindung bleibt, ist aber ausgeschaltet.",
    "'{}' and {} more were bound to '{}': those bindings are kept but switched off.":
        "'{}' und {} weitere waren an '{}' gebunden: diese Bindungen bleiben, sind aber ausgeschaltet.",
    "'{}' were bound to '{}': those bindings are kept but switched off.":
        "'{}' waren an '{}' gebunden: diese Bindungen bleiben, sind aber ausgeschaltet.",
    "'{}' is taken to stand with {} up, facing {}: {}.":
        "'{}' wird so verstanden: {} ist oben, Blickrichtung {}: {}.",
    "'{}' is taken to stand with {} up (it leans by {} degrees), facing {}: {}.":
        "'{}' wird so verstanden: {} ist oben (um {} Grad geneigt), Blickrichtung {}: {}.",
    "halfway between {} and {}": "genau zwischen {} und {}",
    "{} degrees from {} towards {}": "{} Grad von {} in Richtung {}",
    "'{}' has no vertices. Select an object with a mesh.": "'{}' hat keine Punkte. Wähle ein Objekt mit einem Mesh.",
    "'{}' has no faces, only points or edges. Add faces, or select the character's mesh.":
        "'{}' hat keine Flächen, nur Punkte oder Kanten. Füge Flächen hinzu oder wähle das Mesh der Figur.",
    "'{}' reaches beyond {} units. Scale it to a usual size.":
        "'{}' reicht weiter als {} Einheiten. Skaliere es auf eine übliche Größe.",
    "All faces of '{}' lie in one point. Check its scale.":
        "Alle Flächen von '{}' liegen in einem Punkt. Prüfe die Skalierung.",
    "All faces of '{}' lie on one line. A character needs a volume.":
        "Alle Flächen von '{}' liegen auf einer Linie. Eine Figur braucht ein Volumen.",
    "'{}' is a flat sheet. A character needs a volume: add a Solidify modifier.":
        "'{}' ist ein flaches Blatt. Eine Figur braucht ein Volumen: füge den Modifikator 3-dimensionalisieren hinzu.",
    "No face of '{}' has an area. Check its scale, or select the character's mesh.":
        "Keine Fläche von '{}' hat eine Größe. Prüfe die Skalierung oder wähle das Mesh der Figur.",
    "'{}' encloses no volume to put bones in. Close its holes, or thicken it with a Solidify modifier.":
        "'{}' umschließt kein Volumen für Knochen. Schließe Löcher oder nimm den Modifikator 3-dimensionalisieren.",
    "The mesh is nowhere thick enough for a bone. Thicken it with a Solidify modifier, or check that it is not only a "
    "sheet of cloth.": "Das Mesh ist nirgends dick genug für einen Knochen. Verdicke es mit dem Modifikator "
                       "3-dimensionalisieren, oder prüfe, ob es nur ein Tuch ist.",
    "A character whose head is at {} cannot look to {}. Change Up or Front.":
        "Eine Figur mit dem Kopf bei {} kann nicht nach {} schauen. Ändere Oben oder Vorne.",
    "The skeleton does not fit this shape anywhere. Choose another preset, turn the character to face -Y with Z up, or "
    "pin one or two joints.": "Das Skelett passt nirgends in diese Form. Wähle ein anderes, drehe die Figur mit Z nach "
                              "oben und Blick nach -Y, oder pinne ein oder zwei Gelenke fest.",
    "The body is unlike the preset '{}'. Check the joints, pin the wrong ones, or try another preset.":
        "Der Körper ist anders als die Vorlage '{}'. Prüfe die Gelenke, pinne falsche fest, oder wähle eine andere.",
    "Pin '{}': the preset '{}' has no such joint. It has: {}.":
        "Nadel '{}': die Vorlage '{}' hat kein solches Gelenk. Sie hat: {}.",
    "Pin '{}': its position must be three finite numbers.":
        "Nadel '{}': der Ort muss aus drei endlichen Zahlen bestehen.",
    "Pin '{}': its position is more than {} times the character's size away from it. Check the unit it is given in.":
        "Nadel '{}': der Ort liegt mehr als das {}-Fache der Größe der Figur von ihr entfernt. Prüfe die Einheit.",
    "The mesh has been changed: these joints are still those of the mesh before.":
        "Das Mesh wurde verändert: diese Gelenke sind noch die des Meshs davor.",
    "'{}' has no controls that Geppetto knows. Go back to the plain rig, then move it.":
        "'{}' hat keine Steuerungen, die Geppetto kennt. Geh zum einfachen Rig zurück und bewege dann dieses.",
    "'{}' was changed meanwhile. Press the button again.":
        "'{}' wurde inzwischen verändert. Drücke den Knopf noch einmal.",
    # rigs and skin
    "'{}' has no deforming bones. Turn on Deform for the bones that move the skin.":
        "'{}' hat keine verformenden Knochen. Schalte Deformieren bei den Knochen ein, die die Haut bewegen.",
    "Bone '{}' is too short for Blender to keep. Scale the character up.":
        "Knochen '{}' ist zu kurz für Blender. Vergrößere die Figur.",
    "The name of bone '{}' is longer than {} bytes, Blender's limit. Shorten it.":
        "Der Name von Knochen '{}' ist länger als {} Bytes, Blenders Grenze. Kürze ihn.",
    "No bone of '{}' has the name it was given. Rename its bones back, then update.":
        "Kein Knochen von '{}' hat noch seinen Namen. Benenne die Knochen zurück, dann aktualisiere.",
    "Two bones share a name. Rename one of them.": "Zwei Knochen haben denselben Namen. Benenne einen um.",
    "A bone has a position that is not a finite number. Delete it or set its position.":
        "Ein Knochen hat einen Ort, der keine endliche Zahl ist. Lösche ihn oder setze seinen Ort.",
    "The skeleton has no bones. Add bones, or fit one of the presets.":
        "Das Skelett hat keine Knochen. Füge Knochen hinzu oder passe eine Vorlage ein.",
    "The extension does not work over the network: for --scheduler, start addon/batch.py of Geppetto's sources.":
        "Die Erweiterung arbeitet nicht übers Netz: für --scheduler addon/batch.py aus Geppettos Quellen starten.",
    "No deforming bone is called '{}'. Pick bones that move the mesh.":
        "Kein verformender Knochen heißt '{}'. Wähle Knochen, die das Mesh bewegen.",
    "No bone of the skeleton deforms. Tick Deform on the bones that should move the mesh.":
        "Kein Knochen des Skeletts verformt. Schalte Deformieren bei denen ein, die das Mesh bewegen sollen.",
    "The skeleton's bones hang in a circle: a bone is its own ancestor. Give it another parent.":
        "Die Knochen hängen im Kreis: einer ist sein eigener Vorfahr. Gib ihm einen anderen Elternknochen.",
    "No vertex is chosen. Select some in Edit mode, name a group that holds some, or bind all.":
        "Kein Punkt ist gewählt. Wähle welche im Bearbeitungsmodus, nenne eine Gruppe mit Punkten, oder binde alle.",
    "All bones that move the mesh are locked. Unlock the vertex groups that may change.":
        "Alle Knochen, die das Mesh bewegen, sind gesperrt. Entsperre die Punktgruppen, die sich ändern dürfen.",
    "'{}' has no weights for the bones of its skeleton. Bind it first.":
        "'{}' hat keine Gewichte für die Knochen seines Skeletts. Binde es zuerst.",
    "The bone '{}' belongs to a limb but is connected to '{}': it cannot follow. Disconnect it in Edit mode, or choose "
    "other bones in the bone map.":
        "Der Knochen '{}' gehört zu einem Glied, ist aber mit '{}' verbunden: er kann nicht folgen. Trenne ihn im "
        "Bearbeitungsmodus, oder wähle andere Knochen in der Knochenzuordnung.",
    "The character is {} units large, too small for Blender's numbers. Scale it up.":
        "Die Figur ist {} Einheiten groß, zu klein für Blenders Zahlen. Vergrößere sie.",
    "'{}' moves no mesh. Bind one to it first.": "'{}' bewegt kein Mesh. Binde zuerst eines daran.",
    "The plain rig of '{}' is gone. Press Auto Rig for a new one.":
        "Das einfache Rig von '{}' ist weg. Drücke Automatisch riggen für ein neues.",
    "'{}' has no legs or arms that could be recognised, so there is nothing to control.":
        "An '{}' sind weder Beine noch Arme zu erkennen, also gibt es nichts zu steuern.",
    "Rigify is missing. It comes with Blender: install Blender completely, or without it keep the plain rig.":
        "Rigify fehlt. Es liegt Blender bei: installiere Blender vollständig, oder behalte das einfache Rig.",
    "Rigify cannot be turned on. Turn it on by hand in Edit > Preferences > Add-ons.":
        "Rigify lässt sich nicht einschalten. Schalte es in Bearbeiten > Einstellungen > Add-ons ein.",
    "Rigify could not generate a control rig: {}": "Rigify konnte kein Steuer-Rig erzeugen: {}",
    "Rigify generated no control rig. Press the button again, or keep the plain rig.":
        "Rigify hat kein Steuer-Rig erzeugt. Drücke den Knopf noch einmal, oder behalte das einfache Rig.",
    "Rigify made no bone '{}' for '{}'. Keep the plain rig.":
        "Rigify hat keinen Knochen '{}' für '{}' gemacht. Behalte das einfache Rig.",
    "A bone of your own is called '{}' already. Rename it first":
        "Ein eigener Knochen heißt schon '{}'. Benenne ihn zuerst um",
    "There is no joint '{}'": "Es gibt kein Gelenk '{}'", "'{}' is not pinned": "'{}' ist nicht festgepinnt",
    # what is reported when all went well
    "{}: {} s": "{}: {} s", "heat": "Wärme", "geodesic": "geodätisch",
    "{} bones, {} vertices, {} s": "{} Knochen, {} Punkte, {} s", "{} bones, {} s": "{} Knochen, {} s",
    "{} warnings: see panel 1 Check": "{} Warnungen: siehe Panel 1 Prüfen",
    "'{}': {} bones": "'{}': {} Knochen", "{} bones written": "{} Knochen geschrieben",
    "Chains follow in {} motions": "Ketten folgen in {} Bewegungen",
    "Taken out of {} motions": "Aus {} Bewegungen herausgenommen",
    "'{}': {} frames, {} of {} bones": "'{}': {} Bilder, {} von {} Knochen",
    # motions
    "'{}' has no motion. Choose an armature with an action.":
        "'{}' hat keine Bewegung. Wähle ein Skelett mit einer Aktion.",
    "The action '{}' is {} frames long. Shorten it to {}.": "Die Aktion '{}' ist {} Bilder lang. Kürze sie auf {}.",
    "The action '{}' takes a bone to no place. Look for broken keys or scales of 0.":
        "Die Aktion '{}' bringt einen Knochen nirgendwohin. Suche kaputte Schlüsselbilder oder Skalierungen von 0.",
    "'{}' has no frames. Export it with its animation.": "'{}' hat keine Bilder. Exportiere es mit der Animation.",
    "'{}' has a frame time of {} s. Set it to the time between two frames, like 0.0333.":
        "'{}' hat eine Bilddauer von {} s. Setze sie auf die Zeit zwischen zwei Bildern, etwa 0.0333.",
    "'{}' is of a kind that holds no motion. Use one of: {}.":
        "'{}' ist von einer Art, die keine Bewegung enthält. Nimm eine von: {}.",
    "'{}' has no action '{}'. It has: {}.": "'{}' hat keine Aktion '{}'. Es gibt: {}.",
    "'{}' holds what is no number in frame {}. Export it again, or delete that frame.":
        "'{}' enthält in Bild {} etwas, das keine Zahl ist. Exportiere neu oder lösche das Bild.",
    "'{}' holds words where numbers should be. Export it again.":
        "'{}' enthält Wörter, wo Zahlen sein sollen. Exportiere neu.",
    "The motion '{}' has frames 0 to {}: nothing is left from {} to {}. Choose other ends.":
        "Die Bewegung '{}' hat die Bilder 0 bis {}: von {} bis {} bleibt nichts. Wähle andere Enden.",
    "{} frames a second make no motion. Choose a rate between 1 and 1000.":
        "{} Bilder in der Sekunde ergeben keine Bewegung. Wähle eine Rate zwischen 1 und 1000.",
    "The motion '{}' has no frame {}: its frames are 0 to {}.":
        "Die Bewegung '{}' hat kein Bild {}: ihre Bilder sind 0 bis {}.",
    "The motion's rest pose is no pose of a person. One was built from the motion itself: look whether arms, feet and "
    "head are turned as they should be.":
        "Die Ruhepose der Bewegung ist keine Pose eines Menschen. Aus der Bewegung wurde eine gebildet: sieh nach, ob "
        "Arme, Füße und Kopf richtig gedreht sind.",
    "No foot was seen to stand on the floor: how high the body is over it is a guess.":
        "Kein Fuß steht sichtbar auf dem Boden: wie hoch der Körper darüber ist, ist geraten.",
    "These parts of the body may have got a wrong bone, or none: {}. Open Bone Map, press Guess, and choose the right "
    "bones.":
        "Diese Körperteile haben vielleicht einen falschen Knochen oder keinen: {}. Öffne Knochenzuordnung, drücke "
        "Ermitteln und wähle die richtigen Knochen.",
    "Feet may stand at wrong times: they do in {} % of the frames in which they should, and {} % of the frames in "
    "which they do are right. Look at the feet.":
        "Füße stehen vielleicht zur falschen Zeit: sie tun es in {} % der Bilder, in denen sie es sollten, und {} % "
        "der Bilder, in denen sie es tun, sind richtig. Sieh dir die Füße an.",
    "The motion goes on the spot, and its feet do not slide back evenly: where they stand is a guess. Look at the "
    "feet.":
        "Die Bewegung geht auf der Stelle, und ihre Füße gleiten nicht gleichmäßig zurück: wo sie stehen, ist geraten. "
        "Sieh dir die Füße an.",
    "Feet slide while they should stand, by {} % of a leg's length a second.":
        "Füße rutschen, während sie stehen sollten, um {} % einer Beinlänge in der Sekunde.",
    "Feet are off the ground while they should stand, by {} % of a leg's length.":
        "Füße sind vom Boden entfernt, während sie stehen sollten, um {} % einer Beinlänge.",
    "Arms differ from the motion's by up to {} degrees.":
        "Arme weichen um bis zu {} Grad von denen der Bewegung ab.",
    "Legs differ from the motion's by up to {} degrees, so that the feet reach the ground.":
        "Beine weichen um bis zu {} Grad von denen der Bewegung ab, damit die Füße den Boden erreichen.",
    "Knees bend faster than the motion's in {} % of the frames. Look at them where feet land.":
        "Knie beugen sich in {} % der Bilder schneller als in der Bewegung. Sieh sie dir an, wo Füße aufsetzen.",
    "The hips go up and down {} times as far as those of the motion.":
        "Die Hüfte hebt und senkt sich {}-mal so weit wie die der Bewegung.",
    "'{}' holds no armature that moves. Export it with its animation.":
        "'{}' enthält kein bewegtes Skelett. Exportiere es mit der Animation.",
    "'{}' is of a kind that holds no motion. Use one of: {} .json.":
        "'{}' ist von einer Art ohne Bewegung. Nimm eine von: {} .json.",
    "'{}' does not exist. Check the name.": "'{}' gibt es nicht. Prüfe den Namen.",
    "'{}' cannot be read: {} Export it again.": "'{}' ist nicht lesbar: {} Exportiere es neu.",
    "'{}' cannot be read: {}.": "'{}' ist nicht lesbar: {}.",
    "'{}' is no BVH motion: it has no HIERARCHY or no MOTION. Export it again.":
        "'{}' ist keine BVH-Bewegung: HIERARCHY oder MOTION fehlt. Exportiere es neu.",
    "'{}' is broken: its skeleton's braces do not match. Export it again.":
        "'{}' ist kaputt: die Klammern des Skeletts passen nicht zusammen. Exportiere es neu.",
    "'{}' is cut off: {} frames of {} channels are announced, {} are there. Download or export it again.":
        "'{}' ist abgeschnitten: {} Bilder mit {} Kanälen sind angekündigt, {} sind da. Lade oder exportiere es neu.",
    "A speed of {} makes no motion. Choose one between 0.01 and 100.":
        "Ein Tempo von {} ergibt keine Bewegung. Wähle eines zwischen 0.01 und 100.",
    "There is no motion '{}'. Choose one of: {}; or give the path of a motion's .json file.":
        "Es gibt keine Bewegung '{}'. Wähle eine von: {}; oder gib den Pfad einer .json-Datei an.",
    "The motion '{}' is for another kind of body. Choose one of: {}.":
        "Die Bewegung '{}' ist für einen anderen Körper. Wähle eine von: {}.",
    "The motion '{}' is for another kind of body, and no motion that ships fits this one. Use a motion of your own "
    "from a file.": "Die Bewegung '{}' ist für einen anderen Körper, und keine der Sammlung passt zu diesem. Nimm eine "
                    "eigene aus einer Datei.",
    "No motion of the library suits the skeleton '{}'. Use Auto Rig, then a motion of your own from a file.":
        "Keine Bewegung der Sammlung passt zum Skelett '{}'. Rigge automatisch, dann nimm eine eigene aus einer Datei.",
    "The motion '{}' has a key that is not a number at frame {} of bone '{}'. Delete that key.":
        "Die Bewegung '{}' hat bei Bild {} an Knochen '{}' einen Wert, der keine Zahl ist. Lösche ihn.",
    "The motion '{}' moves the root to no place at frame {}. Delete that key.":
        "Die Bewegung '{}' bringt die Wurzel bei Bild {} nirgendwohin. Lösche dieses Schlüsselbild.",
    "The motion '{}' has a rotation of length 0 at frame {} of bone '{}'. Delete that key.":
        "Die Bewegung '{}' hat bei Bild {} an Knochen '{}' eine Drehung der Länge 0. Lösche dieses Schlüsselbild.",
    "The motion '{}' has no frames. Choose an action with keyframes.":
        "Die Bewegung '{}' hat keine Bilder. Wähle eine Aktion mit Schlüsselbildern.",
    "Only the motions that ship have styles. Leave the style at 0.":
        "Nur die mitgelieferten Bewegungen haben Stile. Lass den Stil auf 0.",
    "The style's {} is {}. Choose a number from -1 to 1.":
        "{} des Stils ist {}. Wähle eine Zahl von -1 bis 1.",
    "'{}' is no style. Write one or more of {}.": "'{}' ist kein Stil. Schreibe eines oder mehrere von {}.",
    "The motion '{}' has {} frames a second. Set a rate above 0.":
        "Die Bewegung '{}' hat {} Bilder in der Sekunde. Setze eine Rate über 0.",
    "Hips": "Hüfte", "Spine": "Wirbelsäule", "Chest": "Brust", "Neck": "Hals", "Head": "Kopf", "Tail": "Schwanz",
    "Shoulder": "Schulter", "Upper Arm": "Oberarm", "Forearm": "Unterarm", "Hand": "Hand", "Thigh": "Oberschenkel",
    "Shin": "Unterschenkel", "Foot": "Fuß", "Toe": "Zehen", "Upper": "Oben", "Lower": "Unten", "Heel": "Ferse",
    "Hip": "Hüftknochen",
    "the constraint '{}'": "die Beschränkung '{}'", "a driver": "ein Treiber",
    "No part of the body was recognised.": "Kein Teil des Körpers wurde erkannt.",
    "The bone '{}' of '{}' does not follow its keys: {} of '{}' holds it. Mute it while the motion plays, or give in "
    "the bone map the controls that move this bone.":
        "Der Knochen '{}' von '{}' folgt seinen Schlüsselbildern nicht: {} von '{}' hält ihn. Schalte das stumm, "
        "solange die Bewegung läuft, oder nenne in der Knochenzuordnung die Griffe, die diesen Knochen bewegen.",
    "The motion '{}' is for another kind of body: of its {} bones this skeleton knows only {}. Choose a motion "
    "for its kind, or edit the bone map.":
        "Die Bewegung '{}' ist für einen anderen Körper: von ihren {} Knochen kennt dieses Skelett nur {}. Wähle eine "
        "passende, oder bearbeite die Knochenzuordnung.",
    # files
    "'{}' cannot be written: {}.": "'{}' lässt sich nicht schreiben: {}.",
    "'{}' cannot be deleted: {}.": "'{}' lässt sich nicht löschen: {}.",
    "The motion '{}' cannot be read: {}.": "Die Bewegung '{}' ist nicht lesbar: {}.",
    "The motion '{}' is not JSON: {}.": "Die Bewegung '{}' ist kein JSON: {}.",
    "'{}' is not a motion: its \"format\" is not \"{}\".": "'{}' ist keine Bewegung: \"format\" ist nicht \"{}\".",
    "'{}' has version {}; this Geppetto reads version {}.":
        "'{}' hat Version {}; dieses Geppetto liest Version {}.",
    "'{}': the field \"{}\" is missing or not as presets/README.md describes it.":
        "'{}': das Feld \"{}\" fehlt oder ist nicht so, wie presets/README.md es beschreibt.",
    "'{}': {}": "'{}': {}",
    "{}: there is no field \"{}\". Use: {}.": "{}: es gibt kein Feld \"{}\". Es gibt: {}.",
    "it holds signs that are not UTF-8. Save it as UTF-8":
        "sie hat Zeichen, die kein UTF-8 sind. Speichere sie als UTF-8",
    "its brackets are nested too deep": "ihre Klammern sind zu tief verschachtelt",
    "\"{}\" is given twice": "\"{}\" steht zweimal da",
    "'{}' is not a bone map: its \"format\" is not \"{}\".":
        "'{}' ist keine Knochenzuordnung: \"format\" ist nicht \"{}\".",
    "'{}': the field \"bones\" must be an object {role: name}.":
        "'{}': das Feld \"bones\" muss ein Objekt {Rolle: Name} sein.",
    "There is no bone map '{}'. Choose one of: {}; or give the path of a map's .json file.":
        "Es gibt keine Knochenzuordnung '{}'. Wähle eine von: {}; oder gib den Pfad einer .json-Datei an.",
    "The bone map '{}' cannot be read: {}.": "Die Knochenzuordnung '{}' ist nicht lesbar: {}.",
    "The bone map '{}' is not JSON: {}.": "Die Knochenzuordnung '{}' ist kein JSON: {}.",
    "'{}': the names of \"{}\" must be a text or a list of texts.":
        "'{}': die Namen von \"{}\" müssen ein Text oder eine Liste von Texten sein.",
    "'{}' gives two bones one name.": "'{}' gibt zwei Knochen denselben Namen.",
    # templates
    "The armature has no bones that move skin, so no template can be made of it. Turn on Deform for the bones of the "
    "body.": "Das Skelett hat keine Knochen, die Haut bewegen, also wird keine Vorlage daraus. Schalte Deformieren bei "
             "den Knochen des Körpers ein.",
    "'{}' is not a skeleton template: its \"format\" is not \"{}\".":
        "'{}' ist keine Skelettvorlage: \"format\" ist nicht \"{}\".",
    "There is no preset '{}'. Choose one of: {}, shape; or give the path of a template's .json file.":
        "Es gibt keine Vorlage '{}'. Wähle eine von: {}, shape; oder gib den Pfad einer .json-Datei an.",
    "The template '{}' cannot be read: {}.": "Die Vorlage '{}' ist nicht lesbar: {}.",
    "The template '{}' is not JSON: {}.": "Die Vorlage '{}' ist kein JSON: {}.",
    "'{}', joint '{}': its \"parent\" '{}' is no joint.": "'{}', Gelenk '{}': \"parent\" '{}' ist kein Gelenk.",
    "{}: it must be an object {...}, not {}.": "{}: es muss ein Objekt {...} sein, nicht {}.",
    "Template '{}' has kind '{}'; there are {}.": "Vorlage '{}' hat die Art '{}'; es gibt {}.",
    "Template '{}' needs at least two joints.": "Vorlage '{}' braucht mindestens zwei Gelenke.",
    "Template '{}' names joint '{}' twice.": "Vorlage '{}' nennt das Gelenk '{}' zweimal.",
    "Template '{}', joint '{}': the first joint is the root and every other joint's parent comes before it.":
        "Vorlage '{}', Gelenk '{}': das erste Gelenk ist die Wurzel, und der Vorgänger jedes anderen kommt vor ihm.",
    "Template '{}' has a joint position that is not a number below a million.":
        "Vorlage '{}' hat einen Gelenkort, der keine Zahl unter einer Million ist.",
    "Template '{}': joint '{}' lies on its parent.": "Vorlage '{}': Gelenk '{}' liegt auf seinem Vorgänger.",
    "Template '{}' has no bones.": "Vorlage '{}' hat keine Knochen.",
    "Template '{}': the mirror of '{}' is not mutual.": "Vorlage '{}': die Spiegelung von '{}' ist nicht gegenseitig.",
    "Template '{}': bone '{}' begins and ends at '{}'.": "Vorlage '{}': Knochen '{}' beginnt und endet bei '{}'.",
    "Template '{}': the parent '{}' of bone '{}' does not come before it.":
        "Vorlage '{}': der Elternknochen '{}' von '{}' kommt nicht vor ihm.",
    "Template '{}' names bone '{}' twice.": "Vorlage '{}' nennt Knochen '{}' zweimal.",
    "Template '{}': bone '{}' uses the unknown joint '{}'.":
        "Vorlage '{}': Knochen '{}' benutzt das unbekannte Gelenk '{}'.",
    "The anatomy '{}' is not sound: {}. Install the extension again.":
        "Die Anatomie '{}' ist nicht in Ordnung: {}. Installiere die Erweiterung neu.",
    "The landmark network '{}' is not sound: {}. Install the extension again.":
        "Das Landmarken-Netz '{}' ist nicht in Ordnung: {}. Installiere die Erweiterung neu.",
    # what a character seems to be
    "{}: {}": "{}: {}", "{} and {}": "{} und {}", "biped": "Zweibeiner", "quadruped": "Vierbeiner",
    "biped_tail": "Zweibeiner mit Schwanz", "bird": "Vogel", "centaur": "Zentaur", "other": "anders",
    "unknown": "unbekannt",
    "four legs, and an upright body with two arms above them":
        "vier Beine und darüber ein aufrechter Körper mit zwei Armen",
    "four legs of like length under a trunk": "vier gleich lange Beine unter einem Rumpf",
    "two broad wings and two legs": "zwei breite Flügel und zwei Beine", "two broad wings": "zwei breite Flügel",
    "two legs and a tail behind them": "zwei Beine und ein Schwanz dahinter",
    "two legs under an upright body with two arms": "zwei Beine unter einem aufrechten Körper mit zwei Armen",
    "two legs under an upright body": "zwei Beine unter einem aufrechten Körper",
    "an upright body with two arms, its legs hidden or joined":
        "ein aufrechter Körper mit zwei Armen, die Beine verdeckt oder verbunden",
    # what is likely to go wrong
    "the preset '{}' is for another kind of body: this one has {}. The preset '{}' suits it better":
        "die Vorlage '{}' ist für einen anderen Körper: dieser hat {}. Besser passt die Vorlage '{}'",
    "the legs touch, or a skirt hides them: check hips and knees":
        "die Beine berühren sich, oder ein Rock verdeckt sie: prüfe Hüften und Knie",
    "no two arms stand out: one or both are missing, or touch something all the way down":
        "es stehen keine zwei Arme ab: einer oder beide fehlen oder liegen ganz an etwas an",
    "Template '{}' may lack what hangs on the unknown joint '{}'.":
        "Der Vorlage '{}' darf fehlen, was an dem unbekannten Gelenk '{}' hängt.",
    "no bones are made for {}, as nothing of that is seen: choose '{}' under Skeleton if it is there":
        "für {} gibt es keine Knochen, denn davon ist nichts zu sehen: wähle '{}' unter Skelett, falls doch",
    "both legs": "beide Beine", "both arms": "beide Arme", "both forearms": "beide Unterarme",
    "the tail": "den Schwanz",
    "parts of the left arm": "Teile des linken Arms", "parts of the right arm": "Teile des rechten Arms",
    "the head and shoulders of a person, without legs": "Kopf und Schultern einer Person, ohne Beine",
    "the left arm is missing, or posed unlike the other: check the joints of both":
        "der linke Arm fehlt oder ist anders gehalten: prüfe die Gelenke beider",
    "the right arm is missing, or posed unlike the other: check the joints of both":
        "der rechte Arm fehlt oder ist anders gehalten: prüfe die Gelenke beider",
    "the arms touch the body below the elbow: move them away from it, or their weights bleed into the trunk":
        "die Arme berühren den Körper unter dem Ellbogen: rücke sie ab, sonst laufen ihre Gewichte in den Rumpf",
    "the arms touch the body above the elbow: move them away from it, or their weights bleed into the trunk":
        "die Arme berühren den Körper über dem Ellbogen: rücke sie ab, sonst laufen ihre Gewichte in den Rumpf",
    "there seem to be two or more characters in the mesh: separate them, then rig each":
        "im Mesh scheinen zwei oder mehr Figuren zu sein: trenne sie, dann rigge jede",
    "there seem to be two characters that touch: move them apart, then rig each. If they are one object, first select "
    "one of them in Edit Mode, and press P":
        "es scheinen zwei Figuren zu sein, die sich berühren: rücke sie auseinander, dann rigge jede. Sind sie ein "
        "Objekt, wähle zuerst eine im Bearbeitungsmodus aus und drücke P",
    "it stands far from the origin, which costs precision: move it nearer":
        "die Figur steht weit vom Ursprung, das kostet Genauigkeit: rücke sie näher",
    "it is tiny ({} units): enlarge it before animating":
        "die Figur ist winzig ({} Einheiten): vergrößere sie vor dem Animieren",
    "it is huge ({} units): shrink it before animating":
        "die Figur ist riesig ({} Einheiten): verkleinere sie vor dem Animieren",
    "The stance network '{}' is not sound: {}. Install the extension again.":
        "Das Netz für die Lage, '{}', ist beschädigt: {}. Installiere die Erweiterung neu.",
}
