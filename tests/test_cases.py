"""The 101 public cases: each is used, and the judge says of its wrong idea what the case says."""

import json

import proof
import pytest

from posenc import lessons

CASES = {case["id"]: case for case in json.loads(proof.CASES.read_text(encoding="utf-8"))}
PLACES = proof.used()


@pytest.mark.parametrize("id", CASES)
def test_every_public_case_is_used(id):
    assert PLACES[id], f"{id}, {CASES[id]['link']}, lesson {CASES[id]['lesson']}"


def test_only_known_cases_are_named():
    assert {id for id in PLACES if not id.startswith("https://")} == set(CASES)


def test_no_convention_is_called_wrong_without_being_called_a_convention():
    """Where a mistake rests on nothing but conventions and false alarms, its words say so."""
    for each in lessons.LESSONS:
        for challenge in lessons.challenges(each.number):
            for mistake in challenge.misconceptions:
                kinds = {CASES[id]["verdict"] for id in mistake.seen if id in CASES}
                if kinds and kinds <= {"convention", "false_alarm"}:
                    words = f"{mistake.looks_like} {mistake.think}".lower()
                    hints = (
                        "convention",
                        "layout",
                        "library",
                        "libraries",
                        "ladder",
                        "in use",
                        "asked for",
                        "fairseq",
                        "diffusion",
                        "released",
                    )
                    assert any(word in words for word in hints), (
                        challenge.id,
                        mistake.id,
                        mistake.seen,
                    )
