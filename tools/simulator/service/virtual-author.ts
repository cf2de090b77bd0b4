import type { PullRequestFacts } from "../../../src/engine/model/entry.ts";
import { CountedTargets } from "../../../src/engine/model/targets.ts";
import type { CodeHost } from "../soak/code-host.ts";
import { keepSubmitting, type SayParts, say } from "./keep-submitting.ts";

import type { PlannedPullRequest, ServicePlan, Withdrawal } from "./service-plan.ts";
import type { VirtualCodeHost } from "./virtual-code-host.ts";
import { alice, submitLabel } from "./virtual-pull-requests.ts";
import { otherThan, type VirtualRepository } from "./virtual-repository.ts";
import type { VirtualServer } from "./virtual-server.ts";

export interface AuthorParts extends SayParts {
  readonly model: CodeHost;
  readonly host: VirtualCodeHost;
  readonly repository: VirtualRepository;
  /** Whether CI uploads the impacted targets of each head. */
  readonly uploads: boolean;
  /** How long people wait from now on until the service shows something. */
  readonly patienceMs: () => number;
  readonly by: ServicePlan["by"];
  /** The branch in whose queue people expect a pull request. */
  readonly branchOf: (pr: number) => string;
  /** Repeats a command until the service has carried it out. */
  readonly insist: (command: (server: VirtualServer) => Promise<{ ok: boolean }>) => Promise<void>;
}

type World = Pick<AuthorParts, "model" | "host" | "webhooks">;

/** Changes the head of a pull request. */
export function pushTo(number: number, { model, host, webhooks }: World): void {
  model.push(number);
  host.touch(number, true);
  webhooks.pullRequestChanged("synchronize", host.facts(number), host.labels.of(number));
}

export function markReady(number: number, parts: World): void {
  change(number, { draft: false }, "ready_for_review", parts);
}

/** Changes a pull request in another way than by a push. */
export function change(
  number: number,
  changes: Partial<PullRequestFacts>,
  action: "ready_for_review" | "converted_to_draft" | "closed" | "reopened" | "edited",
  { model, host, webhooks }: World,
): void {
  model.change(number, changes);
  host.touch(number);
  const more = changes.baseBranch === undefined ? {} : { changes: { base: {} } };
  webhooks.pullRequestChanged(action, host.facts(number), host.labels.of(number), more);
}

