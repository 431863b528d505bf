"""The words of the steps from Check to Test in German: what is said (MESSAGES) and what stands on buttons (TEXTS)."""

MESSAGES = {
    "A scale was applied to '{}', and Rigify's controls work no more after that. Undo it, or scale controls and meshes "
    "by {} along X, Y, Z and apply that too.":
        "Auf '{}' wurde eine Skalierung angewendet, und danach gehen Rigifys Steuerungen nicht mehr. Mache das "
        "rückgängig, oder skaliere Steuer-Rig und Meshes um {} entlang X, Y, Z und wende auch das an.",
    "there seem to be two characters in one surface: in Edit Mode select the faces of one of them and press P, then "
    "rig each": "es scheinen zwei Figuren in einer Oberfläche zu sein: wähle im Bearbeitungsmodus die Flächen der "
                "einen aus und drücke P, dann rigge jede",
    "someone seems to sit on the animal, in one surface with it: in Edit Mode select the rider's faces and press P, "
    "then rig each": "jemand scheint auf dem Tier zu sitzen, in einer Oberfläche mit ihm: wähle im Bearbeitungsmodus "
                     "die Flächen des Reiters aus und drücke P, dann rigge jeden",
    "All weights that would change are locked. Unlock the vertex groups that may change.":
        "Alle Gewichte, die sich ändern würden, sind gesperrt. Entsperre die Punktgruppen, die sich ändern dürfen.",
    "{} is not in the file: what is hidden is left out. Show it to export it.":
        "{} ist nicht in der Datei: was ausgeblendet ist, wird ausgelassen. Blende es ein, um es zu exportieren.",
    "The template '{}' was replaced": "Die Vorlage '{}' wurde ersetzt",
    "The template '{}' is in the menu of skeletons now": "Die Vorlage '{}' steht jetzt im Menü der Skelette",
    "The template '{}' is not on this computer. Import it under Templates, or choose another skeleton and press Rig "
    "Anew.": "Die Vorlage '{}' ist nicht auf diesem Computer. Importiere sie unter Vorlagen, oder wähle ein anderes "
             "Skelett und drücke Neu riggen.",
    "The template that '{}' carries is damaged. Choose a skeleton and press Rig Anew.":
        "Die Vorlage, die '{}' bei sich hat, ist beschädigt. Wähle ein Skelett und drücke Neu riggen.",
    "The bones of '{}' are linked from another file and cannot be moved here. Make its data local first: Object > "
    "Relations > Make Local.":
        "Die Knochen von '{}' sind aus einer anderen Datei verknüpft und können hier nicht bewegt werden. Mache zuerst "
        "die Daten lokal: Objekt > Beziehungen > Lokal machen.",
    "'{}' has a control rig: press Back to Plain Rig first.":
        "'{}' hat ein Steuer-Rig: drücke zuerst Zurück zum einfachen Rig.",
    "Of the limbs added or taken away, {} no longer suit the body and were left out. Limbs as Found forgets them.":
        "Von den hinzugefügten oder weggenommenen Gliedern passen {} nicht mehr zum Körper und wurden ausgelassen. "
        "Glieder wie gefunden vergisst sie.",
    "There is no room for a limb here. Click on the tip of something that stands out.":
        "Hier ist kein Platz für ein Glied. Klicke auf die Spitze von etwas, das absteht.",
    "It goes as it ships: only gaits on legs go at a ground speed.":
        "Sie geht, wie sie mitgeliefert ist: nur Gangarten auf Beinen haben ein Gehtempo.",
    "Only the gaits that ship go at a ground speed. Leave Ground Speed at As It Ships.":
        "Nur die mitgelieferten Gangarten haben ein Gehtempo. Lass Gehtempo auf Wie mitgeliefert.",
    "{} is no speed over the ground. Choose one above 0.": "{} ist kein Gehtempo. Wähle eines über 0.",
    "With legs of {} m nobody goes at a pace of {}. Choose one between {} and {}, or natural, or 3legs for leg lengths "
    "a second.": "Mit Beinen von {} m geht niemand im Tempo {}. Wähle eines zwischen {} und {}, oder natural, oder "
                 "3legs für Beinlängen in der Sekunde.",
    "'{}' is no speed. Write natural, 1.4 for metres a second, or 3legs for leg lengths a second.":
        "'{}' ist kein Tempo. Schreibe natural, 1.4 für Meter oder 3legs für Beinlängen in der Sekunde.",
    "By the scene's units the legs are {} m long, and go as such legs would. Choose leg lengths a second to leave the "
    "size out.": "Nach den Einheiten der Szene sind die Beine {} m lang und gehen wie so lange Beine. Wähle Beinlängen "
                 "pro Sekunde, um die Größe außer Acht zu lassen.",
    "It has no style: it is made for this body's own lengths.":
        "Sie hat keinen Stil: sie ist für die Längen dieses Körpers gemacht.",
    "Only one character stands here": "Hier steht nur eine Figur",
    "{} objects now: press Check or Auto Rig": "Jetzt {} Objekte: Prüfen oder Automatisch riggen drücken",
    "{} characters stand apart": "{} Figuren stehen getrennt",
    "{} characters rigged": "{} Figuren geriggt", "{} characters moved": "{} Figuren bewegt",
    "The star of the NLA track '{}' keeps this motion from being seen. Click the star off.":
        "Der Stern der NLA-Spur '{}' lässt diese Bewegung nicht sehen. Klicke ihn weg.",
    "The NLA editor mixes this motion with its strips. Set the action's Blending to Replace and its Influence to 1 "
    "there.": "Der NLA-Editor mischt diese Bewegung mit seinen Streifen. Stelle dort für die Aktion Überblendung auf "
              "Ersetzen und Einfluss auf 1.",
    "No file was chosen. Choose one that ends with .bvh, .fbx, .glb, .gltf or .json.":
        "Es wurde keine Datei gewählt. Wähle eine, die auf .bvh, .fbx, .glb, .gltf oder .json endet.",
    "'{}' lies on '{}', which '{}' moves: to let it follow, undo this, select both, and press Rig Anew, or Copy "
    "Weights to Selected.":
        "'{}' liegt auf '{}', das '{}' bewegt: damit es mitgeht, mach dies rückgängig, wähle beide, und drücke Neu "
        "riggen oder Gewichte auf Ausgewählte kopieren.",
    "'{}' was left out: {}": "'{}' wurde ausgelassen: {}",
    "ground under the character and was left out. Join it to the character if it is part of it":
        "Boden unter der Figur und wurde ausgelassen. Verbinde es mit der Figur, wenn es dazugehört",
    "Eyes, hair or things came since '{}' was made, and have no bones yet: {}. Rig Anew makes them.":
        "Augen, Haare oder Dinge kamen nach '{}' dazu und haben noch keine Knochen: {}. Neu riggen macht sie.",
    "Pinned, because you moved their bones: {}.": "Festgepinnt, weil ihre Knochen von Hand bewegt wurden: {}.",
    "Changes to the joints were discarded. Ctrl-Z brings them back.":
        "Änderungen an den Gelenken wurden verworfen. Strg-Z bringt sie zurück.",
    "{} joints changed their places": "{} Gelenke haben ihren Ort gewechselt",
    "'{}' has no weights for the bones of '{}'. Bind it first.":
        "'{}' hat keine Gewichte für die Knochen von '{}'. Zuerst binden.",
    "{} vertices follow no bone: the places they lie at have no weights in '{}'.":
        "{} Punkte folgen keinem Knochen: an ihrem Ort hat '{}' keine Gewichte.",
    "{} objects follow '{}' now": "{} Objekte folgen jetzt '{}'", "'{}' follows '{}' now": "'{}' folgt jetzt '{}'",
    "{} vertices have no image on the other side and kept their weights":
        "{} Punkte haben kein Spiegelbild auf der anderen Seite und behielten ihre Gewichte",
    "{} vertices have new weights": "{} Punkte haben neue Gewichte",
    "1 vertex has new weights": "1 Punkt hat neue Gewichte",
    "1 vertex has no image on the other side and kept its weights":
        "1 Punkt hat kein Spiegelbild auf der anderen Seite und behielt seine Gewichte",
    "1 vertex follows no bone: the place it lies at has no weights in '{}'.":
        "1 Punkt folgt keinem Knochen: an seinem Ort hat '{}' keine Gewichte.",
    "'{}' has 1 vertex whose coordinates are not finite numbers. Delete it, or export the file again.":
        "'{}' hat 1 Punkt, dessen Koordinaten keine endlichen Zahlen sind. Lösche ihn, oder exportiere die Datei neu.",
    "The place, rotation or scale of '{}' is not a finite number. Set it under Item in the sidebar, or export the file "
    "again.": "Ort, Drehung oder Skalierung von '{}' ist keine endliche Zahl. Setze sie unter Gegenstand in der "
              "Seitenleiste, oder exportiere die Datei neu.",
    "1 joint changed its place": "1 Gelenk hat seinen Ort gewechselt",
    "1 of {} bones is named for {}": "1 von {} Knochen heißt wie in {}",
    "1 bone written": "1 Knochen geschrieben",
    "Chains follow in 1 motion": "Ketten folgen in 1 Bewegung",
    "Taken out of 1 motion": "Aus 1 Bewegung herausgenommen",
    "'{}': 1 frame, {} of {} bones": "'{}': 1 Bild, {} von {} Knochen",
    "1 bone, {} vertices, {} s": "1 Knochen, {} Punkte, {} s", "1 bone, {} s": "1 Knochen, {} s",
    "'{}' has no faces with an area. Weights can be copied from a surface only.":
        "'{}' hat keine Flächen mit einem Inhalt. Gewichte lassen sich nur von einer Oberfläche kopieren.",
    "No bones lie on two sides: their names must end in .L and .R, or be told apart in another way that Blender knows.":
        "Keine Knochen liegen auf zwei Seiten: ihre Namen müssen auf .L und .R enden oder sich auf eine andere Weise "
        "unterscheiden, die Blender kennt.",
    "Both sides are alike already": "Beide Seiten sind schon gleich",
    "{} doubtful: {}": "{} unsicher: {}", "{}/{}: {} elsewhere": "{}/{}: {} woanders",
    "{}: {} % sure": "{}: zu {} % sicher",
    "'{}' has its own bone names again": "'{}' hat wieder seine eigenen Knochennamen",
    "{} of {} bones are named for {}": "{} von {} Knochen heißen wie in {}",
    "No rig yet": "Noch kein Rig", "How it was bound is not known": "Wie gebunden wurde, ist nicht bekannt",
    "Bound by {}: {}": "Gebunden mit {}: {}", "Bound by {}, as chosen": "Gebunden mit {}, wie gewählt",
    "The joints lie where the body has them.": "Die Gelenke liegen, wo der Körper sie hat.",
    "{}: bone '{}' begins at another joint, {}.": "{}: Knochen '{}' beginnt an einem anderen Gelenk, {}.",
    "{}: bone '{}' begins {} % of the character's size away from it.":
        "{}: Knochen '{}' beginnt {} % der Figurgröße davon entfernt.",
}

