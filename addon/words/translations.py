"""The extension's texts in other languages. A text that is missing here appears in English."""

from __future__ import annotations

from ...core.fitting.creature import creature_names
from ...core.geometry.axes import AXES
from ...core.motion.clip_file import motion_names
from ...core.motion.made import made_names
from ...core.skeleton.bone_map import map_names
from ...core.skeleton.engine import engines, load_engine
from ...core.skeleton.preset import preset_names
from ..choices import preset_label
from ..names import CONTEXT
from .export_german import EXPORT
from .messages import GERMAN
from .workflow_german import TEXTS as WORKFLOW

OPERATORS = {
    "Select Vertices": "Punkte auswählen",
    "Colors of the Theme": "Farben des Themas", "Manual": "Handbuch", "Open Template Folder": "Vorlagenordner öffnen",
    "Reset": "Zurücksetzen", "Back to Plain Rig": "Zurück zum einfachen Rig",
    "Make Control Rig": "Steuer-Rig erstellen", "Show Metarig": "Metarig zeigen",
    "Auto Rig": "Automatisch riggen", "Bind to Active Armature": "An aktives Skelett binden", "Check": "Prüfen",
    "Delete Template": "Vorlage löschen", "Done": "Fertig", "Edit Joints": "Gelenke bearbeiten",
    "Export Template": "Vorlage exportieren", "Import Template": "Vorlage importieren",
    "Motion from File": "Bewegung aus Datei", "Motion from Selected Armature": "Bewegung von gewähltem Skelett",
    "Pin Joint": "Gelenk festpinnen", "Remove Rig": "Rig entfernen",
    "Rename Bones": "Knochen umbenennen",
    "Rig and Walk": "Riggen und gehen", "Load Bone Map": "Knochenzuordnung laden",
    "Guess": "Ermitteln", "Clear": "Leeren",
    "Save Bone Map": "Knochenzuordnung speichern",
    "Save as Template": "Als Vorlage speichern", "Unpin": "Loslassen", "Unpin All": "Alle loslassen",
    "Update Rig": "Rig aktualisieren", "Other Reading": "Andere Deutung",
    "Rig as Something Else": "Als etwas anderes riggen",
}

