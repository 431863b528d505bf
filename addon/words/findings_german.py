"""What the weight check says, in German; see messages.py."""

FINDINGS = {
    "raising {} draws out skin, because arm and body are one surface there: part them, or paint weights":
        "{}: Heben dehnt die Haut, weil Arm und Körper dort eine Fläche sind: trenne sie, oder male Gewichte",
    "the left arm": "linker Arm", "the right arm": "rechter Arm",
    "Every vertex follows a bone.": "Jeder Punkt folgt einem Knochen.",
    "{} vertices follow no bone and stay behind. Select them and bind again, or paint them.":
        "{} Punkte folgen keinem Knochen und bleiben zurück. Wähle sie aus und binde neu, oder male Gewichte.",
    "1 vertex follows no bone and stays behind. Select it and bind again, or paint it.":
        "1 Punkt folgt keinem Knochen und bleibt zurück. Wähle ihn aus und binde neu, oder male Gewichte.",
    "{} vertices follow no bone and stay behind: their weights were left as they are.":
        "{} Punkte folgen keinem Knochen und bleiben zurück: ihre Gewichte blieben, wie sie sind.",
    "1 vertex follows no bone and stays behind: its weights were left as they are.":
        "1 Punkt folgt keinem Knochen und bleibt zurück: seine Gewichte blieben, wie sie sind.",
    "Weight of other limbs sticks to 1 vertex, which will be dragged along. Remove it there, or bind it again.":
        "An 1 Punkt klebt Gewicht anderer Glieder und zieht ihn mit. Entferne es dort, oder binde ihn neu.",
    "Left and right differ a little on 1 vertex.": "Links und rechts unterscheiden sich ein wenig, an 1 Punkt.",
    "Left and right differ on 1 vertex. Symmetrise Weights mends it.":
        "Links und rechts unterscheiden sich an 1 Punkt. Gewichte angleichen hilft.",
    "'{}' turns inside out ({}), with Preserve Volume it keeps {} of its volume. Widen the blend there, or add a twist "
    "or helper bone.":
        "'{}' stülpt sich um ({}), mit Volumen erhalten bleiben {} des Volumens. Mache den Übergang dort weiter, oder "
        "füge einen Dreh- oder Hilfsknochen hinzu.",
    "No vertex follows more than {} bones.": "Kein Punkt folgt mehr als {} Knochen.",
    "Some vertices follow {} bones; most game engines keep 4. Weights > Limit Total mends it.":
        "Manche Punkte folgen {} Knochen; die meisten Spiele-Engines behalten 4. Gewichtungen > Totale Grenze.",
    "Some vertices follow {} bones, too many to paint or to export. Weights > Limit Total mends it.":
        "Manche Punkte folgen {} Knochen, zu viele zum Malen und Exportieren. Gewichtungen > Totale Grenze.",
    "The skin stays together; nowhere more than {} times as long as at rest ({}).":
        "Die Haut hält zusammen; nirgends länger als das {}-Fache der Ruhelage ({}).",
    "The skin is drawn out to {} times its length ({}).": "Die Haut wird auf das {}-Fache gedehnt ({}).",
    "The skin is torn to {} times its length ({}): neighbours follow different bones.":
        "Die Haut reißt auf das {}-Fache ({}): Nachbarn folgen verschiedenen Knochen.",
    "Joints keep their volume; least {} at '{}' ({}).":
        "Gelenke behalten ihr Volumen; am wenigsten, {}, bei '{}' ({}).",
    "'{}' keeps {} of its volume ({}), with Preserve Volume {}.":
        "'{}' behält {} des Volumens ({}), mit Volumen erhalten {}.",
    "'{}' collapses to {} of its volume ({}), with Preserve Volume to {}. Widen the blend there, or add a twist or "
    "helper bone.":
        "'{}' fällt auf {} des Volumens zusammen ({}), mit Volumen erhalten auf {}. Mache den Übergang dort weiter, "
        "oder füge einen Dreh- oder Hilfsknochen hinzu.",
    "No weight reaches over from other limbs.": "Kein Gewicht greift von anderen Gliedern herüber.",
    "Some vertices follow bones that are near through the air, but far through the body. Look at those marked.":
        "Manche Punkte folgen Knochen, die durch die Luft nah, aber durch den Körper fern sind. Sieh sie an.",
    "Weight of other limbs sticks to {} vertices, which will be dragged along. Remove it there, or bind them again.":
        "An {} Punkten klebt Gewicht anderer Glieder und zieht sie mit. Entferne es dort, oder binde sie neu.",
    "Seams stay closed.": "Nähte bleiben geschlossen.",
    "{} vertices at one place have different weights: a seam may open there.":
        "{} Punkte am selben Ort haben verschiedene Gewichte: dort kann sich eine Naht öffnen.",
    "{} vertices at one place have different weights: seams open. Merge them by distance, or copy the weights across.":
        "{} Punkte am selben Ort haben verschiedene Gewichte: Nähte öffnen sich. Zusammenführen nach "
        "Entfernung schließt sie, oder kopiere die Gewichte hinüber.",
    "Left and right have the same weights.": "Links und rechts haben dieselben Gewichte.",
    "Left and right differ a little on {} vertices.": "Links und rechts unterscheiden sich ein wenig, an {} Punkten.",
    "Left and right differ on {} vertices. Symmetrise Weights mends it.":
        "Links und rechts unterscheiden sich an {} Punkten. Gewichte angleichen hilft.",
    # how the skin was bound
    "'{}' is flat: its scale is 0 along an axis. Set it under Item in the sidebar.":
        "'{}' ist flach: die Skalierung ist 0 entlang einer Achse. Setze sie unter Gegenstand in der Seitenleiste.",
    "No bone of '{}' lies in '{}', or the skeleton is much too small. Bring both to one place and size, then bind "
    "again.":
        "Kein Knochen von '{}' liegt in '{}', oder das Skelett ist viel zu klein. Bringe beide an einen Ort und auf "
        "eine Größe, dann binde neu.",
    "'{}' lies apart from '{}', where nothing tells which bones it should follow. Put it in its place, then copy "
    "again.":
        "'{}' liegt abseits von '{}': nichts sagt, welchen Knochen es folgen soll. Bringe es an seinen Platz, dann "
        "kopiere neu.",
    "'{}' shows instances and no faces of its own, and was left out. End its nodes with Realize Instances, then apply "
    "them.":
        "'{}' zeigt Instanzen und keine eigenen Flächen und wurde ausgelassen. Beende die Nodes mit Realisiere "
        "Instanzen, dann wende sie an.",
    "Geometry Nodes that shape '{}' would make something else of it in another pose. Apply them first.":
        "Geometry Nodes, die '{}' formen, würden in einer anderen Pose etwas anderes daraus machen. Wende sie zuerst "
        "an.",
    "shaped by Geometry Nodes so that not all of it follows the bones. End the nodes with Realize Instances, apply "
    "them, then bind again":
        "durch Geometry Nodes so geformt, dass nicht alles den Knochen folgt. Beende die Nodes mit Realisiere "
        "Instanzen, wende sie an, dann binde neu",
    "'{}' has a Mirror modifier, and Blender does not know the other side of '{}': both halves follow the bones of one "
    "side. Apply the modifier, then bind again.":
        "'{}' hat einen Spiegeln-Modifikator, und Blender kennt die andere Seite von '{}' nicht: beide Hälften folgen "
        "den Knochen einer Seite. Wende den Modifikator an, dann binde neu.",
    "'{}' has a Mirror modifier, and Blender would not know the other side of '{}'. Apply the modifier first.":
        "'{}' hat einen Spiegeln-Modifikator, und Blender würde die andere Seite von '{}' nicht kennen. Wende den "
        "Modifikator zuerst an.",
    "{} of the skin has something between itself and its nearest bone, {}":
        "zwischen {} der Haut und ihrem nächsten Knochen liegt etwas, {}",
    "{} of the skin has nothing between itself and its nearest bone":
        "zwischen {} der Haut und ihrem nächsten Knochen liegt nichts",
    # the poses
    "Elbows bent 120°": "Ellbogen um 120° gebeugt", "Knees bent 120°": "Knie um 120° gebeugt", "Arms up": "Arme hoch",
    "Arms down": "Arme hinunter", "Arms forward": "Arme nach vorn", "Arms twisted 90°": "Arme um 90° verdreht",
    "Hands twisted 90°": "Hände um 90° verdreht", "Fists": "Fäuste", "Hips bent 90°": "Hüften um 90° gebeugt",
    "Legs apart": "Beine gespreizt", "Feet bent 40°": "Füße um 40° gebeugt",
    "Front legs bent 90°": "Vorderbeine um 90° gebeugt", "Hind knees bent 90°": "Hinterknie um 90° gebeugt",
    "Front legs forward 45°": "Vorderbeine 45° nach vorn", "Front legs back 45°": "Vorderbeine 45° nach hinten",
    "Hind legs forward 45°": "Hinterbeine 45° nach vorn", "Hind legs back 45°": "Hinterbeine 45° nach hinten",
    "Head turned 70°": "Kopf um 70° gedreht", "Head down 45°": "Kopf um 45° gesenkt",
    "Body twisted 45°": "Körper um 45° verdreht", "Body bent 45°": "Körper um 45° gebeugt",
    "The limb that ends in '{}' has hardly any length: pin its joints where they belong.":
        "Das Glied, das in '{}' endet, hat kaum eine Länge: pinne seine Gelenke, wohin sie gehören.",
    "Tail aside 60°": "Schwanz 60° zur Seite", "Tail up 60°": "Schwanz 60° hoch",
    "Other joints bent 30°": "Andere Gelenke 30°",
    "Other joints bent 30°, next": "Andere Gelenke 30°, weitere", "rest": "Ruhe",
    "a collision shape or a helper that is not rendered and was left out. If it belongs to the character, let it be "
    "rendered or rename it":
        "eine Kollisionsform oder ein Hilfsobjekt, das nicht gerendert wird, und wurde ausgelassen. Gehört es zur "
        "Figur, lass es rendern oder benenne es um",
    "the cage of a Mesh Deform modifier and was left out, as what it deforms follows the bones":
        "der Käfig eines Modifikators Mesh-Deformieren und wurde ausgelassen, da den Knochen folgt, was er verformt",
}
