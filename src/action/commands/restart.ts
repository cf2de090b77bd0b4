import { describeEntry, entryOutputs } from "../describe-entry.ts";
import type { RestartInputs } from "../inputs.ts";
import type { Outcome, Step } from "../step.ts";
import { renderChain } from "../summary.ts";

/** Restarts the tests of the pull request, which keeps its position. The service refuses this if it is not being tested. */
export async function restart({ dryRun }: RestartInputs, { client, subject }: Step): Promise<Outcome> {
  const { queue, pr } = subject;
  if (dryRun) {
    const message = `Would test #${pr} again in the queue of ${queue.targetBranch}.`;
    return { verdict: "dry-run", isFailure: false, title: "Dry run", message, outputs: {}, details: [] };
  }
  const entry = await client.restartTestsOnPullRequest({ ...queue, pr: { number: pr } });
  return {
    verdict: "restarted",
    isFailure: false,
    title: "Restarted",
    message: `#${pr} is tested again: ${describeEntry(entry)}.`,
    outputs: entryOutputs(entry),
    details: renderChain(entry),
  };
}
