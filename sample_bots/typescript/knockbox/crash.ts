/**
 * How a bot's exception is printed: what was asked, the bot's own lines, and the message last.
 *
 * `node --enable-source-maps` is what makes the lines those of the source.
 */

// Where this SDK lies, as traces name it; undefined where they know the bundle alone.
const HERE = /\(?(\S+)crash\.ts:\d/.exec(new Error().stack ?? "")?.[1];
const NOBODYS = ["node:", "node_modules", "<anonymous>"];

/** The exception as text: its causes first, as they happened first. */
export function report(error: unknown, context: string): string {
  return [context, ...lines(error, new Set())].join("\n");
}

function lines(error: unknown, seen: Set<unknown>): string[] {
  if (!(error instanceof Error)) return [`thrown: ${String(error)}`];
  seen.add(error);
  const cause = error.cause === undefined || seen.has(error.cause) ? [] : lines(error.cause, seen);
  const stack = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const others = HERE ? [...NOBODYS, HERE] : NOBODYS;
  const own = stack.filter((line) => !others.some((each) => line.includes(each)));
  return [...cause, ...own, `${error.name}: ${error.message}`];
}
