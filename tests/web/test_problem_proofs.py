"""Answers of the page to problems by proofs."""

from types import SimpleNamespace

import pytest

from tengen.records import read_bytes
from tengen.web.problem_answers import ProvedAnswers, Verdict
from tengen.web.problems import Problem

pytestmark = pytest.mark.kernels

STONES = "AB[da][ab][bb][cb][db]AW[ea][eb][ac][bc][cc][dc][ec]"


class FallbackAnswers:
    """Counts the questions that no proof answers."""

    def __init__(self):
        self.asked = 0

    def judge(self, _before, _after):
        self.asked += 1
        return Verdict(is_wrong=False, points_loss=0.0)

    def best_line(self, _position):
        self.asked += 1
        return []


def answers_to(text: str, is_stopped: bool = False):
    (record,) = read_bytes(text.encode())
    problem, fallback = Problem(record), FallbackAnswers()
    job = SimpleNamespace(is_stopped=is_stopped)
    return problem.position, ProvedAnswers(problem, job, fallback), fallback


def test_moves_are_judged_by_proofs():
    position, answers, fallback = answers_to(f"(;SZ[7]{STONES}PL[W])")
    assert not answers.judge(position, position.after("B7")).is_wrong
    verdict = answers.judge(position, position.after("A7"))
    assert verdict.is_wrong
    assert [position.vertex(move) for move in verdict.refutation] == ["B7"]
    assert [position.vertex(move) for move in answers.best_line(position)] == ["B7"]
    assert not fallback.asked


@pytest.mark.parametrize("is_stopped", [True, False])
def test_the_engine_answers_without_a_proof(is_stopped):
    text = f"(;SZ[7]{STONES}PL[W])" if is_stopped else "(;SZ[7]AB[da]PL[W])"
    position, answers, fallback = answers_to(text, is_stopped)
    answers.judge(position, position.after("B7"))
    assert fallback.asked == 1
