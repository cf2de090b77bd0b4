import { repositoryFilePath } from "../../../src/command/repository-file.ts";
import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import type { FoundRepositoryFile } from "../../../src/ports/code-host/code-host.ts";
import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import { CodeHost } from "../soak/code-host.ts";
import { pullRequests } from "../soak/scenario.ts";
import type { Boundaries } from "./boundaries.ts";
import { guardedCodeHost, Past } from "./code-host-guards.ts";
import { integratorOf } from "./merging/integrator.ts";
import { publisherOf } from "./publishing/publisher.ts";
import { ReceivedWithdrawals } from "./received-withdrawals.ts";
import { type ServicePlan, startsAt } from "./service-plan.ts";
import { VirtualCalls } from "./virtual-calls.ts";
import { checkNames, VirtualCi } from "./virtual-ci.ts";
import { VirtualCodeHost } from "./virtual-code-host.ts";
import { labelActors, type OnLabel, VirtualComments, VirtualDependencies } from "./virtual-pull-requests.ts";
import { type BaseBranch, branch, type Upheaval, VirtualRepository } from "./virtual-repository.ts";
import { VirtualRequirements } from "./virtual-requirements.ts";
import type { VirtualWebhook } from "./virtual-server.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { VirtualWebhooks } from "./virtual-webhooks.ts";

interface WorldParts {
  readonly plan: ServicePlan;
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly boundaries: Boundaries;
  /** Delivers a webhook to one of the services. */
  readonly deliver: (webhook: VirtualWebhook) => Promise<unknown>;
}

/** The code host and CI. Webhooks report their events. */
export class VirtualWorld {
  readonly model: CodeHost;
  readonly host: VirtualCodeHost;
  /** The code host as the App reaches it. */
  readonly reached: VirtualCodeHost;
  readonly repository = new VirtualRepository();
  readonly comments = new VirtualComments();
  readonly ci: VirtualCi;
  readonly withdrawals: ReceivedWithdrawals;
  readonly requirements: VirtualRequirements;
  readonly webhooks: VirtualWebhooks;
  /** Drawn from a separate source, so that the delays of the other webhooks do not depend on them. */
  readonly #mergeWebhooks: VirtualWebhooks;
  readonly #calls: VirtualCalls;
  readonly #past: Past;
  readonly #now: () => number;

  constructor(parts: WorldParts) {
    const { plan, time, random, boundaries } = parts;
    const withdrawals = new ReceivedWithdrawals(plan, this.comments);
    this.withdrawals = withdrawals;
    const deliver = async (webhook: VirtualWebhook) => {
      // Null = no service runs, so that none has received it.
      if ((await parts.deliver(webhook)) !== null) withdrawals.note(webhook);
    };
    const { repository, comments } = this;
    const drawLate = createRandomSource(plan.seed * 452_930_477 + 43);
    const sent = { plan, time, repository, drawLate, deliver };
    const webhooks = new VirtualWebhooks({ ...sent, random, prefix: "webhook" });
    const ofMerges = createRandomSource(plan.seed * 275_604_541 + 41);
    this.#mergeWebhooks = new VirtualWebhooks({ ...sent, random: ofMerges, prefix: "merge" });
    const model = new CodeHost(plan.scenario, { namesApart: true });
    for (const { number, base, reworked } of plan.pullRequests)
      if (base !== branch || reworked) model.change(number, { baseBranch: base, draft: reworked !== null });
    const calls = new VirtualCalls({ plan, time, random, boundaries });
    const past = new Past();
    this.#past = past;
    this.#now = () => time.now();
    past.record("repository", 0, repository.copy());
    const onEnd = (sha: string, check: CheckFact) => webhooks.checkEnded(sha, check);
    this.ci = new VirtualCi({ plan, time, model, random, past, onEnd });
    const onLabel: OnLabel = (pr, action, name, by) => {
      const { actorLogin: login, actorId: id, actorIsBot } = labelActors[by];
      const sender = { login, id, type: actorIsBot ? "Bot" : "User" };
      const more = { label: { name }, sender };
      webhooks.pullRequestChanged(action, this.host.facts(pr), this.host.labels.of(pr), more);
    };
    const onAutoMerge = (pr: number, isEnabled: boolean) => {
      const action = isEnabled ? "auto_merge_enabled" : "auto_merge_disabled";
      webhooks.pullRequestChanged(action, this.host.facts(pr), this.host.labels.of(pr));
    };
    const requirements = new VirtualRequirements(plan.requirements, checkNames);
    this.requirements = requirements;
    const onMerged = (pr: number, base: string) => {
      withdrawals.noteMerged(pr);
      const { headSha } = model.pullRequest(pr);
      const isByQueue = !model.mergedByHand.has(pr) && (requirements.source !== "setting" || base === branch);
      if (isByQueue) requirements.judgeMerge(pr, time.now(), (checks) => this.ci.hasPassed(headSha, checks));
      this.#mergeWebhooks.pullRequestChanged("closed", this.host.facts(pr), this.host.labels.of(pr));
      this.#mergeWebhooks.pushed(repository.nameOf(base), model.tipOf(base), false);
    };
    this.model = model;
    const { now } = time;
    const told = { onLabel, onAutoMerge, onMerged, withdrawals };
    const dependencies = new VirtualDependencies(plan.pullRequests, (pr) => model.pullRequest(pr));
    this.host = new VirtualCodeHost({
      ...{ model, ci: this.ci, calls, past, repository, comments, now, ...told },
      ...{
        dependencies,
        requirements,
        repositoryFile: () => this.#fileOf(plan),
        testsHeads: testsHeads(plan),
      },
      integrator: (hooks) =>
        integratorOf({ time, plan, model, repository, calls, past, dependencies, ci: this.ci }, hooks),
      publisher: (shown) => publisherOf({ repository, calls, comments, now, shown }, plan),
    });
    for (const { number } of plan.pullRequests) this.host.testHead(number);
    this.reached = guardedCodeHost(this.host, repository, calls);
    this.webhooks = webhooks;
    this.#calls = calls;
  }

