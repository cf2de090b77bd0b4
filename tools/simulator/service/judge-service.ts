import type { MergeQueues } from "../../../src/service/queues/merge-queues.ts";
import type { Outbox } from "../../../src/store/leased/outbox.ts";
import { type CodeHost, numberOf } from "../soak/code-host.ts";
import { isAnswered } from "./keep-submitting.ts";
import type { ReceivedWithdrawals } from "./received-withdrawals.ts";
import type { PlannedPullRequest, ServicePlan } from "./service-plan.ts";
import type { VirtualCodeHost } from "./virtual-code-host.ts";
import { submitLabel, type VirtualComments } from "./virtual-pull-requests.ts";
import { type BaseBranch, otherThan, type VirtualRepository } from "./virtual-repository.ts";
import type { VirtualRequirements } from "./virtual-requirements.ts";

interface Evidence {
  readonly plan: ServicePlan;
  readonly model: CodeHost;
  readonly host: VirtualCodeHost;
  readonly comments: VirtualComments;
  readonly queues: Pick<MergeQueues, "readEntries">;
  readonly repository: VirtualRepository;
  /** The branches that have queues. */
  readonly bases: readonly BaseBranch[];
  readonly outbox: Pick<Outbox, "depth">;
  readonly withdrawals: Pick<ReceivedWithdrawals, "overtaken">;
  readonly requirements: VirtualRequirements;
}

interface EntryEnd {
  readonly state: string;
  readonly reason: string;
  readonly headSha: string;
}

/** The end of a pull request in the queue of its base branch. If it was never there, its end in the other queue. */
interface End extends EntryEnd {
  readonly pr: PlannedPullRequest;
  /** Its end in the queue of its former base branch; null = it never was there. */
  readonly before: EntryEnd | null;
}

const neverQueued = "unknown";

const words: Readonly<Record<string, RegExp>> = {
  merged: /\bmerged\b/i,
  failed: /\bremoved from the queue\b/i,
  cancelled: /\bremoved from the queue\b/i,
};
const conclusions: Readonly<Record<string, string>> = {
  merged: "success",
  failed: "failure",
  cancelled: "cancelled",
};

/** Returns what is currently wrong: with the outcome, with what the code host shows, and unfinished work. */
export async function judgeService(evidence: Evidence): Promise<readonly string[]> {
  const { plan, host, comments, outbox } = evidence;
  const ends = await readEnds(evidence);
  if (typeof ends === "string") return [ends];
  const left = await outbox.depth();
  return [
    ...ends.flatMap((end) => judgeEnd(end, evidence)),
    ...ends.flatMap(judgeBefore),
    ...judgePairs(ends, plan),
    ...evidence.bases.flatMap((base) => judgeBase(base, evidence)),
    ...judgeDependencies(evidence),
    ...ends.flatMap((end) => judgeShown(host, end)),
    ...ends.flatMap((end) => judgeLabel(host, end, plan)),
    ...ends.flatMap((end) => judgeStateLabels(host, end, plan)),
    ...[...host.branches.keys()].map((name) => `the branch ${name} is left`),
    ...judgeAnswers(comments),
    ...host.shown.untrue,
    ...[...host.blindMerges].map(
      (pr) => `#${pr} was to be merged, although it was not known whether reviewers object`,
    ),
    ...evidence.withdrawals.overtaken,
    ...evidence.requirements.violations,
    ...(left > 0 ? [`${left} tasks are left`] : []),
  ];
}

/** Returns the ends of all pull requests, or why they cannot be read. */
async function readEnds({
  plan,
  model,
  queues,
  repository,
  bases,
}: Evidence): Promise<readonly End[] | string> {
  const prs = plan.pullRequests.map(({ number }) => number);
  const found = new Map<string, EntryEnd>();
  for (const base of bases) {
    const queue = { repo: repository.ref, branch: repository.nameOf(base) };
    const read = await queues.readEntries({ ...queue, prs });
    if (!read.ok) return `the queue of ${queue.branch} cannot be read: ${read.refusal.code}`;
    for (const { entry } of read.value.entries) {
      const { pr, state, headSha, reason } = entry;
      found.set(`${pr} in ${base}`, { state, headSha, reason: reason.code });
    }
  }
  return plan.pullRequests.map((pr) => {
    const { baseBranch } = model.pullRequest(pr.number);
    const current = found.get(`${pr.number} in ${baseBranch}`);
    const other = found.get(`${pr.number} in ${otherThan(baseBranch)}`);
    const end = current ?? other ?? { state: neverQueued, reason: "", headSha: "" };
    return { pr, ...end, before: current && other ? other : null };
  });
}

function judgeBefore({ pr: { number }, before }: End): string[] {
  if (before === null || before.state in words) return [];
  return [`#${number} has not left its former queue: ${before.state} (${before.reason})`];
}

