import { isTransient } from "../../client/errors.ts";
import { type Followed, follow, loadSubmitted, neverSubmitted, verdictOf } from "../follow.ts";
import { type CheckRunContent, CheckRunMirror } from "../github/check-run.ts";
import type { StatusInputs } from "../inputs.ts";
import type { Entry, Outcome, Step } from "../step.ts";
import type { Subject } from "../subject.ts";
import { describeEntry, entryOutputs, renderChain, stateText } from "../summary.ts";

/**
 * If a label or comment started this workflow, the bot may be submitting the pull request because of it at this moment. So a missing pull
 * request is looked up again during this time.
 */
const graceMs = 30_000;
const gracePauseMs = 1_000;

/** A new state must appear in the check's title within five seconds. One of them is left for the calls. */
const longestPauseMs = 4_000;

/** Mirrors the queue's state of the pull request to a check run until it has left the queue. */
export async function status({ dryRun, timeoutMs }: StatusInputs, step: Step): Promise<Outcome> {
  const { subject, github, runner } = step;
  const entry = await awaitSubmission(step, Math.min(graceMs, timeoutMs));
  const mirror = github && !dryRun ? new CheckRunMirror(github, subject.queue.repo) : null;
  if (entry === null) {
    if (subject.headSha !== null) await mirror?.show(neverSubmittedCheck(subject, subject.headSha));
    return neverSubmitted(step, "there is nothing to follow");
  }
  // The first call must succeed; later, GitHub may be unavailable for a while.
  await mirror?.show(renderCheck(entry, subject));
  const show = async (seen: Entry) => {
    await mirror?.show(renderCheck(seen, subject)).catch((error: unknown) => {
      if (!isTransient(error)) throw error;
      runner.log(`${error.message} The check will be updated later.`);
    });
  };
  const followed = await follow(entry, step, { timeoutMs, longestPauseMs, show });
  if (followed.ended === "terminal") await mirror?.show(renderCheck(followed.entry, subject));
  else await mirror?.show(unfollowedCheck(followed.entry, subject, followed.ended));
  return outcomeOf(followed);
}

/** Waits until the pull request is in the queue or merged. Returns its entry as last seen; null when it was never submitted. */
async function awaitSubmission(step: Step, patienceMs: number): Promise<Entry | null> {
  const { clock, signal, runner, subject } = step;
  const deadline = clock.now() + patienceMs;
  for (let looks = 1; ; looks++) {
    const entry = await loadSubmitted(step);
    const isFinal = entry?.isCurrentlySubmittedToQueue || entry?.state === "merged";
    if (isFinal || clock.now() >= deadline || signal.aborted) return entry;
    if (looks === 1)
      runner.log(`#${subject.pr} is not in the queue; waiting in case it is just being submitted.`);
    await clock.sleep(Math.min(gracePauseMs, deadline - clock.now()), signal);
  }
}

function outcomeOf({ entry, ended }: Followed): Outcome {
  const message = `#${entry.prNumber} is ${describeEntry(entry)}.`;
  return {
    verdict: verdictOf({ entry, ended }),
    isFailure: false,
    title: ended === "terminal" ? "Followed to the end" : "No longer followed",
    message: ended === "timeout" ? `${message} To follow it for longer, set timeout-minutes.` : message,
    outputs: entryOutputs(entry),
    details: renderChain(entry),
  };
}

/** The maximum number of characters of a title that GitHub shows. */
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
function unfollowedCheck(entry: Entry, subject: Subject, why: "timeout" | "interrupted"): CheckRunContent {
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

function neverSubmittedCheck(subject: Subject, headSha: string): CheckRunContent {
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

function checkStatus({
  state,
  merged,
  isCurrentlySubmittedToQueue,
}: Entry): Pick<CheckRunContent, "status" | "conclusion"> {
  switch (state) {
    case "not_ready":
    case "pending":
      return { status: "queued", conclusion: null };
    case "testing":
    case "tests_passed":
    case "pending_failure":
      return { status: "in_progress", conclusion: null };
    case "merged":
      // Without a proof, the branch may not contain exactly what was tested.
      return { status: "completed", conclusion: merged && merged.proof === null ? "failure" : "success" };
    case "failed":
      return { status: "completed", conclusion: "failure" };
    case "cancelled":
      return { status: "completed", conclusion: "cancelled" };
    default:
      // A state of a newer service. `neutral` would satisfy a required check.
      return isCurrentlySubmittedToQueue
        ? { status: "in_progress", conclusion: null }
        : { status: "completed", conclusion: "cancelled" };
  }
}
