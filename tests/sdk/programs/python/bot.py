"""Writes all that it is told to stdout, a line of JSON each, and answers by `chance`."""

import json

from knockbox_sdk import run


class Conformance:
    """One game."""

    def __call__(self, state):
        """One of the legal answers."""
        print(state.json())
        return state.legal[state.chance % len(state.legal)]

    def deal_over(self, result):
        """How a deal ended, without the hands."""
        told = result._asdict()
        del told["hands"]
        print(json.dumps({"deal_over": told}, separators=(",", ":")))


run(Conformance)
