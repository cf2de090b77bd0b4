import type { QueueChanges } from "../../../src/engine/model/input.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import type { BoundaryEvent } from "./boundaries.ts";
import { keepSubmitting } from "./keep-submitting.ts";
import { type PlannedPullRequest, type ServicePlan, startsAt } from "./service-plan.ts";
import { type AuthorParts, change, markReady, pushTo } from "./virtual-author.ts";
import { review } from "./virtual-maintainer.ts";
import { alice } from "./virtual-pull-requests.ts";
import type { VirtualProcess } from "./virtual-replicas.ts";
import { branch, otherBranch } from "./virtual-repository.ts";
import type { VirtualServer } from "./virtual-server.ts";
import type { VirtualWorld } from "./virtual-world.ts";

/** How long an event at a boundary lasts. A frozen process loses all its leases. */
const lastsMs = 60_000;
/** About the length of a lease, so that the process wakes up before, while or after another one does its work. */
const dozesMs = (boundary: number): number => 10_000 + (boundary % 12) * 1_000;

/** How long a pull request is closed, a draft, or has another base branch. */
const awayMs = 5_000;

interface HappeningParts {
  readonly plan: ServicePlan;
  readonly world: VirtualWorld;
  readonly author: AuthorParts;
  /** The pull requests that their authors have taken out of the queue and not submitted again. */
  readonly away: Set<number>;
  readonly boundary: number;
}

/** Performs an event at a boundary that a process has reached. */
export function happenAtBoundary(
  event: BoundaryEvent,
  process: VirtualProcess,
  { plan, world, author, away, boundary }: HappeningParts,
): void {
  const { time } = author;
  switch (event) {
    case "kill":
      return process.die();
    case "freeze":
      process.suspendedUntil = time.now() + lastsMs;
      return;
    case "doze":
      process.suspendedUntil = time.now() + dozesMs(boundary);
      return;
    case "push_to_base":
      return world.pushToBase();
    case "rewind":
      return world.rewindBase();
    case "merge_by_hand":
      return mergeByHand(goodOf(plan), author, away);
    case "object":
      return void review({ pr: goodOf(plan), code: "REVIEW_REQUIRED", at: 0, ms: lastsMs }, author);
    case "close":
    case "draft":
    case "retarget":
      return void takeAwayAndBack(goodOf(plan), event, author, away);
    case "remove_branches":
      return world.removeTestBranches();
    case "push":
      return pushTo(withdrawnOf(plan), author);
    case "cancel":
      return void author.insist((server) => cancel(withdrawnOf(plan), server, world));
    case "ready":
      return markPushedReady(draftOf(plan), author);
    case "restart":
      return void author.insist((server) => restart(server, world));
    case "delete_comments":
      return world.host.shown.deleteByHand(goodOf(plan));
    case "pause":
      return void pauseForAWhile(world, author);
    case "reconfigure":
      return void author.insist(configuring(world, otherSettings(plan)));
    default:
      // The service gets the event at once, during its work.
      world.begin(event, 0);
      time.after(lastsMs, () => world.end(event));
  }
}

async function pauseForAWhile(world: VirtualWorld, { insist, time }: AuthorParts): Promise<void> {
  await insist(configuring(world, { status: "paused" }));
  await time.pause(lastsMs);
  await insist(configuring(world, { status: "running" }));
}

/** The pull request that other events affect. If no other one merges, it is the one that is withdrawn. */
function goodOf(plan: ServicePlan): number {
  return plan.pullRequests.find(({ ends }) => ends === "merged")?.number ?? withdrawnOf(plan);
}

/** Merges it, unless the queue has done so. While it is away, the queue does not matter. */
function mergeByHand(pr: number, { host, model }: AuthorParts, away: ReadonlySet<number>): void {
  if (model.pullRequest(pr).state === "open" && !away.has(pr)) host.mergeByHand(pr);
}

const changes = {
  close: [{ state: "closed" }, "closed", { state: "open" }, "reopened"],
  draft: [{ draft: true }, "converted_to_draft", { draft: false }, "ready_for_review"],
  retarget: [{ baseBranch: otherBranch }, "edited", { baseBranch: branch }, "edited"],
} as const;

/** Its author changes it, changes it back, and submits it again. */
async function takeAwayAndBack(
  pr: number,
  how: keyof typeof changes,
  author: AuthorParts,
  away: Set<number>,
): Promise<void> {
  const { model, time } = author;
  const { state, draft } = model.pullRequest(pr);
  if (state !== "open" || (how === "draft" && draft)) return;
  const [changed, action, back, backAction] = changes[how];
  away.add(pr);
  change(pr, changed, action, author);
  await time.pause(awayMs);
  change(pr, back, backAction, author);
  const isWanted = () => model.pullRequest(pr).state === "open";
  await keepSubmitting(pr, { way: author.by, isWanted, expectedHead: null }, author);
  away.delete(pr);
}

function withdrawnOf({ pullRequests }: ServicePlan): number {
  const isMeant = ({ ends, withdrawn }: PlannedPullRequest) => ends === "cancelled" && withdrawn === null;
  const found = pullRequests.find(isMeant);
  if (!found) throw new Error("the plan has no pull request that is withdrawn at a boundary");
  return found.number;
}

function draftOf({ pullRequests }: ServicePlan): PlannedPullRequest {
  const found = pullRequests.find(({ reworked }) => reworked !== null);
  if (!found) throw new Error("the plan has no draft");
  return found;
}

/** A draft stays one until its push, because the push would otherwise withdraw it. Its author marks it as ready later. */
function markPushedReady({ number, reworked }: PlannedPullRequest, author: AuthorParts): void {
  const isPushed = author.time.now() > startsAt + (reworked?.pushedAt ?? 0);
  if (isPushed) markReady(number, author);
}

/** Settings that can change while pull requests are in the queue. */
function otherSettings({ settings }: ServicePlan): Partial<QueueSettings> {
  return {
    policy: settings.policy === "fixed" ? "adaptive" : "fixed",
    mergeMethod: settings.mergeMethod === "squash" ? "merge_commit" : "squash",
    concurrency: (settings.concurrency ?? 1) + 1,
    batch: !settings.batch,
  };
}

export function configuring({ repository }: VirtualWorld, changes: QueueChanges) {
  return ({ queues }: VirtualServer) =>
    queues.configureQueue({ repo: repository.ref, branch: repository.nameOf(branch), changes, actor: alice });
}

/** Tries once, because a pull request that has left the queue cannot be restarted. */
async function restart({ queues }: VirtualServer, { repository }: VirtualWorld) {
  await queues.restart({ repo: repository.ref, branch: repository.nameOf(branch), pr: 1, actor: alice });
  return { ok: true };
}

/** Gives up if the pull request was merged first. */
async function cancel(pr: number, { queues }: VirtualServer, { model, repository }: VirtualWorld) {
  const { ok } = await queues.cancel({
    repo: repository.ref,
    branch: repository.nameOf(branch),
    pr,
    actor: alice,
    via: "api",
  });
  return { ok: ok || model.pullRequest(pr).state !== "open" };
}
