/**
 * Plays one leg: connects, asks the bot, answers the referee. The only module that knows gRPC.
 *
 * The loop knows nothing of clocks and chance: the same questions get the same answers. Time is
 * used to wait for a referee that is not there yet.
 */

import { credentials, status, type ServiceError } from "@grpc/grpc-js";
import { setTimeout as pause } from "node:timers/promises";
import { Action, toMessage } from "./actions";
import { Board, resultOf, type DealResult } from "./board";
import { context, noAnswer, refusal } from "./explain";
import { State } from "./state";
import {
  PlayServiceClient,
  Reason,
  RefusalCode,
  type DealOver,
  type DealStarted,
  type PlayRequest,
  type PlayResponse,
  type Ready,
  type Turn,
  type Turns,
} from "./stubs/play";
import type { Ruleset } from "./stubs/rules";
import type { Seat } from "./view";

const SDK = "knockbox-typescript/1";
const PROTOCOL = 1;
const START_MS = 10_000;
const RECONNECTIONS = 20;
const OPTIONS = {
  "grpc.default_authority": "localhost",
  "grpc.use_local_subchannel_pool": 1,
  "grpc.enable_http_proxy": 0,
  "grpc.enable_retries": 0,
};
const LOST = [status.UNAVAILABLE, status.UNKNOWN, status.INTERNAL, status.CANCELLED];

/** A bot: from what is seen to an answer. */
export type Bot = (state: State) => Action;

/** A bot with a memory: one object a game. */
export interface Player {
  answer(state: State): Action;
  dealOver?(result: DealResult): void;
}

/** Makes what plays one game. */
export type Factory = (() => Bot | Player) | (new () => Player);

/** The leg has no result. */
export class LegFault extends Error {}

/** The bot threw: the message says what it was asked, the cause is what it threw. */
export class BotFault extends Error {}

interface Game {
  readonly board: Board;
  readonly player: Player;
}

/** One leg of a match for one seat, over as many connections as it takes. */
export class Leg {
  private readonly games = new Map<number, Game>();
  private seat?: Seat;
  private over = false;
  private last = new Map<number, Action>();

  constructor(
    private readonly factory: () => Bot | Player,
    private readonly ready: Ready,
  ) {}

  /** Play to the end. Rejects with LegFault where there is none, and with BotFault. */
  async play(address: string, ticket: string): Promise<void> {
    const deadline = performance.now() + START_MS;
    for (let lost = 0; !this.over;) {
      try {
        await this.connect(address, ticket);
        if (!this.over) throw new LegFault("the referee ended the leg without a result");
      } catch (error) {
        if (!isStatus(error)) throw error;
        if (this.over) return;
        if (this.seat) lost += 1;
        const late = this.seat ? lost > RECONNECTIONS : performance.now() > deadline;
        if (late || !LOST.includes(error.code)) {
          throw new LegFault(`${status[error.code]}: ${error.details}`);
        }
        await pause(this.seat ? 100 : 50);
      }
    }
  }

  private async connect(address: string, ticket: string): Promise<void> {
    const client = new PlayServiceClient(address, credentials.createInsecure(), OPTIONS);
    const call = client.play();
    const join = { ticket, sdk: SDK, protocol: PROTOCOL };
    call.write({ message: { $case: "join", value: join } });
    try {
      for await (const response of call) {
        const request = this.answer(response as PlayResponse);
        if (request) call.write(request);
        else call.end();
      }
    } finally {
      client.close();
    }
  }

  /** The request that follows a response; none half-closes. */
  private answer({ message }: PlayResponse): PlayRequest | undefined {
    switch (message?.$case) {
      case "turns":
        return { message: { $case: "actions", value: { actions: this.decide(message.value) } } };
      case "welcome": {
        const { seat, rules, clock } = message.value;
        this.seat = { seat, rules: rules as Ruleset, untimed: clock?.untimed ?? false };
        return { message: { $case: "ready", value: this.ready } };
      }
      case "matchOver": {
        const { reason } = message.value;
        this.hear(message.value);
        this.over = true;
        if (reason !== Reason.PLAYED) {
          console.error(`knockbox: the leg ended by ${Reason[reason].toLowerCase()}`);
        }
      }
    }
    return undefined;
  }

  private decide(turns: Turns) {
    for (const { decision, code } of turns.refused) {
      const answer = decision === undefined ? undefined : this.last.get(decision);
      console.error(refusal(answer, RefusalCode[code].toLowerCase()));
    }
    this.hear(turns);
    const actions = turns.turns.map((turn) => this.ask(turn, turns.clockLeftMs));
    this.last = new Map(actions.map((action) => [action.decision, action]));
    return actions.map(toMessage);
  }

  /** The bot's answer, checked to be one. */
  private ask(turn: Turn, clockLeftMs: number): Action {
    const { board, player } = this.games.get(turn.board) as Game;
    board.hear(turn);
    const state = new State(this.seat as Seat, board, turn, clockLeftMs);
    try {
      const action: unknown = player.answer(state);
      if (!(action instanceof Action) || action.decision !== turn.decision) {
        throw noAnswer(state, action);
      }
      return action;
    } catch (error) {
      throw new BotFault(context(state), { cause: error });
    }
  }

  private hear(message: { dealsStarted: DealStarted[]; dealsOver: DealOver[] }): void {
    for (const deal of message.dealsStarted) {
      const game = this.games.get(deal.board);
      if (game) game.board.begin(deal);
      else this.games.set(deal.board, { board: new Board(deal), player: this.newPlayer() });
    }
    for (const deal of message.dealsOver) {
      this.games.get(deal.board)?.player.dealOver?.(resultOf(deal));
    }
  }

  private newPlayer(): Player {
    const made = this.factory();
    return typeof made === "function" ? { answer: made } : made;
  }
}

function isStatus(error: unknown): error is ServiceError {
  return error instanceof Error && "details" in error && "metadata" in error;
}