export async function act(plan: PlannedPullRequest, parts: AuthorParts): Promise<void> {
  const { time, model, repository, branchOf, insist } = parts;
  const { number, submittedAt, withdrawn, reworked, movesAt, mergedByHandAt, uploadsAfterMs } = plan;
  const ways = plan.ways ?? { submits: parts.by, cancels: parts.by };
  /** Comments in progress. Their author does not wait for an answer before the next step. */
  const said: Promise<unknown>[] = [];
  /** Counts the author's decisions to merge or not to merge it. */
  let wishes = 0;
  /** Calls of the API name the head after a push, because GitHub may still show the previous one. */
  let expectedHead: string | null = null;
  await time.pause(submittedAt);
  await Promise.all([upload(), submit()]);
  if (reworked) {
    const { pushedAt, readyAt } = reworked;
    await time.pause(pushedAt - submittedAt);
    pushTo(number, parts);
    await upload();
    await time.pause(readyAt - pushedAt);
    markReady(number, parts);
  }
  if (withdrawn) {
    // A push within the second of its author's comment counts as known when the comment was written (ADR 44). A label is added one second
    // after the decision.
    await time.pause(Math.max(ways.submits === "label" ? 2_000 : 1_000, withdrawn.at - submittedAt));
    if (isOpen()) await withdrawForAWhile(withdrawn);
  }
  if (movesAt !== null) {
    await time.pause(movesAt - submittedAt);
    if (isOpen()) await move();
  }
  if (mergedByHandAt !== null) {
    await time.pause(mergedByHandAt - submittedAt);
    if (isOpen()) parts.host.mergeByHand(number);
  }
  await Promise.all(said);

  /** Changes its base branch, and submits it to the queue there. */
  async function move(): Promise<void> {
    changeBase(otherThan(model.pullRequest(number).baseBranch));
    await Promise.all([upload(), submit()]);
  }

  async function withdrawForAWhile({ at, by, backAt }: NonNullable<typeof withdrawn>): Promise<void> {
    wishes += 1;
    await withdraw(by);
    if (backAt === null) return;
    await time.pause(backAt - at);
    if (model.pullRequest(number).state === "merged") return;
    if (by === "close") change(number, { state: "open" }, "reopened", parts);
    if (by === "draft") markReady(number, parts);
    if (by === "retarget") changeBase(plan.base);
    if (by === "push") expectedHead = parts.host.facts(number).headSha;
    await Promise.all([upload(), submit()]);
  }

  async function withdraw(how: Withdrawal): Promise<void> {
    switch (how) {
      case "cancel":
        return cancel();
      case "push":
        pushTo(number, parts);
        // The entry may still wait for the targets of its first head, and keep its place with the new head.
        return uploadsAfterMs > 0 ? upload() : undefined;
      case "close":
        change(number, { state: "closed" }, "closed", parts);
        // GitHub disables it.
        return parts.host.setAutoMerge(number, false);
      case "draft":
        change(number, { draft: true }, "converted_to_draft", parts);
        break;
      case "retarget":
        changeBase(otherThan(plan.base));
    }
    // If its comment is found only now, the pull request waits until it is ready again.
    if (ways.submits !== "api" || how === "draft") return cancel();
  }

  function changeBase(baseBranch: string): void {
    change(number, { baseBranch }, "edited", parts);
  }

  function isOpen(): boolean {
    return model.pullRequest(number).state === "open";
  }

  /** The current address of the queue. */
  function address() {
    return { repo: repository.ref, branch: branchOf(number) };
  }

  async function submit(): Promise<void> {
    wishes += 1;
    const wish = wishes;
    const isWanted = () => wish === wishes && isOpen();
    const submitted = keepSubmitting(number, { way: ways.submits, isWanted, expectedHead }, parts);
    if (ways.submits === "api") await submitted;
    else said.push(submitted);
  }

  async function cancel(): Promise<void> {
    if (ways.cancels === "label") return parts.host.label(number, "unlabeled", submitLabel, "alice");
    if (ways.cancels === "auto_merge") return parts.host.setAutoMerge(number, false);
    if (ways.cancels === "review")
      return parts.webhooks.reviewed(parts.host.facts(number), parts.host.labels.of(number), {
        ...{ node_id: `review-${number}`, body: "/trainyard cancel" },
        submitted_at: new Date(time.now()).toISOString(),
      });
    if (ways.cancels === "api")
      return insist(({ queues }) => queues.cancel({ ...address(), pr: number, actor: alice, via: "api" }));
    said.push(say(number, "/trainyard cancel", parts));
  }

  /** Uploads the targets. The author does not wait for slow uploads. */
  async function upload(): Promise<void> {
    if (!parts.uploads) return;
    const { headSha } = parts.host.facts(number);
    if (uploadsAfterMs === 0) return uploadOf(headSha);
    said.push(time.pause(uploadsAfterMs).then(() => uploadOf(headSha)));
  }

  async function uploadOf(headSha: string): Promise<void> {
    const names = targetsOf(plan);
    const targets = CountedTargets.of(names);
    const upload = {
      pr: number,
      headSha,
      source: "organisation",
      targets,
      names,
      isProven: true,
    } as const;
    await insist(({ queues }) => queues.setImpactedTargets({ ...upload, ...address() }));
  }
}

/** Pull requests that fail or conflict together share a target. */
const targetsOf = ({ number, ends }: PlannedPullRequest): string[] => [
  `change-${number}`,
  `shared-${number % 3}`,
  ...(typeof ends === "object" ? [ends.oneOf] : []),
];
