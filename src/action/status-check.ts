import { describeEntry, stateText } from "./describe-entry.ts";
import type { CheckRunContent } from "./github/check-run.ts";
import type { Entry } from "./step.ts";
import type { Subject } from "./subject.ts";
import { renderChain } from "./summary.ts";

/** GitHub shows no more characters of a title. */
const maxTitle = 250;

/** The check run that mirrors an entry. The App's own check is called `Trainyard (…)`. */
export function renderCheck(entry: Entry, subject: Subject): CheckRunContent {
  return {
    ...identity(subject, entry.prSha),
    ...checkStatus(entry),
    title: describeEntry(entry).slice(0, maxTitle),
    summary: renderChain(entry).join("\n"),
  };
}

/** The check run after the step has stopped following the entry. Without it, the check would stay in progress for ever. */
export function unfollowedCheck(
  entry: Entry,
  subject: Subject,
  why: "timeout" | "interrupted",
): CheckRunContent {
  const cause = why === "timeout" ? "it reached its timeout" : "it was cancelled";
  return {
    ...identity(subject, entry.prSha),
    status: "completed",
    conclusion: "neutral",
    title: `${stateText(entry)} when last seen`,
    summary: [
      `The workflow ended because ${cause}; the pull request stays in the queue. Run the job again to follow it further.`,
      "",
      ...renderChain(entry),
    ].join("\n"),
  };
}

export function neverSubmittedCheck(subject: Subject, headSha: string): CheckRunContent {
  return {
    ...identity(subject, headSha),
    status: "completed",
    conclusion: "neutral",
    title: "not in the queue",
    summary: `#${subject.pr} was never submitted to the queue of ${subject.queue.targetBranch}.`,
  };
}

function identity({ queue, pr }: Subject, headSha: string) {
  const { targetBranch } = queue;
  return {
    name: `Trainyard queue (${targetBranch})`,
    headSha,
    externalId: `trainyard-queue:${targetBranch}#${pr}`,
  };
}

function checkStatus({ state, merged }: Entry): Pick<CheckRunContent, "status" | "conclusion"> {
  switch (state) {
    case "not_ready":
    case "pending":
      return { status: "queued", conclusion: null };
    case "testing":
    case "tests_passed":
    case "pending_failure":
      return { status: "in_progress", conclusion: null };
    case "merged":
      // Without a proof, the branch does not hold exactly what was tested.
      return { status: "completed", conclusion: merged && merged.proof === null ? "failure" : "success" };
    case "failed":
      return { status: "completed", conclusion: "failure" };
    case "cancelled":
      return { status: "completed", conclusion: "cancelled" };
  }
}
