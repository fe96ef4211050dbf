"""What the bot answers to a few questions: `python3 -m unittest`, in this folder."""

import unittest

from bot import bot
from knockbox_sdk import question

ELEVEN = "AC 2C 3C KC 4D QD 4H 4S 7S 8S 9S"
TEN = "AC 2C 3C 5C 4D QD 4H 7S 8S KS"


class Greedy(unittest.TestCase):
    """One test for each line of the bot."""

    def test_it_knocks_as_soon_as_it_may(self):
        """Of two knocks the one that leaves less."""
        state = question(
            "discard", ELEVEN, discards={"QD": 10, "KC": 10}, knocks={"QD": 9, "KC": 8}
        )
        self.assertEqual(bot(state), state.knock("KC"))

    def test_it_keeps_the_least_deadwood(self):
        """Where two discards leave the same, the higher card goes."""
        state = question("discard", ELEVEN, discards={"9S": 30, "QD": 22, "KC": 22})
        self.assertEqual(bot(state), state.discard("KC"))

    def test_it_takes_what_lowers_its_count(self):
        """The top of the pile where it helps, else a card from the stock."""
        state = question("draw", TEN, top="6C", deadwood=41, deadwood_if_taken=31)
        self.assertEqual(bot(state), state.take())
        state = question("draw", TEN, top="KH", deadwood=41, deadwood_if_taken=41)
        self.assertEqual(bot(state), state.draw())

    def test_it_leaves_an_upcard_that_does_not_help(self):
        """The first card on offer is declined then."""
        state = question("offer", TEN, top="KH", deadwood=41, deadwood_if_taken=41)
        self.assertEqual(bot(state), state.decline())


if __name__ == "__main__":
    unittest.main()
