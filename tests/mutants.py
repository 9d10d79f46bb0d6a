"""Every small change to a reference solution, and which of them a judge lets pass.

`mutants(code)` changes one place of a solution's syntax tree at a time: another operator, a constant
one off, arguments exchanged, a term dropped, a slice moved, a comparison turned. `survivors(lesson)`
runs each through the judge. A survivor means a case is missing, or the change makes no difference;
those are kept, with a sentence why, in tests/data/equivalent_mutants.json.
"""

from __future__ import annotations

import ast
import copy
import json
import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from posenc import lessons
from posenc.authoring import sources
from posenc.judging import calls, judge

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests" / "data" / "equivalent_mutants.json"
SEEDS = (11, 12)
SECONDS = 3.0

ARITHMETIC = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
COMPARISONS = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
NAMES = {
    "sin": "cos",
    "cos": "sin",
    "max": "min",
    "min": "max",
    "argmax": "argmin",
    "argmin": "argmax",
    "sum": "prod",
    "mean": "sum",
    "zeros": "ones",
    "ones": "zeros",
    "floor": "ceil",
    "ceil": "floor",
    "rint": "floor",
    "round": "floor",
    "all": "any",
    "any": "all",
    "abs": "sign",
    "triu": "tril",
    "tril": "triu",
    "tri": "ones",
    "cumsum": "cumprod",
    "diff": "cumsum",
    "exp": "sqrt",
    "sqrt": "square",
    "log": "sqrt",
    "hypot": "arctan2",
    "arctan2": "hypot",
    "maximum": "minimum",
    "minimum": "maximum",
}


@dataclass(frozen=True)
class Mutant:
    """One changed solution: the line changed, before and after, and the whole code."""

    line: int
    before: str
    after: str
    code: str

    @property
    def change(self) -> str:
        """What was changed, as a key."""
        return f"{self.before}  ->  {self.after}"


def mutants(code: str) -> list[Mutant]:
    """All small changes to `code`, each once, docstrings and messages left alone."""
    tree = ast.parse(code)
    original = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    places = sum(1 for _ in ast.walk(tree))
    for index in range(places):
        for variant in range(12):
            changed = copy.deepcopy(tree)
            node = list(ast.walk(changed))[index]
            if not _change(changed, node, variant):
                break
            text = ast.unparse(ast.fix_missing_locations(changed))
            if text == original or text in found:
                continue
            before, after = _differing_lines(original, text)
            found[text] = Mutant(getattr(node, "lineno", 0), before, after, text)
    return list(found.values())


def _change(tree: ast.AST, node: ast.AST, variant: int) -> bool:
    """Apply change number `variant` to `node`; False where there is none of that number."""
    options = list(_changes(tree, node))
    if variant >= len(options):
        return False
    options[variant]()
    return True


def _changes(tree: ast.AST, node: ast.AST) -> Iterator:
    """The changes that `node` offers, as things to call."""
    parent, name, place = _where(tree, node)

    def put(new):
        def change():
            if place is None:
                setattr(parent, name, new)
            else:
                getattr(parent, name)[place] = new

        return change

    if isinstance(node, ast.BinOp):
        for kind in ARITHMETIC.get(type(node.op), ()):
            yield lambda kind=kind: setattr(node, "op", kind())
        yield put(node.left)
        yield put(node.right)
        if not isinstance(node.op, (ast.Add, ast.Mult)):  # exchanged, these give the same number
            yield put(ast.BinOp(node.right, node.op, node.left))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not, ast.Invert)):
        yield put(node.operand)
    elif isinstance(node, ast.Compare):
        for number, op in enumerate(node.ops):
            for kind in COMPARISONS.get(type(op), ()):
                yield lambda n=number, kind=kind: node.ops.__setitem__(n, kind())
    elif isinstance(node, ast.BoolOp):
        yield lambda: setattr(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for number in range(len(node.values)):
            yield (
                lambda n=number: (
                    node.values.pop(n) if len(node.values) > 2 else put(node.values[1 - n])()
                )
            )
    elif isinstance(node, ast.Constant) and not _is_text(parent, node):
        if isinstance(node.value, bool):
            yield put(ast.Constant(not node.value))
        elif isinstance(node.value, (int, float)):
            yield put(ast.Constant(node.value + 1))
            yield put(ast.Constant(node.value - 1))
    elif isinstance(node, ast.Slice):
        for side in ("lower", "upper", "step"):
            part = getattr(node, side)
            if part is not None:
                if not (side == "lower" and isinstance(part, ast.Constant) and part.value == 0):
                    yield lambda side=side: setattr(node, side, None)
                yield lambda side=side, part=part: setattr(
                    node, side, ast.BinOp(part, ast.Add(), ast.Constant(1))
                )
                yield lambda side=side, part=part: setattr(
                    node, side, ast.BinOp(part, ast.Sub(), ast.Constant(1))
                )
            elif side == "lower":
                yield lambda: setattr(node, "lower", ast.Constant(1))
    elif isinstance(node, ast.Call) and not _raised(parent):
        for number in range(len(node.args) - 1):
            yield lambda n=number: node.args.__setitem__(
                slice(n, n + 2), node.args[n : n + 2][::-1]
            )
        for number in range(len(node.keywords)):
            yield lambda n=number: node.keywords.pop(n)
        if len(node.args) > 1:
            yield lambda: node.args.pop()
    elif isinstance(node, ast.IfExp):
        yield put(node.body)
        yield put(node.orelse)
    elif isinstance(node, (ast.If, ast.While)):
        yield lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield lambda: node.ifs.pop()
    elif isinstance(node, (ast.Attribute, ast.Name)) and isinstance(
        getattr(node, "ctx", None), ast.Load
    ):
        word = node.attr if isinstance(node, ast.Attribute) else node.id
        if word in NAMES:
            yield lambda: setattr(
                node, "attr" if isinstance(node, ast.Attribute) else "id", NAMES[word]
            )
        if isinstance(node, ast.Attribute) and word == "T":
            yield put(node.value)
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise)) and place is not None:
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield put(ast.Pass())


