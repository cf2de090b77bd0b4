import { isTransient } from "../../client/errors.ts";
import { asClause, counted } from "../../engine/reasons/sentence.ts";
import { explainError } from "../explain-error.ts";
import type { StepContext } from "../step.ts";
import type { Judged } from "./outcomes.ts";

/** In milliseconds. All reports are uploaded again each time, so large ones are uploaded less often. */
const pauses = { first: 15_000, later: 30_000, perMiB: 5_000 };

interface RepeatedUpload {
  /** Uploads the same reports again. */
  readonly repeat: () => Promise<Judged>;
  /** The size of the reports, in bytes. */
  readonly size: number;
  /** The maximum time to wait, in milliseconds. */
  readonly waitMs: number;
}

/**
 * Repeats an upload as long as other shards of its run, which may have the tests that are missing in it, have not reported. Returns the
 * last answer, even if the service stops answering.
 */
export async function awaitShards(
  first: Judged,
  { repeat, size, waitMs }: RepeatedUpload,
  { clock, runner, signal }: Pick<StepContext, "clock" | "runner" | "signal">,
): Promise<Judged> {
  if (!first.awaited_shards || waitMs === 0) return first;
  const [shards, limit] = [counted(first.awaited_shards, "shard"), counted(waitMs / 60_000, "minute")];
  runner.log(
    `Tests are missing here that may have run in ${shards} of this run without a report yet. Waiting for at most ${limit} (input wait-for-shards).`,
  );
  const start = clock.now();
  let last = first;
  const ended = (why: string) => {
    runner.log(`The wait ended after ${Math.round((clock.now() - start) / 1_000)} s: ${why}.`);
    return last;
  };
  for (let left = waitMs, pause = pauses.first; left > 0; pause = pauses.later) {
    const slept = Math.min(pause + (size / 2 ** 20) * pauses.perMiB, left);
    await clock.sleep(slept, signal);
    if (signal.aborted) return ended("the workflow was cancelled");
    try {
      last = await repeat();
      if (!last.awaited_shards) return ended(`the verdict is ${last.verdict}`);
    } catch (error) {
      if (!isTransient(error)) return ended(asClause(explainError(error, null).message));
      runner.log(`${error.message} Still waiting.`);
    }
    // A timer may fire a little early, so the time is read.
    left = slept < left ? start + waitMs - clock.now() : 0;
  }
  return ended(`${counted(last.awaited_shards ?? 0, "shard has", "shards have")} not reported`);
}
