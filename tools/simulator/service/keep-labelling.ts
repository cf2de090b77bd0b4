import type { VirtualCodeHost } from "./virtual-code-host.ts";
import { submitLabel } from "./virtual-labels.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { waitWhile } from "./wait-while.ts";

const thinkMs = 20_000;
/** What comments say when the label or auto-merge was refused, or when the pull request is not in the queue, except after a failure. */
const asking = [
  "was removed again",
  "Auto-merge itself is still enabled",
  "Comment `/trainyard merge` to",
] as const;

export interface LabellingParts {
  readonly time: VirtualTime;
  readonly host: VirtualCodeHost;
  /** How long people wait from now on until the service shows something. */
  readonly patienceMs: () => number;
}

/** Puts the label on a pull request. Does so again whenever a comment asks for it, as long as the pull request is wanted. */
export async function keepLabelling(
  pr: number,
  isWanted: () => boolean,
  { time, host, patienceMs }: LabellingParts,
): Promise<void> {
  const isOn = () => host.labels.of(pr).includes(submitLabel);
  do {
    // It is there still if nobody noticed it before the pull request was closed.
    if (isOn()) host.label(pr, "unlabeled", submitLabel, "alice");
    await time.pause(1_000);
    host.label(pr, "labeled", submitLabel, "alice");
    await waitWhile(time, () => isOn() && isWanted());
    await waitWhile(time, () => !asksAgain(pr, host) && isWanted(), patienceMs());
    await time.pause(thinkMs);
  } while (isWanted() && asksAgain(pr, host));
}

/** Whether a comment asks to submit the pull request again. */
export function asksAgain(pr: number, { shown }: VirtualCodeHost): boolean {
  const [comment = ""] = shown.commentsOn(pr);
  return asking.some((text) => comment.includes(text));
}
