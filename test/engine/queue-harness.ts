import { decide } from "../../src/engine/decide.ts";
import type { Channel } from "../../src/engine/model/actor.ts";
import type { CheckFact } from "../../src/engine/model/checks/required-checks.ts";
import type { Entry, EntryState, PullRequestFacts } from "../../src/engine/model/entry.ts";
import type { Event } from "../../src/engine/model/event.ts";
import type { Input, QueueChanges, TestCommitOutcome } from "../../src/engine/model/input.ts";
import type { MergeOutcome, MergeStop } from "../../src/engine/model/merge-attempt.ts";

import { noQueue, type QueueState } from "../../src/engine/model/queue.ts";
import type { Refusal } from "../../src/engine/model/refusal.ts";
import { defaultSettings, type QueueSettings } from "../../src/engine/model/settings.ts";
import type { Targets } from "../../src/engine/model/targets.ts";
import type { CommitMessage, TestRun } from "../../src/engine/model/test-run.ts";
import { readyPullRequest } from "../../src/replay/engine-run/messages.ts";

const alice = { kind: "user", name: "alice" } as const;

/** A queue under test. Its methods send the inputs of a scenario and return the state of its entries. */
export class QueueHarness {
  state: QueueState = noQueue;
  readonly log: Event[] = [];
  now = 1_000_000;
  #ids = 0;
  /** The last known entry of each pull request. */
  readonly #ended = new Map<number, Entry>();

  constructor(settings: Partial<QueueSettings> = {}) {
    this.take({
      type: "create_queue",
      queueId: "queue",
      repo: { host: "github.com", owner: "acme", name: "widgets" },
      branch: "main",
      settings: { ...defaultSettings, policy: "fixed", ...settings },
      baseSha: "base-0",
      actor: alice,
    });
  }

  take(input: Input): Refusal | null {
    const decided = decide(this.state, input, {
      now: this.now,
      newId: () => `id-${++this.#ids}`,
    });
    this.state = decided.state;
    this.log.push(...decided.events);
    for (const [pr, entry] of decided.touched) this.#ended.set(pr, entry);
    this.#testBase();
    return decided.refusal;
  }

  /** The result of each test of the base alone, which is known at once; null = CI does not answer. */
  base: "success" | "failure" | null = "success";