TEXTS = {
    "Put the character through a range of motion and find wrong joints and weights, on rigs from any program":
        "Die Figur durch alle Bewegungen führen und falsche Gelenke und Gewichte finden, an Rigs aus jedem Programm",
    "Select the vertices this is about and go to Edit mode, to see and correct them":
        "Die betroffenen Punkte auswählen und in den Bearbeitungsmodus gehen, um sie anzusehen und zu verbessern",
    "Show in Viewport": "In der Ansicht zeigen",
    "Color the places where the check found bad weights, from yellow to red, in any pose":
        "Über die Figur zeichnen, wo die Prüfung schlechte Gewichte fand, von Gelb zu Rot, in jeder Pose",
    "Finding": "Befund", "Which of the findings": "Welcher der Befunde",
    "Select a mesh that follows an armature, or the armature":
        "Ein Mesh auswählen, das einem Skelett folgt, oder das Skelett",
    "Press Check Joints and Weights first": "Zuerst Gelenke und Gewichte prüfen drücken",
    "The weights are good": "Die Gewichte sind gut",
    "The marked vertices are gone or hidden: show them with Alt-H in Edit mode, or check the weights again":
        "Die markierten Punkte fehlen oder sind verborgen: mit Alt-H im Bearbeitungsmodus zeigen oder neu prüfen",
    "Only Selected": "Nur ausgewählte", "Import": "Importieren", "Export": "Exportieren",
    "Make the instance real first: Object > Apply > Make Instances Real":
        "Zuerst die Instanz real machen: Objekt > Anwenden > Make Instances Real",
    "Convert it to a mesh first: Object > Convert > Mesh": "Zuerst in ein Mesh umwandeln: Objekt > Konvertieren > Mesh",
    "Select the character's mesh objects, or press Back to Plain Rig first":
        "Die Mesh-Objekte der Figur auswählen, oder zuerst Zurück zum einfachen Rig drücken",
    "Leave Sculpt mode first: dynamic topology and Multires are read in Object mode":
        "Zuerst den Skulpturmodus verlassen: dynamische Topologie und Multires werden im Objektmodus gelesen",
    "Look Again": "Neu hinsehen", "Rig Anew": "Neu riggen",
    "Axis": "Achse", "Slice": "Schnitt", "Side": "Seite", "Top": "Oben", "Place": "Ort", "Snap": "Mitte",
    "Cut through the body and color how deep inside each place lies":
        "Durch den Körper schneiden und färben, wie tief jeder Ort innen liegt",
    "Which way the cut is seen": "Aus welcher Richtung der Schnitt zu sehen ist",
    "Cut the body into left and right": "Den Körper in links und rechts schneiden",
    "Cut the body into front and back": "Den Körper in vorne und hinten schneiden",
    "Cut the body into upper and lower": "Den Körper in oben und unten schneiden",
    "Where the body is cut, from end to end": "Wo der Körper geschnitten wird, von Ende zu Ende",
    "New Files": "Neue Dateien", "Colors": "Farben", "Size": "Größe", "Left": "Links", "Right": "Rechts",
    "Pinned": "Festgepinnt", "Bones of the character's left": "Knochen der linken Seite der Figur",
    "Bones of the character's right": "Knochen der rechten Seite der Figur",
    "Bones of the middle": "Knochen der Mitte", "Joints that the fit places": "Gelenke, die die Einpassung hinlegt",
    "Joints that you have placed": "Gelenke, die du hingelegt hast",
    "How large joints and bones are drawn, and how far from a joint the mouse takes hold of it":
        "Wie groß Gelenke und Knochen gezeichnet werden, und wie weit vom Gelenk die Maus es fasst",
    "Open the folder of your own skeleton templates": "Den Ordner der eigenen Skelettvorlagen öffnen",
    "Read about this in Geppetto's manual, which opens in the web browser and needs no network":
        "Darüber in Geppettos Handbuch lesen, das im Webbrowser aufgeht und kein Netz braucht",
    "Set all of Geppetto's preferences to what they were at first":
        "Alle Einstellungen von Geppetto auf den Anfang zurücksetzen",
    "Take the colors of joints and bones from Blender's theme":
        "Die Farben der Gelenke und Knochen aus Blenders Thema nehmen",
    "Topic": "Thema", "What to read about; the beginning if empty": "Worüber zu lesen ist; wenn leer, der Anfang",
    "{:d} bones, {:d} object": "{:d} Knochen, {:d} Objekt", "Pose": "Pose", "Rest": "Ruhe",
    "0 blends widely over joints, 1 hardly. With geodesic weights the character follows the slider":
        "0 verteilt weit über Gelenke, 1 kaum. Mit geodätischen Gewichten folgt die Figur dem Regler",
    "0 blends widely over joints, 1 hardly; for geodesic weights":
        "0 verteilt weit über Gelenke, 1 kaum; für geodätische Gewichte",
    "2 plays the same movements in half the time. To walk faster as bodies do, with longer and quicker steps, choose a "
    "Ground Speed": "2 spielt dieselben Bewegungen in der halben Zeit. Um schneller zu gehen, wie Körper es tun, mit "
                    "längeren und schnelleren Schritten, wähle ein Gehtempo",
    "Moving a joint moves its partner on the other side too":
        "Ein Gelenk der einen Seite nimmt seinen Partner auf der anderen mit",
    "A skeleton of your own": "Ein eigenes Skelett", "Active Pin": "Aktive Nadel",
    "Add a skeleton template from a JSON file to the menu":
        "Eine Skelettvorlage aus einer JSON-Datei ins Menü aufnehmen",
    "Another job is still running": "Eine andere Arbeit läuft noch", "Automatic": "Automatisch", "Auto": "Auto",
    "Back to the names the bones had": "Zurück zu den Namen, die die Knochen hatten",
    "Bind the selected meshes to the active armature: yours, or ours with changed bones. Locked groups stay":
        "Die ausgewählten Meshes an das aktive Skelett binden: ein eigenes, oder unseres mit geänderten Knochen. "
        "Gesperrte Gruppen bleiben",
    "Bind the vertices that are selected in Edit mode; the others keep their weights exactly":
        "Die im Bearbeitungsmodus ausgewählten Punkte binden; die anderen behalten ihre Gewichte genau",
    "Only Selected Vertices": "Nur ausgewählte Punkte", "Within Group": "In Gruppe",
    "A vertex group that says how much of the new weights each vertex takes; empty: all of them":
        "Eine Punktgruppe, die sagt, wie viel von den neuen Gewichten jeder Punkt nimmt; leer: alles",
    "Arms": "Arme", "Legs": "Beine", "Front Legs": "Vorderbeine", "Hind Legs": "Hinterbeine", "Trunk": "Rumpf",
    "Fill in which bone is what, by the bones' names or, where they say nothing, by the skeleton's shape":
        "Eintragen, welcher Knochen was ist: nach den Namen oder, wo sie nichts sagen, nach der Form des Skeletts",
    "Found out by itself for each motion": "Wird für jede Bewegung von selbst ermittelt",
    "Empty the bone map: which bone is what is then found out for each motion":
        "Die Knochenzuordnung leeren: welcher Knochen was ist, wird für jede Bewegung neu ermittelt",
    "Read which bone is what from a .json file": "Aus einer .json-Datei lesen, welcher Knochen was ist",
    "The bone that is this part of the body; empty: none is":
        "Der Knochen, der dieser Teil des Körpers ist; leer: keiner",
    "Bone": "Knochen",
    "Bone Map": "Knochenzuordnung",
    "Bones that may move one vertex; most game engines take 4":
        "Knochen, die einen Punkt bewegen dürfen; die meisten Spiele-Engines nehmen 4",
    "Give the rig's bones the names of another program, or back. Vertex groups, constraints and animation follow":
        "Die Knochen nennen wie ein anderes Programm oder wie zuvor. Punktgruppen, Beschränkungen und Animation folgen",
    "Cancelled: the window shows another scene. Nothing was changed":
        "Abgebrochen: das Fenster zeigt eine andere Szene. Nichts wurde verändert",
    "Cancelled: nothing was changed": "Abgebrochen: nichts wurde geändert", "Character": "Figur",
    "Choose a skeleton first; Automatic and From Shape have no file":
        "Erst ein Skelett wählen; Automatisch und Aus der Form haben keine Datei",
    "From Shape": "Aus der Form", "Rig as {}": "Als {} riggen",
    "Rig with {} Up, Facing {}": "Mit {} oben, Blick nach {} riggen",
    "Make a skeleton from the shape itself: any creature, any thing":
        "Das Skelett aus der Form selbst machen: jedes Wesen, jedes Ding",
    "Rig the selected character as the next likeliest thing instead; the choices of the sidebar change with it":
        "Die ausgewählte Figur stattdessen als das Nächstwahrscheinliche riggen; die Wahl in der Seitenleiste folgt",
    "The skeleton to take; empty: the one chosen now": "Das Skelett, das genommen wird; leer: das gewählte",
    "Which way the character's head is; empty: as chosen now": "Wo der Kopf der Figur ist; leer: wie gewählt",
    "Which way the character looks; empty: as chosen now": "Wohin die Figur blickt; leer: wie gewählt",
    "Choose the skeleton that suits the shape": "Das Skelett wählen, das zur Form passt",
    "Choose what suits this mesh": "Wählen, was zu diesem Mesh passt",
    "Ctrl: not only in the middle     Esc or right click: cancel":
        "Strg: nicht nur in der Mitte     Esc oder Rechtsklick: abbrechen",
    "Delete the control rig and its metarig; the character follows its plain rig again, with the weights, pose and "
    "action it has now": "Steuer-Rig und Metarig löschen; die Figur folgt wieder ihrem einfachen Rig, mit Gewichten, "
                         "Pose und Aktion von jetzt",
    "Let Rigify, which comes with Blender, make a control rig with IK hands and feet for this character, which keeps "
    "its pose or action. The plain rig stays, hidden": "Rigify, das Blender beiliegt, ein Steuer-Rig mit IK-Händen und "
        "-Füßen für diese Figur machen lassen, die ihre Pose oder Aktion behält. Das einfache Rig bleibt, verborgen",
    "Select a character that has a control rig, or the control rig":
        "Eine Figur mit Steuer-Rig oder das Steuer-Rig auswählen",
    "Show and select the metarig. Change its bones or their Rigify types, then press Rigify's Re-Generate Rig: the "
    "character stays bound": "Das Metarig zeigen und auswählen. Knochen oder ihre Rigify-Typen ändern, dann in Rigify "
                             "das Rig neu generieren: die Figur bleibt gebunden",
    "The metarig was deleted": "Das Metarig wurde gelöscht",
    "This character has a control rig already": "Diese Figur hat schon ein Steuer-Rig",
    "Delete the chosen skeleton template of your own": "Die gewählte eigene Skelettvorlage löschen",
    "Drag: put the joint where it belongs and pin it. Click: pin or unpin it. Ctrl: not only in the limb's middle":
        "Ziehen: das Gelenk an seinen Ort bringen und festpinnen. Klick: festpinnen oder loslassen. "
        "Strg: nicht nur in der Mitte des Glieds",
    "Draw the balls that fill the body": "Die Kugeln zeichnen, die den Körper füllen",
    "Draw the points in the middle of the body between which the skeleton is looked for":
        "Die Punkte in der Mitte des Körpers zeichnen, zwischen denen das Skelett gesucht wird",
    "Draw the ways from ball to ball that bones may take":
        "Die Wege von Kugel zu Kugel zeichnen, die Knochen nehmen können",
    "Esc or right click: cancel": "Esc oder Rechtsklick: abbrechen",
    "For": "Für", "Found out from the shape": "Aus der Form ermittelt", "Front": "Vorne", "Geodesic": "Geodätisch",
    "Graph": "Graph", "Heat": "Wärme", "Hold Feet": "Füße halten",
    "How finely geodesic weights look at the body": "Wie fein geodätische Gewichte den Körper betrachten",
    "Detail": "Umfang", "Detail, Fingers": "Umfang, Finger", "Up, Front": "Oben, vorn",
    "How far the skeleton goes into detail": "Wie weit das Skelett ins Einzelne geht",
    "Body": "Körper", "The bones of the skeleton alone": "Nur die Knochen des Skeletts",
    "Hands": "Hände", "Fingers too, where they show": "Auch Finger, wo sie zu sehen sind",
    "Full": "Alles", "Fingers": "Finger",
    "Fingers, eyes, twist bones, what hangs or is held, and a root on the ground":
        "Finger, Augen, Drehknochen, was hängt oder gehalten wird und eine Wurzel am Boden",
    "Hair, Clothes and Things": "Haar, Kleider und Dinge", "Rig anew to apply": "Gilt nach neuem Riggen",
    "Without": "Ohne", "Bones for This Thing": "Knochen für dieses Ding", "Thing": "Ding",
    "Things of a full skeleton that get no bones, such as cape or prop_hand.R, with commas between them":
        "Dinge eines vollen Skeletts, die keine Knochen bekommen, etwa cape oder prop_hand.R, mit Kommas dazwischen",
    "What it is called, such as cape or prop_hand.R": "Wie es heißt, etwa cape oder prop_hand.R",
    "Whether this thing gets bones of its own; without, it follows the body. It counts when you rig the character":
        "Ob dieses Ding eigene Knochen bekommt; ohne sie folgt es dem Körper. Es gilt, wenn du die Figur riggst",
    "Follow the Motion": "Der Bewegung folgen",
    "Let capes, hair, ears and tails swing behind the body, as keys in all motions of the character, those to come "
    "too. Switched off, the keys are taken out again":
        "Umhänge, Haare, Ohren und Schwänze hinter dem Körper her schwingen lassen, als Schlüsselbilder in allen "
        "Bewegungen der Figur, auch in künftigen. Ausgeschaltet werden sie wieder herausgenommen",
    "Nothing hangs on this character that has bones of its own": "An dieser Figur hängt nichts mit eigenen Knochen",
    "Twist Bones": "Drehknochen", "Small Bones": "Kleine Knochen", "Bones": "Knochen",
    "In each upper arm, forearm, thigh and shin of a full skeleton: they share the turn of hand, foot or shoulder, so "
    "that wrung limbs keep their volume":
        "In jedem Ober- und Unterarm, Ober- und Unterschenkel eines vollen Skeletts: Sie teilen sich die Drehung von "
        "Hand, Fuß oder Schulter, damit verdrehte Glieder ihr Volumen behalten",
    "Root on the Ground": "Wurzel am Boden",
    "A bone on the ground under the hips that carries all others. A full skeleton has it anyway":
        "Ein Knochen am Boden unter der Hüfte, der alle anderen trägt. Ein volles Skelett hat ihn immer",
    "How many fingers are looked for on each hand": "Wie viele Finger an jeder Hand gesucht werden",
    "As many as show": "So viele, wie zu sehen sind",
    "How the skin is bound to the bones": "Wie die Haut an die Knochen gebunden wird",
    "Influences": "Einflüsse", "Joint": "Gelenk", "Joints": "Gelenke",
    "Keep a dragged joint in the middle of the limb under the mouse. Hold Ctrl while dragging for the opposite":
        "Ein gezogenes Gelenk in der Mitte des Glieds unter der Maus halten. Strg beim Ziehen für das Gegenteil",
    "Keep feet that stand from sliding, sinking and floating":
        "Stehende Füße nicht gleiten, einsinken oder schweben lassen",
    "Keep the active armature's skeleton, to fit it into other characters":
        "Das aktive Skelett aufheben, um es in andere Figuren einzupassen",
    "Unpin all joints: they go back to where the fit puts them":
        "Alle Gelenke loslassen: sie liegen wieder, wo die Einpassung sie hinlegt",
    "Let the selected characters do a motion from a file: .bvh, .fbx, .glb, .gltf, or Geppetto's own .json":
        "Ausgewählte Figuren die Bewegung einer Datei ausführen lassen: .bvh, .fbx, .glb, .gltf oder Geppettos .json",
    "Let the selected characters do a motion of the library":
        "Ausgewählte Figuren eine Bewegung der Sammlung ausführen lassen",
    "Put the motion of another selected armature on the active character":
        "Die aktive Figur tun lassen, was ein anderes ausgewähltes Skelett tut",
    "Unpin this joint: it goes back to where the fit puts it":
        "Dieses Gelenk loslassen: es liegt wieder, wo die Einpassung es hinlegt",
    "Look at the selected character before rigging it: what it is, how it stands, what is likely to go wrong":
        "Die ausgewählte Figur vor dem Riggen ansehen: was sie ist, wie sie steht, was schiefgehen könnte",
    "Loose parts such as buttons, teeth or armour that mostly follow one bone follow it wholly":
        "Lose Teile wie Knöpfe, Zähne oder Rüstung, die vor allem einem Knochen folgen, folgen ihm ganz",
    "Action": "Aktion", "Hips": "Hüfte", "Root": "Wurzel", "On the Spot": "Auf der Stelle",
    "As the Source": "Wie die Quelle", "Rest Pose from Frame": "Ruhepose aus Bild",
    "Which of the file's actions, by name; empty takes the one it shows":
        "Welche der Aktionen der Datei, nach Namen; leer nimmt die gezeigte",
    "Go over the ground where the motion's source does": "Über den Boden gehen, wo die Quelle der Bewegung es tut",
    "Go over the ground; the hips move. A motion on the spot goes as far as its feet show":
        "Über den Boden gehen; die Hüfte trägt den Weg. Eine Bewegung auf der Stelle geht, wie ihre Füße es zeigen",
    "Go over the ground; the bone above the hips moves, or the object if there is none":
        "Über den Boden gehen; der Knochen über der Hüfte trägt den Weg, ohne einen das Objekt",
    "Stay on the spot, as on a treadmill": "Auf der Stelle bleiben, wie auf einem Laufband",
    "Whether the character moves over the ground, and what carries it":
        "Ob sich die Figur über den Boden bewegt, und was sie trägt",
    "First Frame": "Erstes Bild", "Last Frame": "Letztes Bild", "Frame Rate": "Bildrate",
    "Fewer Keys (°)": "Weniger Schlüssel °",
    "Energy": "Schwung", "Stance": "Standbreite", "Mood": "Stimmung", "Take Drift Away": "Abdrift entfernen",
    "Natural": "Natürlich", "As It Ships": "Wie mitgeliefert",
    "Metres a Second": "Meter pro Sekunde",
    "Leg Lengths a Second": "Beinlängen pro Sekunde", "Ground Speed": "Gehtempo",
    "How fast gaits on legs go over the ground. Stride, steps and gait follow from it":
        "Wie schnell Gangarten auf Beinen über den Boden gehen. Schrittlänge, Schritte und Gangart folgen daraus",
    "Metres or Legs/s": "Meter oder Beine/s", "Metres/s": "Meter/s", "Legs/s": "Beine/s",
    "Keep the timing it ships with, whatever the size of the body":
        "So lange dauern wie mitgeliefert, wie groß der Körper auch ist",
    "As fast as a body with such legs goes by itself: small ones step quicker":
        "So schnell, wie ein Körper mit solchen Beinen von selbst geht: kleine machen schnellere Schritte",
    "This many metres a second. The speed decides whether it walks, trots, canters, gallops or runs":
        "So viele Meter pro Sekunde: Gehen oder Laufen, Schritt, Trab oder Galopp, wie es das Tempo ergibt",
    "This many leg lengths a second, timed as for a person: the size of the body does not count":
        "So viele Beinlängen pro Sekunde, in der Zeit eines Menschen: die Größe des Körpers zählt nicht",
    "The ground speed in metres or leg lengths a second. Legs of a person walk up to 2.1 metres a second, and run "
    "beyond; a horse trots from 2.3, canters from 5, and gallops from 6.5":
        "Das Gehtempo in Metern oder Beinlängen pro Sekunde. Menschen gehen bis 2,1 Meter pro Sekunde, darüber "
        "laufen sie; ein Pferd trabt ab 2,3 und galoppiert ab 5, ab 6,5 gestreckt",
    "Larger, longer and quicker movements, or smaller and slower ones. 0 is the motion as it ships":
        "Größere, längere und schnellere Bewegungen, oder kleinere und langsamere. 0 ist die mitgelieferte Bewegung",
    "Feet further apart, or closer together. 0 is the motion as it ships":
        "Füße weiter auseinander oder enger beieinander. 0 ist die mitgelieferte Bewegung",
    "Happy: upright, open and light. Below 0 tired: bent, with a hanging head and slow. 0 is the motion as it ships":
        "Fröhlich: aufrecht, offen und leicht. Unter 0 müde: gebeugt, mit hängendem Kopf und langsam. 0 ist die "
        "mitgelieferte Bewegung",
    "A motion that stays about its place ends where it began. Motions that travel stay as they are":
        "Eine Bewegung, die an ihrem Ort bleibt, endet, wo sie begann. Bewegungen, die vorankommen, bleiben, wie sie "
        "sind",
    "The first frame of the motion that is taken, from 0": "Das erste Bild der Bewegung, das genommen wird, ab 0",
    "The last frame of the motion that is taken, from 0; -1 takes all to the end":
        "Das letzte Bild der Bewegung, das genommen wird, ab 0; -1 nimmt alle bis zum Ende",
    "Frames a second that the motion is brought to; 0 keeps its own":
        "Bilder in der Sekunde, auf die die Bewegung gebracht wird; 0 behält ihre eigenen",
    "Leave out keys while no bone is turned by more degrees than this from where it should be; 0 keeps a key in every "
    "frame": "Schlüsselbilder weglassen, solange kein Knochen um mehr Grad von dort weggedreht ist, wo er sein soll; 0 "
             "behält eines in jedem Bild",
    "The frame of the motion, from 0, in which it stands as the character does at rest, for files whose own rest pose "
    "means nothing; -1 takes the file's, or one built from the motion":
        "Das Bild der Bewegung, ab 0, in dem sie steht wie die Figur in Ruhe, für Dateien, deren eigene Ruhepose "
        "nichts bedeutet; -1 nimmt die der Datei oder eine aus der Bewegung gebildete",
    "Middle": "Mitte", "Mirror": "Spiegeln", "Motion": "Bewegung",
    "Move the rig's bones to the joints as they are now and bind the skin anew. Bones, constraints and vertex groups "
    "of your own stay": "Die Knochen zu den Gelenken bringen, wie sie jetzt sind, und die Haut neu binden. Eigene "
                        "Knochen, Beschränkungen und Punktgruppen bleiben",
    "Name": "Name", "Names": "Namen", "No joint is pinned": "Kein Gelenk ist festgepinnt",
    "Only templates of your own can be deleted": "Nur eigene Vorlagen können gelöscht werden", "Position": "Position",
    "Take the body for the next likeliest thing: other limbs, another stance. Pins stay; after the last comes the "
    "first again": "Den Körper für das nächste halten, das er wohl ist: andere Glieder, eine andere Haltung. Nadeln "
                   "bleiben; nach der letzten Deutung kommt wieder die erste",
    "This character can be read in one way only": "Diese Figur lässt sich nur auf eine Art deuten",
    "Reading": "Deutung", "Reading Of": "Deutung für",
    "Which reading of the body the skeleton is fitted to, 0 being the likeliest":
        "In welche Deutung des Körpers das Skelett eingepasst wird; 0 ist die wahrscheinlichste",
    "The skeleton for which the reading was chosen": "Das Skelett, für das die Deutung gewählt wurde",
    "Press Edit Joints first": "Zuerst Gelenke bearbeiten drücken",
    "Resolution": "Auflösung", "Rig": "Rig",
    "Rig the selected meshes, bind them and let them walk: everything at once":
        "Die ausgewählten Meshes riggen, binden und gehen lassen: alles auf einmal",
    "Rigid Parts": "Starre Teile",
    "Select a character that Geppetto has rigged, or its armature":
        "Eine von Geppetto geriggte Figur oder ihr Skelett auswählen",
    "Select a rigged character first": "Zuerst geriggte Figur auswählen",
    "Select an armature first": "Zuerst ein Skelett auswählen",
    "Select an armature with an action too, the character last":
        "Auch ein Skelett mit einer Aktion auswählen, die Figur zuletzt",
    "Select the character's mesh objects first": "Zuerst die Mesh-Objekte der Figur auswählen",
    "Select the meshes, then the armature with Shift so that it is active":
        "Die Meshes auswählen, dann mit Umschalt das Skelett, so dass es aktiv ist",
    "Sharpness": "Schärfe", "Show How It Fits": "Zeigen, wie es passt",
    "Show the joints of the selected character in the viewport, to drag those that are wrong to their place":
        "Die Gelenke der ausgewählten Figur zeigen, um falsche an ihren Ort zu ziehen",
    "Skeleton": "Skelett", "Skin": "Haut", "Smooth weights by heat diffusion over the skin":
        "Weiche Gewichte durch Wärme, die sich über die Haut ausbreitet",
    "Snap to Middle": "In der Mitte halten", "Playback": "Wiedergabe", "Spheres": "Kugeln",
    "Take the rig away: armature, modifiers and its vertex groups. The meshes, as modelled, and the pins stay":
        "Das Rig entfernen: Skelett, Modifikatoren und seine Punktgruppen. Meshes, wie modelliert, und Nadeln bleiben",
    "Templates": "Vorlagen", "The joint's name": "Der Name des Gelenks",
    "The joint's name; the active pin of the list if empty":
        "Der Name des Gelenks; wenn leer, die aktive Nadel der Liste",
    "The pin chosen in the list": "Die in der Liste gewählte Nadel",
    "The skeleton that is fitted into the character": "Das Skelett, das in die Figur eingepasst wird",
    "Travel": "Vorankommen", "Up": "Oben", "Weights": "Gewichte",
    "Weights by distance through the body; for broken meshes and many parts":
        "Gewichte nach dem Weg durch den Körper; für kaputte Meshes und viele Teile",
    "What the character does; a name without a kind of body is taken as it suits the character":
        "Was die Figur tut; ein Name ohne Körperart wird so verstanden, wie er zur Figur passt",
    "What the template is called in the menu": "Wie die Vorlage im Menü heißt",
    "What the thinnest limbs need": "Was die dünnsten Glieder brauchen",
    "Where the joint lies in the world": "Wo das Gelenk in der Welt liegt",
    "Where the joint lies, in the object's own coordinates": "Wo das Gelenk liegt, in den Koordinaten des Objekts",
    "Which way the character looks": "Wohin die Figur schaut",
    "Which way the character's head is": "Wo der Kopf der Figur ist",
    "Whose names the bones get": "Wessen Namen die Knochen bekommen",
    "Write each joint's name beside it": "Den Namen neben jedes Gelenk schreiben",
    "Write the chosen skeleton template to a JSON file": "Die gewählte Skelettvorlage in eine JSON-Datei schreiben",
    "Write which bone of the active armature is taken for what: a file to correct and to use as a bone map":
        "Schreiben, welcher Knochen des aktiven Skeletts wofür gehalten wird: eine Datei zum Berichtigen und Benutzen",
    "{:d} bones, {:d} objects": "{:d} Knochen, {:d} Objekte",
    # stages of the work
    "Reading the mesh": "Mesh lesen", "Seeing how it stands": "Sehen, wie es steht", "Welding": "Verschweißen",
    "Deciding the solid": "Körper bestimmen", "Measuring distances": "Abstände messen",
    "Finding the middle": "Mitte finden", "Searching the skeleton": "Skelett suchen",
    "Refining the joints": "Gelenke verfeinern", "Reading the skeleton": "Skelett lesen",
    "Warming the skin": "Haut erwärmen", "Filling the body with voxels": "Körper mit Voxeln füllen",
    "Measuring distances inside the body": "Abstände im Körper messen", "Weighing vertices": "Punkte wiegen",
    "Finding fingers and limbs": "Finger und Glieder suchen", "Finding eyes and things": "Augen und Dinge suchen",
    "Dealing the small bones": "Gewichte kleiner Knochen verteilen",
    "Tidying the weights": "Gewichte aufräumen", "Writing armature and weights": "Skelett und Gewichte schreiben",
    "Writing the weights": "Gewichte schreiben", "Moving the character": "Figur bewegen",
    "Opening the motion": "Bewegung öffnen", "Reading the motion": "Bewegung lesen",
    "Writing the action": "Aktion schreiben",
}

