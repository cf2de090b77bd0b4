import type { VirtualCodeHost } from "./virtual-code-host.ts";
import { submitLabel } from "./virtual-labels.ts";
import type { VirtualTime } from "./virtual-time.ts";

const lookMs = 5_000;
const thinkMs = 20_000;
/** How long people wait for a comment that says why the label was removed. */
const patienceMs = 900_000;

export interface LabellingParts {
  readonly time: VirtualTime;
  readonly host: VirtualCodeHost;
}

/** Puts the label on a pull request, again whenever it is refused, until the pull request leaves the queue or is not wanted any more. */
export async function keepLabelling(
  pr: number,
  isWanted: () => boolean,
  { time, host }: LabellingParts,
): Promise<void> {
  const isOn = () => host.labels.of(pr).includes(submitLabel);
  do {
    // It is there still if nobody noticed it before the pull request was closed.
    if (isOn()) host.label(pr, "unlabeled", submitLabel, "alice");
    await time.pause(1_000);
    host.label(pr, "labeled", submitLabel, "alice");
    await waitWhile(() => isOn() && isWanted(), Number.POSITIVE_INFINITY);
    await waitWhile(() => !isRefused(pr, host) && isWanted(), patienceMs);
    await time.pause(thinkMs);
  } while (isWanted() && isRefused(pr, host));

  async function waitWhile(holds: () => boolean, mostMs: number): Promise<void> {
    for (let waitedMs = 0; holds() && waitedMs < mostMs; waitedMs += lookMs) await time.pause(lookMs);
  }
}

function isRefused(pr: number, { comments }: VirtualCodeHost): boolean {
  const [comment = ""] = comments.get(pr)?.values() ?? [];
  return comment.includes("was removed again");
}
