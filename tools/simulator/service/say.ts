import type { PersonsComment, VirtualComments } from "./virtual-comments.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { VirtualWebhooks } from "./virtual-webhooks.ts";
import { waitWhile } from "./wait-while.ts";

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