BODIES = {"bird": "Vogel", "centaur": "Zentaur", "horse": "Pferd", "quadruped": "Vierbeiner", "biped": "Zweibeiner",
          "dragon": "Drache", "fish": "Fisch", "flyer": "Flugtier", "hydra": "Hydra", "insect": "Insekt",
          "mermaid": "Meerjungfrau", "octopus": "Krake", "snake": "Schlange", "spider": "Spinne",
          "theropod": "Raubsaurier", "wyvern": "Wyvern", "biped_tail": "Zweibeiner mit Schwanz",
          "biped_paper": "Zweibeiner (Pinocchio)"}
MOTIONS = {"dance": "Tanzen", "idle": "Stehen", "jump": "Springen", "run": "Rennen", "sneak": "Schleichen",
           "walk": "Gehen", "wave": "Winken", "gallop": "Galopp", "trot": "Trab", "fly": "Fliegen",
           "slither": "Schlängeln", "swim": "Schwimmen", "hop": "Hüpfen", "sit": "Hinsetzen", "sit_idle": "Sitzen",
           "stand_up": "Aufstehen", "turn_left": "Nach links drehen", "turn_right": "Nach rechts drehen"}


def german() -> dict[tuple[str, str], str]:
    """{(context, English): German}, with what is made of the names of skeletons, motions and engines."""
    texts = TEXTS | EXPORT
    for name in preset_names():
        texts[preset_label(name)] = BODIES.get(name, name)
        texts[f"Fit the {name.replace('_', ' ')} skeleton"] = f"Das Skelett '{BODIES.get(name, name)}' einpassen"
    for name in creature_names():
        texts[name.title()] = BODIES[name]
        texts[f"Make a {name} skeleton: as many limbs as the body shows"] = (
            f"Das Skelett '{BODIES[name]}': so viele Glieder, wie der Körper zeigt")
    for name in (*motion_names(), *made_names()):
        body, _, word = name.rpartition("_")
        label = MOTIONS.get(name) or " ".join(filter(None, (BODIES.get(body, body), MOTIONS.get(word, word))))
        texts[name.replace("_", " ").title()] = label
        texts[f"Let the character do the motion '{name}'"] = f"Die Figur die Bewegung '{label}' ausführen lassen"
    texts |= {"People": "Menschen", "Animals": "Tiere", "Centaurs": "Zentauren", "Birds": "Vögel",
              "Other Creatures": "Andere Wesen"}
    maps = ", ".join(map_names())
    texts[f"After which program the bones of a motion from a file or an armature are called. Empty: found out by "
          f"itself. Or one of: {maps}; or a bone map's .json file"] = (
        "Nach welchem Programm die Knochen einer Bewegung aus Datei oder Skelett heißen. Leer: wird von selbst "
        f"ermittelt. Oder eines von: {maps}; oder die .json-Datei einer Knochenzuordnung")
    for name in AXES:
        texts[f"The direction {name} of the world"] = f"Die Richtung {name} der Welt"
    for name in engines():
        label = load_engine(name).label
        texts[f"The names of {label}"] = f"Die Namen von {label}"
        texts[f"A file that {label} takes as it is"] = f"Eine Datei, die {label} so nimmt, wie sie ist"
        texts[label] = label
    for voxels in (96, 128, 192, 256, 384, 512):
        texts[f"{voxels} voxels along the longest side"] = f"{voxels} Voxel entlang der längsten Seite"
    for count in range(6):
        texts[f"Look for {count} on each hand, the thumb counted"] = f"An jeder Hand {count} suchen, mit dem Daumen"
    texts |= WORKFLOW | GERMAN
    return {(context, text): meaning for text, meaning in texts.items() for context in ("*", CONTEXT)} | {
        (CONTEXT, text): meaning for text, meaning in OPERATORS.items()}


def translations() -> dict[str, dict[tuple[str, str], str]]:
    """What Blender wants: {language: {(context, English): meaning}}."""
    return {"de": german(), "de_DE": german()}


CLASSES = ()
