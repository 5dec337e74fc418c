"""Questions and settings, read from ``questions/*.md``; imports the standard library only."""

from jev_turn.policy.lint import Problem, lint
from jev_turn.policy.load import QUESTIONS, load_policy
from jev_turn.policy.policy import Policy, Refusal
from jev_turn.policy.question import QUESTION_IDS, Question, load_questions
from jev_turn.policy.sources import environment_name

__all__ = [
    "QUESTIONS",
    "QUESTION_IDS",
    "Policy",
    "Problem",
    "Question",
    "Refusal",
    "environment_name",
    "lint",
    "load_policy",
    "load_questions",
]