JOINTS = {
    "Pelvis": "Becken", "Waist": "Taille", "Base of Neck": "Halsansatz", "Base of Skull": "Schädelbasis",
    "Top of Head": "Scheitel", "Collarbone": "Schlüsselbein", "Elbow": "Ellbogen", "Wrist": "Handgelenk",
    "Fingertips": "Fingerspitzen", "Knee": "Knie", "Ankle": "Knöchel", "Ball of Foot": "Fußballen",
    "Tip of Toes": "Zehenspitzen", "Root of Tail": "Schwanzwurzel", "Tip of Tail": "Schwanzspitze", "Beak": "Schnabel",
    "Wing Shoulder": "Flügelschulter", "Wing Elbow": "Flügelellbogen", "Wing Wrist": "Flügelbug",
    "Tip of Wing": "Flügelspitze", "Withers": "Widerrist", "Upper Chest": "Obere Brust",
    "Shoulder Blade": "Schulterblatt", "Front Shoulder": "Vorderschulter", "Front Elbow": "Vorderellbogen",
    "Front Ankle": "Vorderknöchel", "Front Toes": "Vorderzehen", "Side of Pelvis": "Beckenseite",
    "Hind Hip": "Hintere Hüfte", "Hind Knee": "Hinteres Knie", "Hock": "Sprunggelenk", "Hind Ankle": "Hinterknöchel",
    "Hind Toes": "Hinterzehen", "Left {}": "{} links", "Right {}": "{} rechts",
}

