import type { PullRequestFacts } from "../../../src/engine/model/pull-request-facts.ts";
import { CountedTargets } from "../../../src/engine/model/targets.ts";
import type { Service } from "../../../src/service/create-service.ts";
import type { CodeHost } from "../soak/code-host.ts";
import type { PlannedPullRequest, Withdrawal } from "./service-plan.ts";
import type { VirtualCodeHost } from "./virtual-code-host.ts";
import { branch, type VirtualRepository } from "./virtual-repository.ts";
import type { VirtualTime } from "./virtual-time.ts";

export const alice = { kind: "user", name: "alice" } as const;

export interface AuthorParts {
  readonly time: VirtualTime;
  readonly model: CodeHost;
  readonly host: VirtualCodeHost;
  readonly repository: VirtualRepository;
  /** Whether CI uploads the impacted targets of each head. */
  readonly uploads: boolean;
  /** Tells the service what happened at the code host; it may not arrive. */
  readonly hear: (tell: (service: Service) => Promise<unknown>) => void;
  /** Repeats a command until the service has carried it out. */
  readonly insist: (command: (service: Service) => Promise<{ ok: boolean }>) => Promise<void>;
}

type World = Pick<AuthorParts, "model" | "host" | "repository" | "time" | "hear">;

/** Changes the head of a pull request. */
export function pushTo(number: number, parts: World): void {
  parts.model.push(number);
  tellChange(number, true, parts);
}

/** Marks a draft as ready. */
export function markReady(number: number, parts: World): void {
  change(number, { draft: false }, parts);
}

function change(number: number, changes: Partial<PullRequestFacts>, parts: World): void {
  parts.model.change(number, changes);
  tellChange(number, false, parts);
}

function tellChange(number: number, isPush: boolean, { model, host, repository, time, hear }: World): void {
  host.touch(number);
  const { headSha, baseBranch, title, draft, state } = model.pullRequest(number);
  const at = time.now();
  const hint = {
    repo: repository.ref,
    number,
    headSha,
    baseBranch,
    title,
    draft,
    open: state === "open",
    reviewed: false,
  };
  hear(({ relay }) => relay.pullRequestChanged({ ...hint, updatedAt: at, headSince: isPush ? at : null }));
}

/** Does what the plan says about a pull request. */
export async function act(plan: PlannedPullRequest, parts: AuthorParts): Promise<void> {
  const { time, model, repository, insist } = parts;
  const { number, submittedAt, withdrawn, reworked } = plan;
  await time.pause(submittedAt);
  await Promise.all([upload(), insist(submit)]);
  if (reworked) {
    const { pushedAt, readyAt } = reworked;
    await time.pause(pushedAt - submittedAt);
    pushTo(number, parts);
    await upload();
    await time.pause(readyAt - pushedAt);
    markReady(number, parts);
  }
  if (withdrawn === null) return;
  const { at, by, backAt } = withdrawn;
  await time.pause(at - submittedAt);
  if (model.pullRequest(number).state !== "open") return;
  await withdraw(by);
  if (backAt === null) return;
  await time.pause(backAt - at);
  if (model.pullRequest(number).state === "merged") return;
  if (by === "close") change(number, { state: "open" }, parts);
  if (by === "retarget") change(number, { baseBranch: branch }, parts);
  await Promise.all([upload(), insist(submit)]);

  async function withdraw(how: Withdrawal): Promise<void> {
    switch (how) {
      case "cancel":
        return insist(({ queues }) => queues.cancel({ ...address(), pr: number, actor: alice, via: "api" }));
      case "push":
        return pushTo(number, parts);
      case "close":
        return change(number, { state: "closed" }, parts);
      case "retarget":
        return change(number, { baseBranch: "next" }, parts);
    }
  }

  /** The queue as people know it at the moment. */
  function address() {
    return { repo: repository.ref, branch };
  }

  async function submit({ queues }: Service) {
    const answer = await queues.submit({
      ...{ ...address(), pr: number, expectedHead: null, seenHead: null, priority: null, noBatch: null },
      ...{ actor: alice, via: "api" },
    });
    // If an earlier call submitted it and lost its answer, it may have merged since.
    return { ok: answer.ok || model.pullRequest(number).state === "merged" };
  }

  async function upload(): Promise<void> {
    if (!parts.uploads) return;
    const names = targetsOf(plan);
    const { headSha } = model.pullRequest(number);
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
