"""Traps that other engines of this family fell into, and what keeps each away here.

The faults were measured or reported in OpenSpiel, Kaggle's environments, RLCard, PettingZoo,
t_games and others. `TRAPS` names for each the tests that would fail here, as `file::test` below
tests/, and says why where a trap cannot occur at all. It is data: the tests are elsewhere.
"""

from typing import NamedTuple

HERE = "rules/test_proofs_traps.py"
SIGHT = "rules/test_proofs_sight.py::test_hidden_cards_leave_no_trace"
MODEL = "rules/test_engine_against_model.py"
ENDS = "rules/test_proofs_ends.py"
OPENSPIEL = "rules/test_against_openspiel.py"


class Trap(NamedTuple):
    """A fault seen elsewhere, and what keeps it away: tests, or why there is nothing to test."""

    what: str
    tests: tuple[str, ...] = ()
    why: str = ""


TRAPS = {
    1: Trap(
        "least of eleven cards taken from one best arrangement and its dearest loose card",
        (
            "rules/test_melds.py::test_counts_are_least_over_discards_not_over_loose_cards",
            f"{MODEL}::test_hands_are_counted_and_arranged_alike",
            f"{OPENSPIEL}::test_a_gin_that_openspiel_refuses",
        ),
    ),
    2: Trap(
        "equal counts score nothing",
        (
            "rules/test_proofs_points.py::test_every_small_count_is_settled_as_written",
            f"{OPENSPIEL}::test_whole_deals_agree_with_openspiel",
        ),
    ),
    3: Trap(
        "the third card in a row at one end of a run cannot be laid off",
        (f"{HERE}::test_three_cards_are_laid_on_one_end",),
    ),
    4: Trap(
        "the knocker sees the defender's hand while it is laid off",
        (SIGHT, "rules/test_proofs_sight.py::test_every_moment_of_a_deal_is_among_them"),
    ),
    5: Trap(
        "a resampled state hands a seat the true hidden cards",
        (SIGHT,),
        "nothing here resamples; what a seat is given holds no hidden card to resample from",
    ),
    6: Trap(
        "odd sizes of hands and packs crash",
        (
            "rules/test_rulesets.py::test_nonsense_is_refused_by_field",
            "rules/test_deal.py::test_cards_that_cannot_be_dealt",
            "rules/test_deal.py::test_hand_sizes",
        ),
    ),
    7: Trap(
        "bots that plan several steps ahead die of the step that is illegal by then",
        (
            "sdk/test_every_preset.py::test_sample_bots_play_every_preset",
            "referee/live/test_messages.py::test_what_cannot_be_played_is_illegal",
        ),
        "every question is answered by itself, with a knock and its discard as one decision",
    ),
    8: Trap(
        "who lays off is not told the knocker's melds, rest and count",
        ("rules/test_view.py::test_an_opponent_sees_the_knocker_before_answering",),
    ),
    9: Trap(
        "one ruleset is announced and another one played",
        (
            "referee/live/test_match.py::test_welcome_tells_what_was_committed",
            f"{HERE}::test_the_limit_that_is_told_is_the_limit_in_force",
        ),
    ),
    10: Trap(
        "the last cards of the stock are a phase nobody describes, much like a layoff",
        (
            "rules/test_deal.py::test_last_two_cards_are_never_drawn",
            f"{HERE}::test_phases_are_told_apart",
        ),
        "a deal is void at once, so there is no such phase",
    ),
    11: Trap(
        "spectators are not shown the knock limit, which changes with each deal",
        ("referee/test_transcript.py::test_each_deal_names_its_limit",),
    ),
    12: Trap(
        "legal answers are not listed, and an illegal one ends more than its own game",
        (
            "rules/test_deal.py::test_offered_is_what_is_accepted",
            "referee/live/test_endings_table.py::test_endings",
        ),
    ),
    13: Trap("the view of one player contains another one's hand", (SIGHT,)),
    14: Trap("unknown cards are listed in the order of the stock", (SIGHT,)),
    15: Trap(
        "the discard of a knock vanishes",
        (
            f"{ENDS}::test_every_preset_ends_with_all_its_cards",
            f"{ENDS}::test_rich_and_short_deals_end",
        ),
    ),
    16: Trap(
        "a knock may throw back the card just taken",
        ("rules/test_deal.py::test_taken_card_stays_this_turn",),
    ),
    17: Trap(
        "crashes and wrong points at the end of a deal",
        (
            f"{ENDS}::test_games_under_all_fields_end",
            "rules/test_proofs_points.py::test_played_deals_are_scored_as_written",
        ),
    ),
    18: Trap(
        "wrong lists of cards to knock or go gin with",
        (
            f"{MODEL}::test_deals_under_all_fields_go_alike",
            "rules/test_deal.py::test_offered_is_what_is_accepted",
        ),
    ),
    19: Trap(
        "rewards that ignore the opponent",
        (
            "rules/test_proofs_points.py::test_games_add_up_as_written",
            "referee/test_pettingzoo_env.py::test_rewards_of_an_episode_add_up_to_nothing",
        ),
    ),
    20: Trap(
        "scoring is an action that players are asked for",
        (f"{HERE}::test_nobody_is_asked_to_score",),
    ),
    21: Trap(
        "hands without a bound, then a cap that no rule knows",
        (
            f"{ENDS}::test_rich_and_short_deals_end",
            f"{ENDS}::test_traders_are_ended_by_the_caps",
        ),
    ),
    22: Trap("too slow", (), "a matter of `make bench`, which compares ratios in one run"),
    23: Trap(
        "the number of players cannot be asked for",
        (
            f"{HERE}::test_the_number_of_players_is_told",
            "referee/test_pettingzoo_env.py::test_pettingzoos_own_test",
        ),
    ),
    24: Trap(
        "what was configured is lost with a seeded reset",
        (f"{HERE}::test_a_seeded_reset_keeps_the_rules",),
    ),
    25: Trap(
        "a layoff does not see that the meld has grown",
        (
            "rules/test_layoff.py::test_layoffs_chain_on_a_run",
            "rules/test_layoff.py::test_order_of_named_cards_does_not_matter",
            f"{MODEL}::test_layoffs_are_chosen_alike",
        ),
    ),
    26: Trap(
        "a meld that cannot be read crashes the game",
        (
            "rules/test_script.py::test_texts_that_cannot_be_read",
            "rules/test_deal.py::test_declared_melds_must_be_melds_of_the_hand",
            "referee/live/test_messages.py::test_what_does_not_parse_is_refused_in_band",
        ),
    ),
    27: Trap(
        "cards are left over from the deal before",
        (f"{ENDS}::test_nothing_is_left_of_the_deal_before",),
    ),
    28: Trap(
        "cards are declared that are not held, and a run of five counts as two melds",
        (
            "rules/test_deal.py::test_declared_melds_must_be_melds_of_the_hand",
            f"{HERE}::test_a_long_run_is_one_meld",
        ),
    ),
    29: Trap(
        "gin is taken for too high to knock with",
        ("rules/test_melds.py::test_hands_that_another_engine_took_for_no_gin",),
    ),
    30: Trap(
        "a target reached by an undercut gives the bonus to the knocker",
        (f"{HERE}::test_an_undercut_that_reaches_the_target_wins",),
    ),
    31: Trap(
        "high aces make sets of K K A",
        (
            "rules/test_melds.py::test_melds_that_there_are",
            "rules/test_layoff.py::test_high_ace_is_laid_above_the_king",
        ),
    ),
    32: Trap(
        "a box bonus is announced and never added",
        (
            "rules/test_game.py::test_boxes_are_added_to_the_total_at_the_end",
            "rules/test_proofs_points.py::test_games_add_up_as_written",
        ),
    ),
    33: Trap(
        "the shuffle ignores its seed, and the upcard its place",
        (
            "referee/test_deck.py::test_known_answers",
            "referee/test_deck.py::test_everything_that_goes_in_counts",
            "rules/test_proofs_decks.py::test_every_place_is_uniform",
        ),
    ),
    34: Trap(
        "melds are changed by layoffs before they are reported",
        ("rules/test_deal.py::test_layoffs_do_not_change_the_declared_melds",),
    ),
    35: Trap(
        "melds first and layoffs second, where both together leave less",
        (
            "rules/test_layoff.py::test_an_own_meld_is_broken_where_that_leaves_less",
            f"{MODEL}::test_layoffs_are_chosen_alike",
        ),
    ),
    36: Trap(
        "two players trade discards for ever",
        (f"{ENDS}::test_traders_are_ended_by_the_caps",),
    ),
    37: Trap(
        "the dealer after a void deal, and bonuses of a game that were left on",
        (
            "rules/test_game.py::test_dealer_after_a_void_deal",
            "rules/test_rulesets.py::test_presets_hold_the_values_of_the_rules",
            f"{MODEL}::test_whole_games_go_alike",
        ),
    ),
    38: Trap(
        "tables of values keyed by the rules but not by who deals next",
        ("rules/test_proofs_symmetry.py::test_a_turned_table_plays_games_alike",),
        "the only tables are of melds, keyed by the one field that changes them",
    ),
}