  #testBase(): void {
    const run = this.state.baseTest;
    if (run?.state !== "building" || this.base === null) return;
    this.runBuilt(run);
    this.runEnds(run, this.base);
  }

  submit(pr: number, facts: Partial<PullRequestFacts> = {}, priority: number | null = null): Refusal | null {
    return this.#submit(pr, facts, priority, null);
  }

  /** Submits with a title or message for the merged commit. */
  submitSaying(pr: number, message: CommitMessage): Refusal | null {
    return this.#submit(pr, {}, null, null, message);
  }

  /** Submits with `noBatch`. */
  submitAlone(pr: number, facts: Partial<PullRequestFacts> = {}): Refusal | null {
    return this.#submit(pr, facts, null, true);
  }

  /** The channel of submissions. */
  via: Channel = "comment";
  /** Returns the head that the submitter saw. By default the queued head, or else the current head. */
  seenHead: (pr: number, facts: Partial<PullRequestFacts>) => string | null = (pr, facts) =>
    this.state.entries.get(pr)?.headSha ?? pullRequest(pr, facts).headSha;
  /** Returns the impacted targets that a submission reports. */
  targets: (pr: number) => Targets | null = () => null;

  #submit(
    pr: number,
    facts: Partial<PullRequestFacts>,
    priority: number | null,
    noBatch: boolean | null,
    message: CommitMessage | null = null,
  ): Refusal | null {
    this.now += 1000;
    return this.take({
      type: "submit",
      entryId: `entry-${pr}`,
      pullRequest: pullRequest(pr, facts),
      expectedHead: null,
      seenHead: this.via === "api" || this.via === "action" ? null : this.seenHead(pr, facts),
      priority: priority === null ? null : { value: priority, name: String(priority), isDefault: false },
      noBatch,
      ...(message ? { message } : {}),
      targets: this.targets(pr),
      actor: alice,
      via: this.via,
    });
  }

  /** Freezes merges until the given time, except for urgent pull requests. Null lifts the freeze. */
  freezes(until: number | null): void {
    const freeze = { reason: "Release weekend.", since: this.now, timeZone: "Europe/Berlin" };
    this.take({ type: "freeze_observed", freeze: until === null ? null : { ...freeze, until } });
  }

  /** Reports which checks must pass now. */
  requires(...names: string[]): void {
    this.take({
      type: "requirements_observed",
      required: names.map((name) => ({ name, appId: null })),
      source: "repo_provider_branch_protection",
    });
  }

  cancel(pr: number): Refusal | null {
    return this.take({ type: "cancel", pr, actor: alice, via: "comment" });
  }

  restart(pr: number): Refusal | null {
    return this.take({ type: "restart", pr, actor: alice });
  }

  configure(changes: QueueChanges): Refusal | null {
    return this.take({ type: "configure", changes, actor: alice });
  }

  observe(pr: number, facts: Partial<PullRequestFacts>): void {
    this.take({ type: "pull_request_observed", pullRequest: pullRequest(pr, facts) });
  }

  baseMovesTo(sha: string): void {
    this.take({ type: "base_observed", sha, asOfSeq: this.state.seq });
  }

  /** Concludes the build of a pull request's run. */
  built(...prs: number[]): void {
    for (const pr of prs) this.buildEnds(pr, this.builtOf(this.run(pr)));
  }

  buildEnds(pr: number, outcome: TestCommitOutcome): void {
    this.buildOfRunEnds(this.run(pr), outcome);
  }

  /** Returns the outcome of a run's successful build. */
  builtOf(run: TestRun): TestCommitOutcome {
    return outcomeFor(run, (member) => this.state.entries.get(member)?.headSha ?? "");
  }

  /** Concludes the build of any run, not only of the main run of its members. */
  runBuilt(run: TestRun): void {
    this.buildOfRunEnds(run, this.builtOf(run));
  }

  buildOfRunEnds(run: TestRun, outcome: TestCommitOutcome): void {
    this.take({ type: "test_commit_concluded", runId: run.id, outcome });
  }

  runEnds(run: TestRun, conclusion: "success" | "failure" | "cancelled" | "startup_failure"): void {
    this.take({ type: "checks_observed", runId: run.id, checks: [check("build", conclusion)] });
  }

  passes(...prs: number[]): void {
    for (const pr of prs) this.checks(pr, [check("build", "success")]);
  }

  fails(...prs: number[]): void {
    for (const pr of prs) this.checks(pr, [check("build", "failure")]);
  }

  failsTwice(pr: number): void {
    for (let failures = 0; failures < 2; failures++) this.failsOnce(pr);
  }

  /** Fails every test of a pull request until it is removed. Three failures are always enough. */
  failsToTheEnd(pr: number, failsOnce = () => this.failsOnce(pr)): void {
    for (let failures = 0; failures < 3 && this.state.entries.has(pr); failures++) {
      failsOnce();
      for (const run of this.state.runs.values()) if (run.hedge) this.#failsIn(run);
    }
  }

  failsOnce(pr: number): void {
    this.built(pr);
    this.fails(pr);
  }

  #failsIn(run: TestRun): void {
    if (run.state === "building") this.runBuilt(run);
    this.runEnds(run, "failure");
  }

  checks(pr: number, checks: CheckFact[]): void {
    this.take({ type: "checks_observed", runId: this.run(pr).id, checks });
  }

  /** Reports no checks and no activity on the test branch until the waiting time for missing checks is over. */
  misses(pr: number, brokenWorkflows: readonly string[] = []): this {
    const { id: runId } = this.run(pr);
    const reading = { type: "checks_observed", runId, checks: [], isQuiet: true, brokenWorkflows } as const;
    this.take(reading);
    this.passesTime(this.state.settings.missingCheckMinutes);
    this.take(reading);
    return this;
  }

  /** Reports that GitHub is asked for the first steps of the ordered merge. */
  calls(steps: number): void {
    this.take({ type: "merge_calling", attemptId: this.state.merge?.id ?? "", steps });
  }

  /** Reports that GitHub carried out no step of the ordered merge. */
  callFailed(): void {
    this.take({ type: "merge_not_done", attemptId: this.state.merge?.id ?? "", steps: 0 });
  }

  /** Reports that a pull request was found changed just before its merge, after the `merged` ones merged. */
  finds(pr: number, facts: Partial<PullRequestFacts>, merged: readonly number[]): void {
    const steps = this.state.merge?.steps.filter((step) => merged.includes(step.pr)) ?? [];
    this.mergeEnds({
      merged: steps.map((step) => ({ ...step, sha: step.commitSha, proof: "exact" })),
      stop: { kind: "withdrawn", pullRequest: pullRequest(pr, facts) },
    });
  }

  /** Carries out the ordered merge. */
  merges(): void {
    const { merge } = this.state;
    if (!merge) throw new Error("no merge is ordered");
    this.mergeEnds({
      merged: merge.steps.map(({ pr, treeSha, commitSha }) => ({
        pr,
        treeSha,
        sha: merge.method === "merge_commit" ? commitSha : `landed-${pr}`,
        proof: merge.method === "merge_commit" ? "exact" : "same_tree",
      })),
      stop: null,
    });
  }

  /** Stops the ordered merge at its first step. */
  mergeStops(stop: MergeStop): void {
    this.mergeEnds({ merged: [], stop });
  }

  mergeEnds(outcome: MergeOutcome): void {
    this.take({ type: "merge_concluded", attemptId: this.state.merge?.id ?? "", outcome });
  }

  passesTime(minutes: number): void {
    this.now += minutes * 60_000;
    this.take({ type: "clock" });
  }

  /** The entry, live or as it ended. Throws when the pull request was never in the queue. */
  entryOf(pr: number): Entry {
    const entry = this.state.entries.get(pr) ?? this.#ended.get(pr);
    if (!entry) throw new Error(`#${pr} was never in the queue`);
    return entry;
  }

  /** The state of the entry, live or as it ended. Null when the pull request was never in the queue. */
  stateOf(pr: number): EntryState | null {
    const live = this.state.entries.get(pr);
    if (live) return live.state;
    const ended = this.log.findLast(({ data }) => data.type === "entry_moved" && data.pr === pr);
    return ended?.data.type === "entry_moved" ? ended.data.to : null;
  }

  /** The reason code of the last transition of a pull request. */
  reasonOf(pr: number): string | undefined {
    const live = this.state.entries.get(pr);
    if (live) return live.reason.code;
    const moved = this.log.findLast(({ data }) => data.type === "entry_moved" && data.pr === pr);
    return moved?.data.type === "entry_moved" ? moved.data.reason.code : undefined;
  }

  /** All transitions of a pull request in order, each as `from→to REASON`. */
  storyOf(pr: number): string[] {
    return this.log.flatMap(({ data }) =>
      data.type === "entry_moved" && data.pr === pr ? [`${data.from}→${data.to} ${data.reason.code}`] : [],
    );
  }

  run(pr: number): TestRun {
    const runId = this.state.entries.get(pr)?.runId;
    const run = runId ? this.state.runs.get(runId) : undefined;
    if (!run) throw new Error(`#${pr} has no run`);
    return run;
  }

  /** Every pull request that has an unfinished run. */
  get testing(): number[] {
    return [...this.state.runs.values()]
      .filter((run) => run.state === "building" || run.state === "running")
      .flatMap((run) => run.members);
  }
}

