"""What is said about creatures, their motions and their limbs, in German."""

CREATURES = {
    "dragon": "Drache", "fish": "Fisch", "insect": "Insekt", "mermaid": "Meerjungfrau", "octopus": "Krake",
    "snake": "Schlange", "spider": "Spinne", "theropod": "Raubsaurier", "wyvern": "Wyvern",
    "four legs and two wings": "vier Beine und zwei Flügel",
    "fins, no legs, and a long body": "Flossen, keine Beine und ein langer Körper",
    "six legs around a small trunk": "sechs Beine um einen kleinen Rumpf",
    "two arms above the tail of a fish": "zwei Arme über dem Schwanz eines Fisches",
    "many arms around one place": "viele Arme um eine Stelle",
    "no limbs, and a very long body": "keine Glieder und ein sehr langer Körper",
    "eight legs around a small trunk": "acht Beine um einen kleinen Rumpf",
    "two legs between a neck and a long tail": "zwei Beine zwischen einem Hals und einem langen Schwanz",
    "two legs, two wings and a long tail": "zwei Beine, zwei Flügel und ein langer Schwanz",
    "The body does not look like a {}: {}. It was rigged from its shape; choose another skeleton, or From Shape.":
        "Der Körper sieht nicht nach '{}' aus: {}. Das Skelett entstand aus der Form; wähle ein anderes oder 'Aus der "
        "Form'.",
    "The motion '{}' is for skeletons made from a shape: creatures and From Shape. Choose another.":
        "Die Bewegung '{}' ist für Skelette, die aus der Form entstehen: Wesen und 'Aus der Form'. Wähle eine andere.",
    "The control rig of a creature does no motions of the library. Go back to the plain rig first.":
        "Das Steuer-Rig eines Wesens führt keine Bewegungen der Bibliothek aus. Gehe zuerst zum einfachen Rig zurück.",
    "The creature '{}' cannot be read: {}.": "Das Wesen '{}' kann nicht gelesen werden: {}.",
    "it shows {} of {} limbs of the sort '{}'": "er zeigt {} von {} Gliedern der Art '{}'",
    "it has {} limbs too many": "er hat {} Glieder zu viel",
    "its trunk stands up": "sein Rumpf steht aufrecht",
    "its trunk does not stand up": "sein Rumpf steht nicht aufrecht",
    "it is of another thickness": "er ist anders dick", "it has no long tail": "er hat keinen langen Schwanz",
}
