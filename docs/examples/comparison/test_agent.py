"""The suite for pytest: ten tasks, eight times each, all of which must succeed."""

import os
import random

import pytest


@pytest.mark.parametrize("repetition", range(8))
@pytest.mark.parametrize("task", range(10))
def test_task(task, repetition):
    assert random.random() < float(os.environ["SUCCESS"]), "the agent did not solve it"
