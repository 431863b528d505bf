"""What is said about creatures, their motions and their limbs, in German."""

CREATURES = {
    "dragon": "Drache", "fish": "Fisch", "flyer": "Flugtier", "hydra": "Hydra", "insect": "Insekt",
    "mermaid": "Meerjungfrau", "octopus": "Krake", "snake": "Schlange", "spider": "Spinne", "theropod": "Raubsaurier",
    "wyvern": "Wyvern",
    "four legs and two wings": "vier Beine und zwei Flügel",
    "two spread wings and a short tail": "zwei ausgebreitete Flügel und ein kurzer Schwanz",
    "fins, no legs, and a long body": "Flossen, keine Beine und ein langer Körper",
    "several necks beside each other": "mehrere Hälse nebeneinander",
    "six legs around a small trunk": "sechs Beine um einen kleinen Rumpf",
    "two arms above the tail of a fish": "zwei Arme über dem Schwanz eines Fisches",
    "many arms around one place": "viele Arme um eine Stelle",
    "no limbs, and a very long body": "keine Glieder und ein sehr langer Körper",
    "eight legs around a small trunk": "acht Beine um einen kleinen Rumpf",
    "two legs under a level trunk with a neck": "zwei Beine unter einem waagerechten Rumpf mit Hals",
    "two legs and two wings": "zwei Beine und zwei Flügel",
    "The body is unlike the skeleton '{}': {}. It was rigged from its shape; choose another skeleton, or From Shape.":
        "Der Körper sieht nicht nach '{}' aus: {}. Das Skelett entstand aus der Form; wähle ein anderes oder 'Aus der "
        "Form'.",
    "The motion '{}' is for skeletons made from a shape: creatures and From Shape. Choose another.":
        "Die Bewegung '{}' ist für Skelette, die aus der Form entstehen: Wesen und 'Aus der Form'. Wähle eine andere.",
    "the figure stands on a base, which gets a bone of its own and is no part of the body. If it is part of the body, "
    "untick it behind the arrow beside Detail (--without base) and rig anew":
        "die Figur steht auf einem Sockel, der einen eigenen Knochen bekommt und nicht zum Körper gehört. Gehört er "
        "zum Körper, nimm das Häkchen hinter dem Pfeil neben Umfang weg (--without base) und rigge neu",
    "The body has limbs that the skeleton does not know; {} got bones that follow the shape. Delete those you do not "
    "want: Update Rig leaves them out.":
        "Der Körper hat Glieder, die das Skelett nicht kennt; {} haben Knochen nach der Form bekommen. Lösche, was du "
        "nicht willst: Rig aktualisieren lässt sie weg.",
    "The creature '{}' cannot be read: {}.": "Das Wesen '{}' kann nicht gelesen werden: {}.",
    "Add Limb": "Glied hinzufügen", "Remove Limb": "Glied entfernen", "Limbs as Found": "Glieder wie gefunden",
    "Click on the tip of something that has no bones yet: it gets a chain of them. With Mirror the other side too":
        "Klicke auf die Spitze von etwas, das noch keine Knochen hat: es bekommt eine Kette davon. Mit Spiegeln auch "
        "die andere Seite",
    "Click on a limb to remove its bones and what hangs on them. With Mirror the other side too":
        "Klicke auf ein Glied: seine Knochen gehen, und was daran hängt. Mit Spiegeln auch die andere Seite",
    "Bring back the limbs that were found, and no others": "Wieder die Glieder haben, die gefunden wurden, und keine "
                                                           "anderen",
    "Click on the limb's tip     Esc or right click: cancel":
        "Klicke auf die Spitze des Glieds     Esc oder Rechtsklick: abbrechen",
    "There is no body under the mouse. Click on a limb.": "Unter der Maus ist kein Körper. Klicke auf ein Glied.",
    "There is no limb here. Click on a limb to take it away.":
        "Hier ist kein Glied. Klicke auf ein Glied, um es zu entfernen.",
    "{} bones now. Done updates the rig.": "Jetzt {} Knochen. Fertig bringt das Rig nach.",
    "Only skeletons made from the shape can have more limbs or fewer":
        "Nur Skelette, die aus der Form entstehen, können mehr oder weniger Glieder haben",
    "No limb was added or taken away": "Es wurde kein Glied hinzugefügt oder entfernt",
    "Limbs": "Glieder", "Limbs added to the skeleton and taken from it":
        "Glieder, die zum Skelett hinzugefügt und von ihm entfernt wurden",
    "Place": "Ort", "Where the limb is in the world": "Wo das Glied in der Welt ist",
    "it shows {} of {} limbs of the sort '{}'": "er zeigt {} von {} Gliedern der Art '{}'",
    "it has 1 limb too many": "er hat 1 Glied zu viel",
    "Hand '{}' does not show the finger looked for. Part it in the mesh, or choose none.":
        "Hand '{}' zeigt den gesuchten Finger nicht. Trenne ihn im Mesh, oder wähle keinen.",
    "1 bone now. Done updates the rig.": "Jetzt 1 Knochen. Fertig bringt das Rig nach.",
    "it has {} limbs too many": "er hat {} Glieder zu viel",
    "its limbs are round": "seine Glieder sind rund",
    "its limbs branch": "seine Glieder verzweigen sich", "its trunk stands up": "sein Rumpf steht aufrecht",
    "its trunk does not stand up": "sein Rumpf steht nicht aufrecht",
    "it is too thick or too thin": "er ist zu dick oder zu dünn", "it has no long tail": "er hat keinen langen Schwanz",
    "its tail is too long": "sein Schwanz ist zu lang",
    # what it is
    "no kind of body that Geppetto knows": "keine Art von Körper, die Geppetto kennt",
    "parts of the left leg": "Teile des linken Beins", "parts of the right leg": "Teile des rechten Beins",
    "parts of the left front leg": "Teile des linken Vorderbeins",
    "parts of the right front leg": "Teile des rechten Vorderbeins",
    "parts of the left hind leg": "Teile des linken Hinterbeins",
    "parts of the right hind leg": "Teile des rechten Hinterbeins",
    "if it is no person, From Shape lets bones follow its shape":
        "falls das keine Person ist: mit 'Aus der Form' folgen die Knochen der Form",
    "it is of no kind of body that is known: its bones follow its shape. Pin the joints you care about, or choose its "
    "kind under Skeleton":
        "es ist keine bekannte Art von Körper: die Knochen folgen seiner Form. Pinne die Gelenke fest, auf die es "
        "ankommt, oder wähle unter Skelett seine Art",
    "it is not clear what it is: '{}' ({}) or '{}' ({}); Automatic takes the likelier":
        "es ist nicht klar, was es ist: '{}' ({}) oder '{}' ({}); Automatisch nimmt das Wahrscheinlichere",
    "There is no preset '{}'. The detail of '{}' is a number from 0 to 1.":
        "Es gibt keine Vorlage '{}'. Die Feinheit von '{}' ist eine Zahl von 0 bis 1.",
    "{} may be wrong. Check, and pin what should be elsewhere.":
        "{} kann falsch sein. Prüfe, und pinne fest, was woanders hingehört.",
    # why a character is taken to stand as it does
    "it is not clear which way it faces; {} is taken for the front: set Front if that is wrong":
        "es ist nicht klar, wohin die Figur schaut; {} gilt als vorne: stelle Vorne ein, wenn das falsch ist",
    "it may lie on its side: with {} up and {} as its front it looks like '{}'. Set Up and Front if it is one":
        "es liegt vielleicht auf der Seite: mit {} oben und {} vorne sieht es aus wie '{}'. Stelle Oben und Vorne ein, "
        "wenn es das ist",
    "{} is set as up, but with {} up and {} as its front it looks like a body that is known: set Up and Front to "
    "Auto if that is right":
        "{} ist als oben eingestellt, aber mit {} oben und {} vorne sieht es wie ein bekannter Körper aus: stelle Oben "
        "und Vorne auf Auto, wenn das richtig ist",
    "it is not clear how it stands; {} is taken for up and {} for the front: set Up and Front if that is wrong":
        "es ist nicht klar, wie die Figur steht; {} gilt als oben und {} als vorne: stelle Oben und Vorne ein, wenn "
        "das falsch ist",
    "as set": "wie eingestellt", "up is as set": "oben ist wie eingestellt",
    "no other way looks clearly better. If this is wrong, set Up and Front":
        "keine andere Lage sieht klar besser aus. Ist das falsch, stelle Oben und Vorne ein",
    "it looks like a creature standing so": "so sieht es aus wie ein stehendes Wesen",
    "it looks like a person standing so": "so sieht es aus wie ein stehender Mensch",
    "it looks like an animal standing so": "so sieht es aus wie ein stehendes Tier",
    "You pinned {} where other joints belong, as happens when the number of bones is changed afterwards: that draws "
    "bones together. Unpin them, or pin them anew.":
        "Du hast {} festgepinnt, wo andere Gelenke hingehören, etwa weil die Zahl der Knochen danach geändert wurde: "
        "das drängt Knochen zusammen. Lass sie los, oder pinne sie neu fest.",
}