  /** From now on, no call fails and no webhook is lost. */
  calm(): void {
    for (const one of [this.#calls, this.webhooks, this.#mergeWebhooks]) one.isCalm = true;
  }

  pushToBase(base: BaseBranch = branch): void {
    this.model.moveBase(base);
    this.#tellPush(base, false);
  }

  #fileOf({ freeze, requirements: planned }: ServicePlan): FoundRepositoryFile {
    const required =
      planned?.source === "file" ? `requiredStatuses: [${this.requirements.now.join(", ")}]\n` : "";
    const text = `${freezesOf(freeze)}${required}` || null;
    return { path: text === null ? null : repositoryFilePath, text, strays: [] };
  }

  /** Changes the checks that the repository file or the rules of the branches require. */
  require(checks: readonly string[]): void {
    this.requirements.change(checks, this.#now());
    if (this.requirements.source === "rules") return this.webhooks.ruleChanged();
    this.model.moveBase(branch);
    this.host.baseMoved(branch);
    const name = this.repository.nameOf(branch);
    this.webhooks.pushed(name, this.model.tipOf(branch), false, [repositoryFilePath]);
  }

  /** Removes all test branches, although their tests are in progress. */
  removeTestBranches(): void {
    for (const name of this.host.branches.keys()) this.webhooks.branchDeleted(name);
    this.host.branches.clear();
  }

  /** Resets `main` to its first commit. */
  rewindBase(): void {
    this.model.rewind(0);
    this.#tellPush(branch, true);
  }

  #tellPush(base: BaseBranch, forced: boolean): void {
    this.host.baseMoved(base);
    this.webhooks.pushed(this.repository.nameOf(base), this.model.tipOf(base), forced);
  }

  /** @param withinMs the longest wait for the webhook */
  begin(kind: Upheaval, withinMs?: number): void {
    const name = this.repository.nameOf(branch);
    this.repository.begin(kind);
    this.#past.record("repository", this.#now(), this.repository.copy());
    if (kind === "rename_branch") this.#tellBranchRename(name);
    else this.webhooks.upheaval(kind, "begin", withinMs);
  }

  /** Changes the base branch of all open pull requests, as the code host does. */
  #tellBranchRename(formerName: string): void {
    this.#tellPush(branch, false);
    this.webhooks.branchDeleted(formerName);
    for (let pr = 1; pr <= pullRequests; pr++) {
      const { state, baseBranch } = this.model.pullRequest(pr);
      if (state !== "open" || baseBranch !== branch) continue;
      this.host.touch(pr);
      const more = { changes: { base: {} } };
      this.webhooks.pullRequestChanged("edited", this.host.facts(pr), this.host.labels.of(pr), more);
    }
  }

  end(kind: Upheaval): void {
    this.repository.end(kind);
    this.#past.record("repository", this.#now(), this.repository.copy());
    if (kind !== "rename_branch") this.webhooks.upheaval(kind, "end");
  }
}

/** Whether CI tests the heads of pull requests, too, which is necessary for merges without a test of the queue. */
function testsHeads({ settings, nextQueue }: ServicePlan): boolean {
  return [settings, nextQueue].some((queue) => queue?.directMergeMode === "always");
}

function freezesOf(freeze: ServicePlan["freeze"]): string {
  if (freeze === null) return "";
  const [from, until] = [freeze.at, freeze.at + freeze.ms].map((at) => new Date(startsAt + at).toISOString());
  return `freezes: [{ reason: Release, from: "${from?.slice(0, 19)}", until: "${until?.slice(0, 19)}" }]\n`;
}
