/** What the bot answers to a few questions. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { question } from "knockbox";
import { bot } from "./bot";

const ELEVEN = "AC 2C 3C KC 4D QD 4H 4S 7S 8S 9S";
const TEN = "AC 2C 3C 5C 4D QD 4H 7S 8S KS";

test("it knocks as soon as it may: of two knocks the one that leaves less", () => {
  const after = { discards: { QD: 10, KC: 10 }, knocks: { QD: 9, KC: 8 } };
  const state = question("discard", ELEVEN, after);
  assert.deepEqual(bot(state), state.knock("KC"));
});

test("it keeps the least deadwood: of two equal discards the higher card goes", () => {
  const state = question("discard", ELEVEN, { discards: { "9S": 30, QD: 22, KC: 22 } });
  assert.deepEqual(bot(state), state.discard("KC"));
});

test("it takes what lowers its count, else a card from the stock", () => {
  const helps = question("draw", TEN, { top: "6C", deadwood: 41, deadwoodIfTaken: 31 });
  assert.deepEqual(bot(helps), helps.take());
  const idle = question("draw", TEN, { top: "KH", deadwood: 41, deadwoodIfTaken: 41 });
  assert.deepEqual(bot(idle), idle.draw());
});

test("it leaves an upcard that does not help", () => {
  const state = question("offer", TEN, { top: "KH", deadwood: 41, deadwoodIfTaken: 41 });
  assert.deepEqual(bot(state), state.decline());
});
