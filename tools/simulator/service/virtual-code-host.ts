import type { PullRequestFacts } from "../../../src/engine/model/entry.ts";
import type { MergeOutcome } from "../../../src/engine/model/merge-attempt.ts";
import type { KnownPlace } from "../../../src/ports/code-host/app.ts";
import type {
  CodeHost as CodeHostPort,
  FoundRepositoryFile,
  InstalledRepository,
} from "../../../src/ports/code-host/code-host.ts";
import type { MergeGate, MergePlan } from "../../../src/ports/code-host/merging.ts";
import type { HeadRecord, SaidAt, TestPullRequest } from "../../../src/ports/code-host/pull-requests.ts";
import { type CodeHost, treeOf } from "../soak/code-host.ts";
import { pullRequests } from "../soak/scenario.ts";
import { type Past, UnchangingCodeHost } from "./code-host-guards.ts";
import type { Integrator, IntegratorHooks } from "./merging/integrator.ts";
import type { Publisher } from "./publishing/publisher.ts";
import { VirtualPublications } from "./publishing/virtual-publications.ts";
import type { ReceivedWithdrawals } from "./received-withdrawals.ts";
import type { VirtualCalls } from "./virtual-calls.ts";
import { checkNames, type VirtualCi } from "./virtual-ci.ts";
import {
  alice,
  commitOf,
  type OnLabel,
  shaOf,
  VirtualAutoMerge,
  type VirtualComments,
  type VirtualDependencies,
  VirtualLabels,
  VirtualListings,
  wholeSecond,
} from "./virtual-pull-requests.ts";
import { baseBranches, type VirtualRepository } from "./virtual-repository.ts";
import type { VirtualRequirements } from "./virtual-requirements.ts";

interface VirtualCodeHostParts {
  readonly model: CodeHost;
  readonly ci: VirtualCi;
  readonly calls: VirtualCalls;
  readonly past: Past;
  readonly repository: VirtualRepository;
  readonly comments: VirtualComments;
  readonly now: () => number;
  /** What pull requests depend on, by number. */
  readonly dependencies: VirtualDependencies;
  /** Whether CI tests the heads of pull requests, too. */
  readonly testsHeads: boolean;
  readonly repositoryFile: () => FoundRepositoryFile;
  readonly requirements: VirtualRequirements;
  readonly onLabel: OnLabel;
  readonly onMerged: (pr: number, base: string) => void;
  readonly integrator: (hooks: IntegratorHooks) => Integrator;
  readonly publisher: (shown: VirtualPublications) => Publisher;
  readonly withdrawals: Pick<ReceivedWithdrawals, "watch">;
  readonly onAutoMerge: (pr: number, isEnabled: boolean) => void;
}

/** The port of the code host in memory. Its state belongs to the world and survives the service. */
export class VirtualCodeHost extends UnchangingCodeHost implements CodeHostPort {
  readonly #parts: VirtualCodeHostParts;
  readonly branches = new Map<string, string>();
  readonly shown: VirtualPublications;
  /** See `IntegratorHooks`. */
  readonly blindMerges = new Set<number>();
  readonly labels = new VirtualLabels();
  readonly autoMerge = new VirtualAutoMerge();
  readonly #listings: VirtualListings;
  readonly #integrator: Integrator;
  readonly #publisher: Publisher;
  readonly #updatedAt = new Map<number, number>();
  /** When the pull requests got their heads. */
  readonly #pushedAt = new Map<number, number>();

