import { asksAgain, type LabellingParts } from "./keep-labelling.ts";
import { waitWhile } from "./wait-while.ts";

const thinkMs = 20_000;

/** Enables auto-merge on a pull request. Does so again whenever a comment asks for it, as long as the pull request is wanted. */
export async function keepAutoMerging(
  pr: number,
  isWanted: () => boolean,
  { time, host, patienceMs }: LabellingParts,
): Promise<void> {
  do {
    if (host.autoMerge.enabledAt(pr) !== null) {
      host.setAutoMerge(pr, false);
      await time.pause(1_000);
    }
    const before = shown();
    host.setAutoMerge(pr, true);
    await waitWhile(time, () => shown() === before && isWanted(), patienceMs());
    await waitWhile(time, () => !asksAgain(pr, host) && isWanted(), patienceMs());
    await time.pause(thinkMs);
  } while (isWanted() && asksAgain(pr, host));

  function shown(): string | undefined {
    const [comment] = host.shown.commentsOn(pr);
    return comment;
  }
}
