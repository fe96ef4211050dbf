/** Where a bot's program begins: what it needs to know, and how it ends. */

import { randomBytes } from "node:crypto";
import { report } from "./crash";
import { BotFault, Leg, LegFault, type Bot, type Factory } from "./leg";

export type { Bot, Factory };

export interface Settings {
  /** Most games wanted at once; 0: no limit. */
  maxBoards?: number;
  /** Without it the referee sends no deadwood. */
  wantDeadwood?: boolean;
}

const BY_HAND = `This program is a Knockbox bot: Knockbox starts it and tells it where the referee is
(KNOCKBOX_REFEREE, KNOCKBOX_TICKET). To see it play:

    knockbox match THIS_FOLDER OTHER_BOTS_FOLDER`;

/**
 * Play the leg that Knockbox started this program for; the promise is kept when it is over.
 *
 * `bot` is a function that takes the state and returns an action. Or it is a class, or a function
 * without parameters: then it is called once a game, and what it makes plays that game: a function
 * again, or an object with a method `answer(state)` and, if it wants to hear how each deal ended,
 * `dealOver(result)`. Where the bot throws or the leg breaks off the program ends with code 1.
 */
export function run(
  bot: (state: Parameters<Bot>[0]) => ReturnType<Bot>,
  settings?: Settings,
): Promise<void>;
export function run(factory: Factory, settings?: Settings): Promise<void>;
export async function run(bot: Bot | Factory, settings: Settings = {}): Promise<void> {
  const { KNOCKBOX_REFEREE: address, KNOCKBOX_TICKET: ticket } = process.env;
  if (!address || !ticket) return end(BY_HAND);
  const ready = {
    nonce: randomBytes(16),
    maxBoards: settings.maxBoards ?? 0,
    wantDeadwood: settings.wantDeadwood ?? true,
  };
  try {
    await new Leg(factoryOf(bot), ready).play(address, ticket);
  } catch (error) {
    if (error instanceof BotFault) return end(report(error.cause, error.message));
    if (error instanceof LegFault) return end(`knockbox: ${error.message}`);
    throw error;
  }
}

/** What makes the bot of each board. */
function factoryOf(bot: Bot | Factory): () => ReturnType<Extract<Factory, () => unknown>> {
  if (typeof bot !== "function") {
    throw new TypeError(`run() takes a function or a class, not ${JSON.stringify(bot)}`);
  }
  if (typeof bot.prototype?.answer === "function") {
    const Player = bot as Extract<Factory, new () => unknown>;
    return () => new Player();
  }
  return bot.length ? () => bot as Bot : (bot as Extract<Factory, () => unknown>);
}

function end(words: string): never {
  console.error(words);
  process.exit(1);
}
