/**
 * How a bot's exception is printed: what was asked, the bot's own lines, and the message last.
 *
 * `node --enable-source-maps` is what makes the lines those of the source.
 */

import { basename } from "node:path";

const OURS = /[/\\](?:knockbox|node_modules)[/\\]|\(?node:/;

/** The exception as text: its causes first, as they happened first. */
export function report(error: unknown, context: string): string {
  return [context, ...lines(error, new Set())].join("\n");
}

function lines(error: unknown, seen: Set<unknown>): string[] {
  if (!(error instanceof Error)) return [`thrown: ${String(error)}`];
  seen.add(error);
  const cause = error.cause === undefined || seen.has(error.cause) ? [] : lines(error.cause, seen);
  const stack = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const own = stack.filter((line) => !OURS.test(line));
  return [...cause, ...own, `${error.name || basename(process.argv[1])}: ${error.message}`];
}
