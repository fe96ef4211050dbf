/**
 * Play Oklahoma Gin on Knockbox. A bot is a function from a state to an action:
 *
 *     import { run, type Action, type State } from "knockbox";
 *
 *     export function bot(state: State): Action {
 *       if (state.knocks.size) return state.knock(state.bestKnock);
 *       if (state.discards.length) return state.discard(state.bestDiscard);
 *       if (state.mayTake && state.deadwoodIfTaken < state.deadwood) return state.take();
 *       return state.otherwise();
 *     }
 *
 *     run(bot);
 *
 * This folder is all there is: copy it beside the bot. What a state has: view.ts. What a bot can
 * answer: state.ts. States for a bot's own tests: question.ts.
 */

export { Action, IllegalAction, type Kind } from "./actions";
export type { DealResult, Spread } from "./board";
export { CARDS, RANKS, SUITS, rank, suit, type Card, type Rank, type Suit } from "./cards";
export { run, type Bot, type Factory, type Settings } from "./run";
export { question, type Facts } from "./question";
export { State } from "./state";
export type { Phase } from "./view";