def _where(tree: ast.AST, node: ast.AST) -> tuple:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                return parent, name, None
            if isinstance(value, list):
                for place, item in enumerate(value):
                    if item is node:
                        return parent, name, place
    return None, None, None


def _is_text(parent: ast.AST, node: ast.Constant) -> bool:
    return isinstance(node.value, str) or isinstance(parent, (ast.JoinedStr, ast.FormattedValue))


def _raised(parent: ast.AST) -> bool:
    return isinstance(parent, ast.Raise)


def _differing_lines(one: str, other: str) -> tuple[str, str]:
    a, b = one.splitlines(), other.splitlines()
    for before, after in zip(a, b):
        if before != after:
            return before.strip(), after.strip()
    return (a[-1].strip(), "") if len(a) > len(b) else ("", b[-1].strip())


def solutions(number: int) -> tuple[dict[str, str], str]:
    """The solved code of each challenge of a lesson, and what all of them are given."""
    source = sources.read(ROOT / "solutions" / f"{lessons.lesson(number).stem}.py")
    given = "\n".join(c.text for c in source.cells if c.kind == "code" and "given" in c.tags)
    solved = {c.challenge: sources.answered(c.text) for c in source.cells if "challenge" in c.tags}
    return solved, "import math\nimport numpy as np\n" + given


def judged(challenge, setup: str, code: str, plans: list[judge.Plan]) -> str:
    """The outcome of `code` as an answer to `challenge`: that of the first seed that fails it."""
    space: dict[str, object] = {"__name__": "mutant"}
    try:
        with np.errstate(all="ignore"):
            exec(setup, space)
            exec(code, space)
    except Exception:
        return judge.CRASHED
    for plan in plans:
        work = calls.perform(plan.calls, space.get(challenge.name, calls.MISSING), seconds=SECONDS)
        verdict = judge.judge(plan, work)
        if not verdict.passed:
            return verdict.outcome
    return judge.PASSED


@dataclass
class Count:
    """How the mutants of one challenge fared."""

    challenge: str
    made: int
    killed: int
    equivalent: int
    survivors: list[str]


def count(number: int) -> list[Count]:
    """The mutants of every challenge of lesson `number`, judged. Run in a process of its own."""
    sys.setrecursionlimit(2000)
    resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
    known = json.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else {}
    solved, setup = solutions(number)
    counts = []
    for challenge in lessons.challenges(number):
        before = "\n".join(code for id, code in solved.items() if id != challenge.id)
        plans = [judge.plan(challenge, seed) for seed in SEEDS]
        here = f"{setup}\n{before}"
        if judged(challenge, here, solved[challenge.id], plans) != judge.PASSED:
            raise AssertionError(f"the solution of {challenge.id} does not pass")
        excused = known.get(challenge.id, {})
        found = mutants(solved[challenge.id])
        alive = [m for m in found if judged(challenge, here, m.code, plans) == judge.PASSED]
        equivalent = [m for m in alive if m.change in excused]
        left = [m.change for m in alive if m.change not in excused]
        counts.append(
            Count(challenge.id, len(found), len(found) - len(alive), len(equivalent), left)
        )
    return counts


if __name__ == "__main__":
    for each in map(int, sys.argv[1:]):
        for result in count(each):
            print(json.dumps(result.__dict__), flush=True)