THINGS = {"Cape": "Umhang", "Wing": "Flügel", "Hair": "Haar", "Ear": "Ohr", "Skirt": "Rock",
          "Base": "Sockel", "Thing ({})": "Ding ({})"}

TEXTS = JOINTS | THINGS | {
    "{:d} Thing Without Bones": "{:d} Ding ohne Knochen", "{:d} Things Without Bones": "{:d} Dinge ohne Knochen",
    "{:d} bone, {:d} objects": "{:d} Knochen, {:d} Objekte", "{:d} bone, {:d} object": "{:d} Knochen, {:d} Objekt",
    "Full gives them bones": "Alles gibt ihnen Knochen",
    "Number of Bones": "Anzahl Knochen",
    "How many bones a skeleton from the shape has: 0 few, 1 many. It counts when you rig the character":
        "Wie viele Knochen ein Skelett aus der Form hat: 0 wenige, 1 viele. Es gilt, wenn du die Figur riggst",
    "Fit the 17 bones of the Pinocchio method, which has no collarbones, hands and toes":
        "Die 17 Knochen der Methode Pinocchio einpassen, die keine Schlüsselbeine, Hände und Zehen hat",
    "1  Check": "1  Prüfen", "2  Rig": "2  Riggen", "3  Joints": "3  Gelenke", "4  Test": "4  Testen",
    "5  Export": "5  Exportieren",
    "Finished Rig": "Fertiges Rig", "Warnings": "Warnungen", "{:d} Warnings": "{:d} Warnungen",
    "{:d} Warning": "{:d} Warnung", "No warnings": "Keine Warnungen", "Not checked yet": "Noch nicht geprüft",
    "No known kind": "Keine bekannte Art", "Rigged as {}": "Geriggt als {}",
    "Rigged from its shape": "Nach der Form geriggt",
    "Characters": "Figuren", "One Rig Each": "Je ein Rig", "One Rig for All": "Ein Rig für alle",
    "What becomes of meshes that stand apart": "Was aus Meshes wird, die getrennt stehen",
    "What touches is one character; what stands apart is another":
        "Was sich berührt, ist eine Figur; was getrennt steht, eine andere",
    "All selected meshes are one character": "Alle ausgewählten Meshes sind eine Figur",
    "Fit a skeleton into the selected meshes and bind them to it. Characters that stand apart get a rig each":
        "Ein Skelett in die ausgewählten Meshes einpassen und sie binden. Was getrennt steht, bekommt je ein Rig",
    "An object of the character; empty for the active one": "Ein Objekt der Figur; leer: die aktive",
    "Discard": "Verwerfen", "Handles lie at rest": "Griffe in Ruhelage",
    "Does a joint lie wrong? Edit it": "Liegt ein Gelenk falsch? Bearbeiten",
    "Drag a joint to pin it. Esc discards": "Ziehen pinnt fest. Esc verwirft",
    "Stop the playback to drag joints": "Zum Ziehen Wiedergabe anhalten",
    "Joints are dragged in Object Mode": "Ziehen im Objektmodus",
    "Switch Overlays On to See Joints": "Gelenke sehen: Überlagerungen an",
    "Switch Gizmos On to Drag Joints": "Gelenke ziehen: Gizmos an",
    "Select the meshes below it first: right click it in the Outliner > Select Hierarchy":
        "Zuerst die Meshes darunter auswählen: Rechtsklick darauf im Outliner > Hierarchie auswählen",
    "The character is hidden here": "Die Figur ist hier verborgen",
    "Put the joint handles away. A finished rig follows the joints, in one step of Undo; without a rig the pins are "
    "kept for Auto Rig":
        "Die Griffe der Gelenke wegräumen. Ein fertiges Rig folgt den Gelenken, mit einem Strg-Z zurückzunehmen; "
        "ohne Rig bleiben die Nadeln für das automatische Riggen",
    "Put the joint handles away and take back what was pinned and unpinned since they were shown. Ctrl-Z brings it "
    "back": "Die Griffe der Gelenke wegräumen und zurücknehmen, was seitdem festgepinnt und losgelassen wurde. Strg-Z "
            "bringt es wieder",
    "This character has no rig yet: press Auto Rig": "Diese Figur hat noch kein Rig: Automatisch riggen drücken",
    "Bones moved by hand": "Von Hand bewegte Knochen", "Pin Them": "Festpinnen", "Put Back": "Zurück",
    "Keep Moved Bones": "Bewegte Knochen behalten",
    "Pin the joints of bones that you moved in Edit mode. Otherwise they go back to where the fit puts them":
        "Gelenke festpinnen, deren Knochen im Bearbeitungsmodus bewegt wurden. Sonst gehen sie dorthin zurück, wo die "
        "Einpassung sie hinlegt",
    "The mesh has changed: Look Again": "Mesh verändert: neu hinsehen",
    "The rig is older than its joints": "Das Rig ist älter als seine Gelenke",
    "Older than its joints: Update Rig": "Veraltet: Rig aktualisieren",
    "Separate Characters": "Figuren trennen",
    "Make each character that stands apart in the selected meshes an object of its own, with the same materials, "
    "modifiers and groups":
        "Jede Figur, die in den ausgewählten Meshes getrennt steht, zu einem eigenen Objekt machen, mit denselben "
        "Materialien, Modifikatoren und Gruppen",
    "Mirror Anyway": "Trotzdem spiegeln", "Symmetrise": "Angleichen",
    "Copy Weights to Selected": "Gewichte auf Ausgewählte kopieren", "Symmetrise Weights": "Gewichte angleichen",
    "Bind the other selected meshes to the active character's armature, with the weights its own meshes have nearby: "
    "for clothes, simpler or newer versions of a body. Nothing else changes":
        "Die anderen ausgewählten Meshes an das Skelett der aktiven Figur binden, mit den Gewichten, die ihre Meshes "
        "in der Nähe haben: für Kleider, einfachere oder neuere Fassungen eines Körpers. Sonst ändert sich nichts",
    "Select the meshes to bind, then the rigged mesh last, so that it is the active one":
        "Die Meshes auswählen, die gebunden werden sollen, zuletzt das geriggte, damit es das aktive ist",
    "Make the weights of one side the mirror image of the other's, on rigs from any program. Vertices "
    "without an image on the other side keep theirs":
        "Die Gewichte der einen Seite zum Spiegelbild der anderen machen, von wem sie auch sind. Punkte ohne "
        "Spiegelbild auf der anderen Seite behalten ihre",
    "Move the partner too where the sides of the body differ: both are pinned, as mirror images":
        "Den Partner auch bei ungleichen Seiten mitnehmen: beide werden festgepinnt, jeder das Spiegelbild des anderen",
    "Make both sides alike: joints of one side stay and are pinned, those of the other become their mirror images":
        "Beide Seiten angleichen: Gelenke der einen bleiben und werden festgepinnt, die der anderen ihr Spiegelbild",
    "Better Side": "Bessere Seite",
    "The side whose joints are more likely right stays": "Die Seite bleibt, deren Gelenke wahrscheinlicher stimmen",
    "The side that does better in Check Joints and Weights stays":
        "Die Seite bleibt, die beim Prüfen von Gelenken und Gewichten besser abschneidet",
    "Left to Right": "Links nach rechts", "Right to Left": "Rechts nach links",
    "The character's left side stays": "Die linke Seite der Figur bleibt",
    "The character's right side stays": "Die rechte Seite der Figur bleibt",
    "Which side stays as it is": "Welche Seite bleibt, wie sie ist",
    "Next Doubt": "Nächster Zweifel", "No joint is doubtful": "Kein Gelenk ist zweifelhaft",
    "Doubtful joints will be amber": "Zweifelhafte werden orange",
    "Look at the next doubtful joint, the worst first":
        "Das nächste zweifelhafte Gelenk ansehen, das schlimmste zuerst",
    "Test Pose: Back to Plain Rig first": "Testpose: nur am einfachen Rig",
    "Test Pose": "Testpose", "Test Pose: rig a character first": "Testpose: zuerst eine Figur riggen",
    "Bend one joint after another and look at the skin. At 0 the character has its own pose again":
        "Ein Gelenk nach dem anderen beugen und die Haut ansehen. Bei 0 hat die Figur wieder ihre eigene Pose",
    "Check Joints and Weights": "Gelenke und Gewichte prüfen", "Select": "Auswählen", "Paint": "Malen",
    "Smooth": "Glätten", "Bind Again": "Neu binden", "Smooth Weights": "Gewichte glätten",
    "Paint Weights": "Gewichte malen", "Preserve Volume": "Volumen erhalten", "Times": "Mal",
    "Let the marked vertices take the mean of their neighbours' weights, a few times over":
        "Die markierten Punkte einige Male den Mittelwert der Gewichte ihrer Nachbarn nehmen lassen",
    "How often the weights are averaged": "Wie oft die Gewichte gemittelt werden",
    "Go to Weight Paint mode with the bone chosen that moves the worst vertex most":
        "In den Modus Malereieinfluss gehen, mit dem Knochen, der den schlimmsten Punkt am meisten bewegt",
    "Smoothed. Check the weights again": "Geglättet. Gewichte neu prüfen",
    "Turn on Preserve Volume in the Armature modifiers: joints that bend and twist keep more of their volume. Game "
    "engines do not know it":
        "Volumen erhalten in den Skelett-Modifikatoren einschalten: gebeugte und verdrehte Gelenke behalten mehr "
        "Volumen. Spiele-Engines kennen das nicht",
    "This rig is linked from another file: change it there, or make it local first":
        "Dieses Rig ist aus einer anderen Datei verknüpft: dort ändern, oder es zuerst lokal machen",
    "Name a window that shows this scene: scripts of Blender's own, which this calls, look there":
        "Nenne ein Fenster, das diese Szene zeigt: Blenders eigene Skripte, die hier gerufen werden, sehen dort nach",
    "Make the character active instead of naming it: Rigify takes the active object":
        "Die Figur zum aktiven Objekt machen statt sie zu nennen: Rigify nimmt das aktive Objekt",
    "This character has a control rig: press Back to Plain Rig first":
        "Diese Figur hat ein Steuer-Rig: zuerst Zurück zum einfachen Rig drücken",
    "Posing the controls": "Steuerungen stellen", "Preserve Volume is on": "Volumen erhalten ist an",
    "Apply Motion": "Bewegung anwenden", "Bone Names": "Knochennamen",
    "'{}' is gone, and the pins that it held with it. Pin these joints again.":
        "'{}' trug die festen Gelenke und ist nicht mehr da: Sie sind mit ihm weg. Pinne sie neu fest.",
    "without vertices of its own that could hold weights, and was left out. Apply the modifiers that make its shape":
        "ohne eigene Punkte, die Gewichte tragen könnten, und wurde ausgelassen. Wende die Modifikatoren an, die seine "
        "Form bringen",
    "{} still suits the joints as they were. Look where its hands and feet go.":
        "{} passt noch zu den Gelenken, wie sie waren. Sieh nach, wohin Hände und Füße dabei gehen.",
    "{} still suit the joints as they were. Look where their hands and feet go.":
        "{} passen noch zu den Gelenken, wie sie waren. Sieh nach, wohin Hände und Füße dabei gehen.",
    "Weights changed by hand were made anew: {}. Ctrl-Z brings them back. Lock their vertex groups before you update.":
        "Von Hand geänderte Gewichte wurden neu gemacht: {}. Strg-Z bringt sie zurück. Sperre vor dem "
        "Aktualisieren ihre Punktgruppen.",
    "Weights with which these came to the rig were made anew: {}. Ctrl-Z brings them back. Lock their vertex groups "
    "before you update.":
        "Gewichte, mit denen diese zum Rig kamen, wurden neu gemacht: {}. Strg-Z bringt sie zurück. Sperre vor dem "
        "Aktualisieren ihre Punktgruppen.",
    "Bones or constraints of your own went with the rig before: {}. Ctrl-Z brings them back; Update Rig keeps them.":
        "Eigene Knochen oder Beschränkungen gingen mit dem Rig von vorher: {}. Strg-Z bringt sie zurück; Rig "
        "aktualisieren behält sie.",
    "What hung on these bones or followed them hangs on nothing now, as the new rig has none called so: {}.":
        "Was an diesen Knochen hing oder ihnen folgte, hängt nun an nichts, denn das neue Rig hat keine, die so "
        "heißen: {}.",
}