function judgeEnd({ pr, state, reason }: End, { plan: { by }, model }: Evidence): string[] {
  const { number, ends } = pr;
  // It was merged before it was submitted.
  if (model.mergedByHand.has(number) && state === neverQueued) return [];
  // Its author had withdrawn it before the comment was read.
  if (by !== "api" && ends === "cancelled" && state === neverQueued) return [];
  if (!(state in words)) return [`#${number} has not ended: ${state} (${reason})`];
  if (typeof ends === "object" || state === ends) return [];
  // The merge was faster than the withdrawal.
  if (ends === "cancelled" && state === "merged") return [];
  return [`#${number} ended ${state} (${reason}) instead of ${ends}`];
}

/** Judges that one of each pair merges. The other can merge, too, after the base was reset to a commit without the first one. */
function judgePairs(ends: readonly End[], { rewinds }: ServicePlan): string[] {
  const most = rewinds.length > 0 ? 2 : 1;
  const pairs = Map.groupBy(
    ends.filter(({ pr }) => typeof pr.ends === "object"),
    ({ pr }) => (typeof pr.ends === "object" ? pr.ends.oneOf : ""),
  );
  return [...pairs].flatMap(([name, pair]) => {
    const merged = pair.filter(({ state }) => state === "merged").length;
    return merged >= 1 && merged <= most
      ? []
      : [`of ${name} exactly one must merge: ${pair.map(({ state }) => state)}`];
  });
}

/** Judges that the base was green at every commit, and contains each pull request at most once. */
function judgeBase(base: BaseBranch, { model }: Evidence): string[] {
  const wrong: string[] = [];
  const tip = model.tipOf(base);
  for (let sha: string | null = tip; sha !== null; sha = model.parentOf(sha))
    if (!model.isGreen(model.contentOf(sha))) wrong.push(`the base was red at ${sha}`);
  const numbers = model.contentOf(tip).map(numberOf);
  for (const number of new Set(numbers))
    if (numbers.filter((one) => one === number).length > 1) wrong.push(`#${number} was merged twice`);
  return wrong;
}

/** Judges that merges came after their dependencies. A base that was reset does not show the order any more. */
function judgeDependencies({ plan, model }: Evidence): string[] {
  if (plan.rewinds.length > 0) return [];
  return plan.pullRequests.flatMap(({ number, dependsOn }) => {
    if (dependsOn === null || model.mergedByHand.has(number)) return [];
    const merged = model.contentOf(model.tipOf(model.pullRequest(number).baseBranch)).map(numberOf);
    const [at, before] = [merged.indexOf(number), merged.indexOf(dependsOn)];
    return at >= 0 && (before < 0 || before > at) ? [`#${number} merged before #${dependsOn}`] : [];
  });
}

/** Describes each comment that the service has not reacted to. */
export function unanswered(comments: VirtualComments): string[] {
  return comments
    .all()
    .filter((comment) => !isAnswered(comment, comments))
    .map(({ pr, body }) => `${body} on #${pr} was never answered`);
}

function judgeAnswers(comments: VirtualComments): string[] {
  const contradicted = comments.all().filter((comment) => comments.reactionsTo(comment).size > 1);
  return [
    ...unanswered(comments),
    ...contradicted.map(({ pr, body }) => `${body} on #${pr} was carried out, and refused`),
  ];
}

/** Judges the label. The service removes it only from pull requests that it submitted; after a submission by comment it stays. */
function judgeLabel(
  host: VirtualCodeHost,
  { pr: { number }, state }: End,
  { commands }: ServicePlan,
): string[] {
  const isCommented = commands.some((one) => one.kind === "prioritise" && one.pr === number);
  return state !== neverQueued && host.labels.of(number).includes(submitLabel) && !isCommented
    ? [`#${number} is ${state}, and has the label still`]
    : [];
}

/** Judges that a pull request has the label of its state, if the queues set state labels. */
function judgeStateLabels(
  host: VirtualCodeHost,
  { pr: { number }, state }: End,
  { settings }: ServicePlan,
): string[] {
  if (!settings.stateLabelsEnabled || state === neverQueued) return [];
  const shown = host.labels.of(number).filter((label) => label !== submitLabel);
  return shown.join() === `trainyard:${state}` ? [] : [`#${number} is ${state}, and has the labels ${shown}`];
}

function judgeShown(host: VirtualCodeHost, { pr, state, headSha }: End): string[] {
  if (state === neverQueued) return [];
  const comments = host.shown.commentsOn(pr.number);
  const [comment = ""] = comments;
  const check = host.shown.shownCheckRun(headSha);
  return [
    ...(comments.length === 1 ? [] : [`#${pr.number} has ${comments.length} comments`]),
    ...(words[state]?.test(comment) === false
      ? [`#${pr.number} is ${state}, and its comment says: ${comment.slice(0, 80)}`]
      : []),
    ...(check?.conclusion === conclusions[state]
      ? []
      : [`#${pr.number} is ${state}, and its check is ${check?.conclusion}`]),
  ];
}
