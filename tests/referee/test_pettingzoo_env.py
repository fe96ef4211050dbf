"""The PettingZoo environment: PettingZoo's own tests, and what it adds to the rules."""

import warnings
from typing import Any

import pytest

pytest.importorskip("pettingzoo")

import numpy as np
from pettingzoo.test import api_test, seed_test

from referee.pettingzoo_env import ACTIONS, DISCARD, KNOCK, env, raw_env
from referee.rules.deal import Illegal
from referee.rules.ruleset import PRESETS

RULES: list[Any] = [*PRESETS, {"preset": "standard", "big_gin_bonus": 31, "ace_high_runs": True}]


def play(environment: Any, seed: int) -> dict[str, float]:
    """An episode of random legal actions; the rewards of each agent, summed."""
    chance = np.random.default_rng(seed)
    environment.reset(seed=seed)
    total = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        total[agent] += reward
        if termination or truncation:
            environment.step(None)
            continue
        environment.step(int(chance.choice(np.flatnonzero(observation["action_mask"]))))
    return total


# PettingZoo's own card games have the same dicts of an observation and a mask; they are excepted by
# their names from the warnings that observations should be plain.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_pettingzoos_own_test(rules: Any, capsys: Any) -> None:
    """PettingZoo's api test passes under every preset, for deals and for games."""
    for unit in ("deal", "game"):
        api_test(env(rules=rules, unit=unit), num_cycles=60, verbose_progress=False)
    capsys.readouterr()


def test_seeds_repeat(capsys: Any) -> None:
    """PettingZoo's seed test passes: the same seed gives the same cards."""
    seed_test(lambda: env(rules="german"), num_cycles=60)
    capsys.readouterr()


@pytest.mark.parametrize("preset", ["danish", "three_handed", "partnership"])
def test_rewards_of_an_episode_add_up_to_nothing(preset: str) -> None:
    """What one side wins the others lose, shared out; partners get the same."""
    for seed in range(5):
        total = play(raw_env(rules=preset, unit="game"), seed)
        assert sum(total.values()) == pytest.approx(0)
        if preset == "partnership":
            assert total["seat_0"] == total["seat_2"]


def test_an_observation_is_what_the_seat_may_see() -> None:
    """Hand and top are there by card; another seat's hand is in no part of the observation."""
    environment = raw_env(rules="danish")
    environment.reset(seed=3)
    first, second = (environment.observe(f"seat_{seat}")["observation"] for seat in (0, 1))
    hand = environment.features["hand"]
    assert first[hand].sum() == second[hand].sum() == 10
    assert not (first[hand] * second[hand]).any()
    for name, place in environment.features.items():
        if name not in ("hand", "dealer"):
            assert (first[place] == second[place]).all()
    assert first[environment.features["top"]].sum() == 1


def test_a_mask_is_for_the_seat_on_turn() -> None:
    """Only the seat on turn has legal actions, and no other action is taken."""
    environment = raw_env(rules="danish")
    environment.reset(seed=3)
    agent = environment.agent_selection
    other = next(one for one in environment.agents if one != agent)
    assert not environment.observe(other)["action_mask"].any()
    mask = environment.observe(agent)["action_mask"]
    assert list(np.flatnonzero(mask)) == [0, 1]
    for number in (2, 3, 4, DISCARD, KNOCK, ACTIONS):
        with pytest.raises(Illegal):
            environment.step(number)


def test_illegal_actions_end_the_guarded_episode() -> None:
    """The guarded environment ends where an action is not legal, and its agent pays for it."""
    environment = env(rules="danish")
    environment.reset(seed=3)
    agent = environment.agent_selection
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        environment.step(KNOCK)
    assert environment.terminations[agent]
    assert environment.rewards[agent] == -100


def test_it_can_be_looked_at() -> None:
    """The table is written down for people."""
    environment = raw_env(rules="three_handed", render_mode="ansi")
    environment.reset(seed=1)
    assert "seat_2: " in environment.render()
    with pytest.raises(ValueError, match="unit"):
        raw_env(unit="match")
