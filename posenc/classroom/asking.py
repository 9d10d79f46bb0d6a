"""A question with its options: answered in the notebook, folded where there is no kernel."""

from __future__ import annotations

import string

import ipywidgets as widgets

from posenc import lessons
from posenc.classroom import recording
from posenc.classroom.controls import heading, line, panel
from posenc.classroom.display import RIGHT, WRONG, Kind, boxed, escaped, headline
from posenc.lessons.model import Option, Question

# Dark enough for white words on both themes; ipywidgets' own green is not.
CHOSEN = {True: "#00664B", False: "#8A3B00"}


class QuestionPanel(widgets.VBox):
    """A card for each option and the chosen one's reason beneath; once the right one is found,
    the reasons of all. Made by `ask`."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.buttons = [
            self._button(index, option) for index, option in enumerate(question.options)
        ]
        self.line = line()
        asked = heading(f"Question {question.id}", escaped(question.asks))
        self.tried: set[int] = set()
        cards = widgets.VBox(self.buttons, layout=widgets.Layout(width="100%"))
        cards.add_class("posenc-cards")
        super().__init__(**panel([asked, cards, self.line]))
        self.add_class("posenc-panel")
        remembered = recording.read().option(question.id)
        if remembered is not None and 0 <= remembered < len(question.options):
            self._show(remembered)

    def answer(self, index: int) -> None:
        """Choose the option with this index: show its reason, and remember it."""
        self._show(index)
        recording.record_answer(self.question.id, index)

    def _button(self, index: int, option: Option) -> widgets.Button:
        made = widgets.Button(
            description=_lettered(index, option),
            tooltip="",
            layout=widgets.Layout(width="auto", margin="2px 0"),
        )
        made.add_class("posenc-option")
        made.on_click(lambda _: self.answer(index))
        return made

    def _show(self, index: int) -> None:
        self.tried.add(index)
        for place, button in enumerate(self.buttons):
            chosen = place == index
            right = self.question.options[place].right
            tried = place in self.tried
            button.icon = ("check" if right else "times") if tried else ""
            button.style.button_color = CHOSEN[right] if chosen else None
            button.style.text_color = "white" if chosen else None
        option = self.question.options[index]
        said = boxed(_kind(option), _verdict(index, option))
        if option.right:
            said += "".join(
                boxed(_kind(other), _verdict(place, other))
                for place, other in enumerate(self.question.options)
                if place != index
            )
        self.line.value = said

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, object]:
        # Beside the widget, what is left without a kernel: never what this learner answered.
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        return bundle | {"text/html": folded(self.question), "text/plain": listed(self.question)}


def _kind(option: Option) -> Kind:
    return RIGHT if option.right else WRONG


def _letter(index: int) -> str:
    return string.ascii_uppercase[index]


def _lettered(index: int, option: Option) -> str:
    return f"{_letter(index)}. {option.text}"


def _verdict(index: int, option: Option) -> str:
    head = headline(_kind(option), f"{_letter(index)} is {_kind(option).word.lower()}.")
    return f"<strong>{head}</strong> {escaped(option.reason)}"


def folded(question: Question) -> str:
    """The question as HTML that needs no kernel: each option opens on its reason."""
    options = "".join(
        f"<details><summary>{escaped(_lettered(index, option))}</summary>"
        f"{boxed(_kind(option), _verdict(index, option))}</details>"
        for index, option in enumerate(question.options)
    )
    return (
        f"<div><strong>Question {escaped(question.id)}.</strong> {escaped(question.asks)}</div>"
        f"{options}"
    )


def listed(question: Question) -> str:
    """The question and its options as text, without the reasons."""
    options = [_lettered(index, option) for index, option in enumerate(question.options)]
    return "\n".join([f"Question {question.id}. {question.asks}", *options])


def ask(question_id: str) -> QuestionPanel:
    """The question with this id, such as "6.q1". KeyError that lists the lesson's ids otherwise."""
    return QuestionPanel(lessons.question(question_id))