export function pullRequest(number: number, facts: Partial<PullRequestFacts> = {}): PullRequestFacts {
  return readyPullRequest(number, { headRef: `feature-${number}`, ...facts });
}

export function check(name: string, conclusion: string | null, facts: Partial<CheckFact> = {}): CheckFact {
  return {
    kind: "check_run",
    name,
    appId: 1,
    suiteId: 1,
    id: 1,
    status: conclusion === null ? "in_progress" : "completed",
    conclusion,
    url: `https://ci.example/${name}`,
    ...facts,
  };
}

/** The outcome of a run's build. Trees and commits are named after the pull requests that they contain. */
function outcomeFor(run: TestRun, headOf: (pr: number) => string): TestCommitOutcome {
  const below = run.ahead.map((pr) => `+${pr}`).join("");
  const parentSha = run.ahead.length === 0 ? run.base : `commit(${run.base}${below})`;
  let content = below;
  const commits = run.members.map((pr) => {
    content += `+${pr}`;
    const name = `${run.base}${content}`;
    return { pr, headSha: headOf(pr), treeSha: `tree(${name})`, commitSha: `commit(${name})` };
  });
  return {
    kind: "built",
    branch: `trainyard-merge/${run.id}`,
    parentSha,
    commits,
    required: [{ name: "build", appId: null }],
    requiredSource: "repo_provider_branch_protection",
  };
}
