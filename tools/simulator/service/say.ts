import type { PersonsComment, VirtualComments } from "./virtual-pull-requests.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { VirtualWebhooks } from "./virtual-webhooks.ts";

/** How long people think about a refusal. */
const thinkMs = 20_000;

export interface SayParts {
  readonly time: VirtualTime;
  readonly comments: VirtualComments;
  readonly webhooks: VirtualWebhooks;
}

/** Comments once, and waits for a reaction. Returns whether the command was carried out. */
export async function say(pr: number, body: string, parts: SayParts): Promise<boolean> {
  const { time, comments, webhooks } = parts;
  const comment = comments.post(pr, body, time.now());
  webhooks.commented(comment);
  await waitWhile(time, () => !isAnswered(comment, comments));
  return comments.reactionsTo(comment).has("thumbs_up");
}

/** Comments until the command is carried out, or not wanted any more. */
export async function keepSaying(
  pr: number,
  body: string,
  isWanted: () => boolean,
  parts: SayParts,
): Promise<void> {
  while (!(await say(pr, body, parts))) {
    await parts.time.pause(thinkMs);
    if (!isWanted()) return;
  }
}

export function isAnswered(comment: PersonsComment, comments: VirtualComments): boolean {
  return comments.reactionsTo(comment).size > 0;
}

/** How often people look, at first and after half an hour. */
const lookMs = 5_000;
const laterLookMs = 120_000;
const laterMs = 30 * 60_000;

/** Waits as a person does who looks from time to time: while something holds, or for `mostMs`. */
export async function waitWhile(
  time: VirtualTime,
  holds: () => boolean,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let waitedMs = 0; holds() && waitedMs < mostMs; ) {
    const ms = waitedMs < laterMs ? lookMs : laterLookMs;
    await time.pause(ms);
    waitedMs += ms;
  }
}
