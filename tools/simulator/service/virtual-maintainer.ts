import { type Priority, parsePriority } from "../../../src/engine/model/entry.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import type { Objection } from "../../../src/engine/reasons/objection.ts";
import type { RandomSource } from "../../../src/replay/workload/random-source.ts";
import { drawSettings } from "./draw-withdrawals.ts";
import { keepSaying, say } from "./keep-submitting.ts";
import type { PlannedObjection, PlannedPullRequest } from "./service-plan.ts";
import type { AuthorParts } from "./virtual-author.ts";
import { alice } from "./virtual-pull-requests.ts";
import { branch } from "./virtual-repository.ts";
import type { VirtualServer } from "./virtual-server.ts";

/** Carries out a command at its time. Commands about a pull request may be refused because of its state. */
export async function command(planned: PlannedCommand, parts: AuthorParts): Promise<void> {
  const { time, repository, branchOf, insist } = parts;
  await time.pause(planned.at);
  if (parts.by !== "api" && planned.kind !== "reconfigure") return comment(planned, parts);
  switch (planned.kind) {
    case "restart":
      return insist(async ({ queues }) => {
        await queues.restart({ ...queueOf(planned.pr), pr: planned.pr, actor: alice });
        return { ok: true };
      });
    case "status":
      return;
    case "try":
      return insist(async ({ queues }) => {
        const asked = { ...queueOf(planned.pr), pr: planned.pr, expectedHead: null, seenHead: null };
        await queues.askForTry({ ...asked, actor: alice, via: "api" });
        return { ok: true };
      });
    case "prioritise":
      return insist(prioritise(planned.pr, planned.priority));
    case "pause":
      await insist(configure({ status: "paused" }));
      await time.pause(planned.ms);
      return insist(configure({ status: "running" }));
    case "reconfigure":
      return insist(configure(planned.settings));
  }

  /** The current address of a pull request's queue. */
  function queueOf(pr: number) {
    return { repo: repository.ref, branch: branchOf(pr) };
  }

  function configure(changes: Parameters<VirtualServer["queues"]["configureQueue"]>[0]["changes"]) {
    return ({ queues }: VirtualServer) =>
      queues.configureQueue({
        ...{ repo: repository.ref, branch: repository.nameOf(branch) },
        ...{ changes, actor: alice },
      });
  }

  function prioritise(pr: number, priority: Priority) {
    return async ({ queues }: VirtualServer) => {
      await queues.submit({
        ...{ ...queueOf(pr), pr, expectedHead: null, seenHead: null, noBatch: null },
        ...{ priority, actor: alice, via: "api" },
      });
      return { ok: true };
    };
  }
}

/** Gives a command in a comment. The queue is paused and resumed on its first pull request. */
async function comment(
  planned: Exclude<PlannedCommand, { kind: "reconfigure" }>,
  parts: AuthorParts,
): Promise<void> {
  const { time, model } = parts;
  switch (planned.kind) {
    case "restart":
    case "status":
    case "try":
      return void (await say(planned.pr, `/trainyard ${planned.kind}`, parts));
    case "prioritise": {
      const isOpen = () => model.pullRequest(planned.pr).state === "open";
      const body = `/trainyard merge --priority=${planned.priority.value} --confirm`;
      return keepSaying(planned.pr, body, isOpen, parts);
    }
    case "pause": {
      const paused = say(1, "/trainyard pause", parts);
      await time.pause(planned.ms);
      await Promise.all([paused, keepSaying(1, "/trainyard resume", () => true, parts)]);
    }
  }
}

/** Objects to a pull request for some time, if it is open. */
export async function review(planned: PlannedObjection, parts: AuthorParts): Promise<void> {
  const { time, model } = parts;
  const { pr, code, at, ms } = planned;
  await time.pause(at);
  if (model.pullRequest(pr).state !== "open") return;
  setObjections(pr, [objectionOf(code)], parts);
  await time.pause(ms);
  setObjections(pr, [], parts);
}

function setObjections(
  pr: number,
  objections: readonly Objection[],
  { model, host, webhooks }: AuthorParts,
): void {
  model.change(pr, { objections });
  host.touch(pr);
  webhooks.reviewed(host.facts(pr), host.labels.of(pr));
}

function objectionOf(code: PlannedObjection["code"]): Objection {
  switch (code) {
    case "CHANGES_REQUESTED":
      return { code, by: ["bob"] };
    case "REVIEW_REQUIRED":
      return { code };
    case "CONVERSATIONS_OPEN":
      return { code, count: 1 };
  }
}

const minuteMs = 60_000;

/** Commands of people to a queue, apart from submissions and withdrawals. `at` is in milliseconds since the start of the life. */
export type PlannedCommand = { readonly at: number } & (
  | { readonly kind: "restart"; readonly pr: number }
  /** Requests the status in a comment. */
  | { readonly kind: "status"; readonly pr: number }
  /** It is tested without being merged. */
  | { readonly kind: "try"; readonly pr: number }
  /** It is submitted once more, with another priority. */
  | { readonly kind: "prioritise"; readonly pr: number; readonly priority: Priority }
  | { readonly kind: "pause"; readonly ms: number }
  | { readonly kind: "reconfigure"; readonly settings: Partial<QueueSettings> }
);

export function drawTries(
  random: RandomSource,
  pullRequests: readonly PlannedPullRequest[],
): readonly PlannedCommand[] {
  const count = random() < 0.5 ? 0 : 1 + Math.floor(random() * 3);
  return Array.from({ length: count }, (): PlannedCommand => {
    const pr = 1 + Math.floor(random() * pullRequests.length);
    return { at: Math.round(random() * 9 * minuteMs), kind: "try", pr };
  });
}

export function drawCommands(
  random: RandomSource,
  pullRequests: readonly PlannedPullRequest[],
): readonly PlannedCommand[] {
  const one = (prs: readonly PlannedPullRequest[]) => prs[Math.floor(random() * prs.length)];
  const good = pullRequests.filter(({ ends }) => ends === "merged");
  return Array.from({ length: 1 + Math.floor(random() * 6) }, (): PlannedCommand => {
    const at = Math.round(random() * 9 * minuteMs);
    const kind = random();
    const [any, kept, priority] = [one(pullRequests), one(good), parsePriority(Math.floor(random() * 200))];
    if (kind < 0.35 && any) return { at, kind: "restart", pr: any.number };
    if (kind < 0.6 && kept && priority)
      return { at: Math.max(at, kept.submittedAt + 1), kind: "prioritise", pr: kept.number, priority };
    if (kind < 0.75) return { at, kind: "pause", ms: Math.round(random() * 2 * minuteMs) };
    return { at, kind: "reconfigure", settings: drawSettings(random) };
  });
}