  constructor(parts: VirtualCodeHostParts) {
    super(parts.calls);
    this.#parts = parts;
    this.shown = new VirtualPublications(parts.now);
    this.#publisher = parts.publisher(this.shown);
    this.#listings = new VirtualListings(parts.past, this);
    this.#integrator = parts.integrator({
      facts: (pr) => this.facts(pr),
      branches: this.branches,
      onMerged: (pr) => this.#merged(pr),
      onBlindMerge: (pr) => this.blindMerges.add(pr),
    });
    for (const base of baseBranches) this.baseMoved(base);
    for (let pr = 1; pr <= pullRequests; pr++) {
      parts.past.record(`pull ${pr}`, 0, this.facts(pr));
      this.#listings.record(pr, 0);
    }
  }

  /** Records that a pull request has just changed. */
  touch(pr: number, isPush = false): void {
    const { past, now, dependencies } = this.#parts;
    this.#updatedAt.set(pr, wholeSecond(now()));
    if (isPush) {
      this.#pushedAt.set(pr, wholeSecond(now()));
      this.testHead(pr);
    }
    this.#listings.record(pr, now());
    for (const one of [pr, ...dependencies.on(pr)]) past.record(`pull ${one}`, now(), this.facts(one));
  }

  testHead(pr: number): void {
    const { testsHeads, ci, model } = this.#parts;
    const { headSha } = model.pullRequest(pr);
    if (testsHeads) ci.test(shaOf(headSha), model.headContent(headSha));
  }

  label(...change: Parameters<OnLabel>): void {
    const { now, onLabel } = this.#parts;
    if (!this.labels.change(...change, now())) return;
    this.touch(change[0]);
    onLabel(...change);
  }

  setAutoMerge(pr: number, isEnabled: boolean): void {
    const { now, onAutoMerge } = this.#parts;
    if (!this.autoMerge.set(pr, isEnabled, now())) return;
    this.touch(pr);
    onAutoMerge(pr, isEnabled);
  }

  /** Merges a pull request as a person does, outside of the queue. */
  mergeByHand(pr: number): void {
    this.#parts.model.mergeByHand(pr);
    this.#merged(pr);
  }

  #merged(pr: number): void {
    const { model, now, onMerged } = this.#parts;
    this.autoMerge.set(pr, false, now());
    this.touch(pr);
    const { baseBranch } = model.pullRequest(pr);
    this.baseMoved(baseBranch);
    onMerged(pr, baseBranch);
  }

  /** Records that the tip of a base branch has just changed. */
  baseMoved(base: string): void {
    const { past, model, now } = this.#parts;
    past.record(base, now(), model.tipOf(base));
  }

  facts(pr: number): PullRequestFacts {
    const facts = this.#parts.model.pullRequest(pr);
    const baseBranch = this.#parts.repository.nameOf(facts.baseBranch);
    const objections = [...facts.objections, ...this.#parts.dependencies.unmet(facts)];
    const updatedAt = this.#updatedAt.get(pr) ?? 0;
    return { ...facts, baseBranch, objections, headSha: shaOf(facts.headSha), updatedAt };
  }

  /** A reading, which may show an earlier state. */
  #read<T>(name: string, key: string, current: () => T): Promise<T> {
    const { calls, past, now } = this.#parts;
    const behindMs = calls.drawLag();
    return this.ask(name, () => (behindMs === 0 ? current() : past.at(key, now() - behindMs, current())));
  }

  findInstallation() {
    return this.ask("findInstallation", () => this.#parts.repository.installationId);
  }

  readReach({ branch }: KnownPlace) {
    const { repository, calls, past, now } = this.#parts;
    const lagMs = calls.drawListLag();
    return this.ask("readReach", () => past.at("repository", now() - lagMs, repository).reach(branch));
  }

  branchTip(_repo: InstalledRepository, name: string) {
    const { model, repository } = this.#parts;
    const base = repository.baseNamed(name);
    if (base === null) return this.ask("branchTip", () => this.branches.get(name) ?? null);
    return this.#read<string | null>("branchTip", base, () => model.tipOf(base));
  }

  readRepositoryFile() {
    return this.ask("readRepositoryFile", () => this.#parts.repositoryFile());
  }

  requiredChecks() {
    const { requirements } = this.#parts;
    const names = () => (requirements.source === "rules" ? requirements.now : checkNames);
    return this.ask("requiredChecks", () => names().map((name) => ({ name, appId: null })));
  }

  compareHead(_repo: InstalledRepository, base: string, head: string) {
    const compare = () => this.#parts.model.compare(commitOf(base), commitOf(head));
    return this.ask("compareHead", () => ({ ...compare(), patch: null }));
  }

  treeOf(_repo: InstalledRepository, sha: string) {
    return this.ask("treeOf", () => treeOf(this.#parts.model.contentOf(sha)));
  }

  readPullRequest(_repo: InstalledRepository, pr: number) {
    return this.#read("readPullRequest", `pull ${pr}`, () => this.facts(pr));
  }

  headAt(_repo: InstalledRepository, pr: number, { at, by }: SaidAt) {
    return this.#read("headAt", `pull ${pr}`, () => this.facts(pr)).then(({ headSha: sha }): HeadRecord => {
      // The record of pushes is another reading, which may be newer.
      if (sha !== this.facts(pr).headSha) return { kind: "unknown" };
      const pushedAt = this.#pushedAt.get(pr) ?? 0;
      if (pushedAt > at) return { kind: "pushed_since", sha };
      return pushedAt < at || by === alice.name ? { kind: "proven", sha } : { kind: "unknown" };
    });
  }

  listComments(_repo: InstalledRepository, since: number) {
    const { calls, comments, now } = this.#parts;
    const behindMs = calls.drawLag();
    return this.ask("listComments", () => comments.list(since, now() - behindMs));
  }

  listOpenPullRequests(_repo: InstalledRepository, base: string) {
    const behindMs = this.#parts.calls.drawListLag();
    return this.ask("listOpenPullRequests", () => this.#listings.open(base, this.#parts.now() - behindMs));
  }

  listObjectedTo(_repo: InstalledRepository, prs: readonly number[]) {
    return this.ask("listObjectedTo", () =>
      prs.filter((pr) => this.#parts.model.pullRequest(pr).objections.length > 0),
    );
  }

  autoMergeEnabledAt(_repo: InstalledRepository, pr: number) {
    return this.ask("autoMergeEnabledAt", () => this.autoMerge.enabledAt(pr));
  }

  listLabelEvents(_repo: InstalledRepository, pr: number) {
    const lagMs = this.#parts.calls.drawListLag();
    return this.ask("listLabelEvents", () => this.labels.events(pr, this.#parts.now() - lagMs));
  }

  listLabels(_repo: InstalledRepository, pr: number) {
    return this.ask("listLabels", () => this.labels.of(pr));
  }

  addLabel(_repo: InstalledRepository, pr: number, label: string) {
    return this.change("addLabel", () => this.label(pr, "labeled", label, "service"));
  }

  removeLabel(_repo: InstalledRepository, pr: number, label: string) {
    return this.change("removeLabel", () => this.label(pr, "unlabeled", label, "service"));
  }

  react(...reaction: Parameters<Publisher["react"]>) {
    return this.#publisher.react(...reaction);
  }

  readChecks(_repo: InstalledRepository, sha: string) {
    const { ci } = this.#parts;
    return this.#read("readChecks", `checks ${sha}`, () => ci.checksOf(sha)).then((checks) => ({
      checks,
      isQuiet: checks.every(({ status }) => status === "completed"),
    }));
  }

  rerunFailedJobs(_repo: InstalledRepository, suiteId: number) {
    return this.change("rerunFailedJobs", () => {
      const kind = this.#parts.ci.rerun(suiteId);
      return kind === "unknown" ? ({ kind: "impossible", message: "unknown" } as const) : { kind };
    });
  }

  buildTestCommit(...build: Parameters<Integrator["buildTestCommit"]>) {
    return this.#integrator.buildTestCommit(...build);
  }

  /** The pull request is closed when its branch is removed. */
  openTestPullRequest(_repo: InstalledRepository, { head }: TestPullRequest) {
    return this.change("openTestPullRequest", () => this.branches.has(head));
  }

  removeBranch(_repo: InstalledRepository, name: string) {
    return this.change("removeBranch", () => void this.branches.delete(name));
  }

  listBranches(_repo: InstalledRepository, prefix: string) {
    return this.ask("listBranches", () =>
      [...this.branches.keys()].filter((name) => name.startsWith(prefix)),
    );
  }

  merge(repo: InstalledRepository, plan: MergePlan, gate: MergeGate): Promise<MergeOutcome> {
    return this.#integrator.merge(repo, plan, this.#parts.withdrawals.watch(plan, gate));
  }

  putCheckRun(...check: Parameters<Publisher["putCheckRun"]>) {
    return this.#publisher.putCheckRun(...check);
  }

  putComment(...comment: Parameters<Publisher["putComment"]>) {
    return this.#publisher.putComment(...comment);
  }
}
