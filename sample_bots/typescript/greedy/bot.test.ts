/** What the bot does where it has a choice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { stateOf } from "knockbox/testing";
import { bot } from "./bot";

test("it knocks as soon as it may, with what leaves least", () => {
  const discards = { KC: 8, QD: 9, "2S": 17 } as const;
  const state = stateOf({ phase: "discard", discards, knocks: { KC: 8, QD: 9 } });
  assert.equal(String(bot(state)), "knock KC");
});

test("it discards what leaves least, the highest rank among equals", () => {
  const state = stateOf({ phase: "discard", discards: { "9C": 20, KD: 20, "2S": 28 } });
  assert.equal(String(bot(state)), "discard KD");
});

test("it takes the pile's top only where that lowers its count", () => {
  const draw = { phase: "draw", may_take: true, may_draw: true, top: "5D", deadwood: 30 } as const;
  assert.equal(String(bot(stateOf({ ...draw, deadwood_if_taken: 29 }))), "take");
  assert.equal(String(bot(stateOf({ ...draw, deadwood_if_taken: 30 }))), "draw");
});

test("it declines an upcard that does not help, and lays off at best", () => {
  const offer = { phase: "offer", may_take: true, may_decline: true, top: "KH" } as const;
  assert.equal(String(bot(stateOf({ ...offer, deadwood: 30, deadwood_if_taken: 30 }))), "decline");
  assert.equal(String(bot(stateOf({ phase: "layoff", may_lay_off: true }))), "layOff");
});
