"""What systems add to the name of a copy, in any language: Drive, OneDrive, mail, editors.

"Copy of ps6 (2)" is a second copy of ps6, and "Copy of" is nobody's name.
"""

from __future__ import annotations

import re

# What Drive and Colab put before a name. Where a language has several, all are here.
_BEFORE = (
    "Copy of", "Kopie von", "Copia de", "Copia di", "Copie de", "Cópia de", "Kopie van", "Kopi av",
    "Kopi af", "Kopia av", "Kopie", "Kopia", "Kópia", "Kopya", "Kopija", "Копия", "Копие на",
    "Копія", "Αντίγραφο", "Bản sao của", "Salinan", "Cópia", "Còpia de", "Kopio", "Másolat",
    "نسخة من", "نسخة", "עותק של", "کپی", "สำเนาของ", "की कॉपी", "副本", "複本",
)  # fmt: skip
# What they put after it: Japanese and Korean Drive, Windows, macOS, and editors by hand.
_AFTER = (
    "のコピー", "コピー", "의 사본", "사본", "的副本", "副本", "的複本", "複本", "kopyası",
    "kopioi", "kopio", "másolata", "másolat", "koopia", "kopija", "kopie", "kopia", "kopi",
    "kopya", "copie", "copia", "cópia", "còpia", "copy", "копия", "копія", "final", "eingereicht",
)  # fmt: skip
_words_before = "|".join(sorted(map(re.escape, _BEFORE), key=len, reverse=True))
_words_after = "|".join(sorted(map(re.escape, _AFTER), key=len, reverse=True))
BEFORE = re.compile(rf"^(?:{_words_before})(?=[\s_:„“\"«]|$)[\s_:„“\"«]*", re.IGNORECASE)
AFTER = re.compile(
    r"[\s_-]*(?:\((?P<browser>\d{1,6})\)"  # browsers, Drive, Outlook's (002)
    r"|-Copy(?P<lab>\d{1,6})"  # JupyterLab
    r"|\((?P<apart>[^()]*(?:conflicted copy|in Konflikt|Konflikt|copie en conflit)[^()]*)\)"
    r"|\.sync-conflict-[\w-]+"  # Syncthing
    r"|-(?:DESKTOP|LAPTOP|SURFACE)-[A-Z0-9]+(?:-\d+)?"  # OneDrive: the other computer's name
    rf"|[\s_-](?:-[\s_]*)?(?:{_words_after}|v(?P<version>\d{{1,6}}))(?:[\s_]?(?P<again>\d{{1,3}}))?"
    rf"|(?<=\w)(?:のコピー|의 사본|的副本|副本|的複本))[“\"»]?$",
    re.IGNORECASE,
)
CHECKPOINT = "-checkpoint"
CHECKPOINTS = ".ipynb_checkpoints"


def without(stem: str) -> tuple[str, int]:
    """A file's stem without what was added to copies of it, and the copy's number."""
    number = 0
    while match := AFTER.search(stem):
        digits = match["browser"] or match["lab"] or match["version"] or match["again"]
        number = max(number, int(digits) if digits else 1)
        stem = stem[: match.start()]
    while match := BEFORE.match(stem):
        number = max(number, 1)
        stem = stem[match.end() :]
    return stem.strip(), number
