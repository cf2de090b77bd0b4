import { nextDeadline } from "../src/engine/deadline.ts";
import type { Decided } from "../src/engine/decide.ts";
import type { Event } from "../src/engine/model/event.ts";
import type { Input } from "../src/engine/model/input.ts";
import { defaultSettings, type QueueSettings } from "../src/engine/model/settings.ts";
import { targetsOf } from "../src/engine/model/targets.ts";
import type { TestRun } from "../src/engine/model/test-run.ts";
import { readyPullRequest } from "../src/replay/engine-run/messages.ts";
import { createRandomSource } from "../src/replay/workload/random-source.ts";
import { Forecasts } from "../src/service/runtime/forecasts.ts";
import { QueueRuntime } from "../src/service/runtime/queue-runtime.ts";
import { EntryReader } from "../src/service/runtime/views.ts";
import type { QueueStore } from "../src/store/queue/queue-store.ts";

export const queueId = "bench-queue";
export const repo = { host: "github.com", owner: "acme", name: "app" } as const;

const actor = { kind: "user", name: "ada" } as const;
const branch = "main";
const required = [{ name: "build", appId: null }];
/** How much time passes from one input to the next. */
const stepMs = 1_000;

/** Returns the names of the targets that a pull request impacts, by its number. */
export type Impact = (pr: number) => readonly string[];

type Kind = "submit" | "observe" | "build" | "report" | "merge" | "cancel" | "clock";

/**
 * The relative frequency of each kind. If the drawn kind is impossible at the moment, another one is drawn, so that
 * merges keep up with passed tests.
 */
const mix: Readonly<Record<Kind, number>> = {
  submit: 100,
  observe: 20,
  build: 30,
  report: 60,
  merge: 100,
  cancel: 2,
  clock: 5,
};
const kinds = (Object.keys(mix) as Kind[]).flatMap((kind) => Array<Kind>(mix[kind]).fill(kind));

/**
 * The service's queue at a given length, with a simulated environment. It gets the inputs that a service would get, drawn
 * from a seed, and is kept at its length. The caller provides the store.
 */
export class BusyQueue {
  readonly #runtime: QueueRuntime;
  readonly #reader: EntryReader;
  readonly #impact: Impact;
  readonly #random = createRandomSource(1);
  readonly #live: number[] = [];
  readonly #inputs: Input[] = [];
  readonly #runs = new Map<string, TestRun>();
  #length = 0;
  #lastPr = 0;
  #lastId = 0;
  #lastCommit = 0;
  #now = Date.UTC(2026, 0, 5);
  #merged = 0;

  constructor(store: QueueStore, impact: Impact) {
    const silent = () => undefined;
    this.#runtime = new QueueRuntime({
      store,
      clock: { now: () => this.#now },
      ids: { next: () => this.#newId() },
      log: { debug: silent, info: silent, warn: silent, error: (fields) => console.error(fields) },
      pageUrl: () => null,
      pace: { publishMs: 2_000, mergeabilityMs: 5_000 },
    });
    this.#runtime.onCommit((_id, _events, state) => void nextDeadline(state));
    const targets = { has: async () => true };
    // With the real clock: how often forecasts are made depends on time, not on inputs.
    this.#reader = new EntryReader({
      ...{ store, targets, runtime: this.#runtime, pageUrl: () => null },
      forecasts: new Forecasts({ now: Date.now }),
    });
    this.#impact = impact;
  }

  get merged(): number {
    return this.#merged;
  }

  /** Returns the number of entries in the queue's line. */
  async lineLength(): Promise<number> {
    return (await this.#runtime.state(queueId)).line.length;
  }

  /** Creates the queue, and submits `length` pull requests before anything starts. */
  async fill(length: number, settings: Partial<QueueSettings>): Promise<void> {
    this.#length = length;
    const settled = { ...defaultSettings, policy: "fixed" as const, ...settings };
    const record = { id: queueId, repo, branch, installationId: 1, repositoryId: 1, createdAt: this.#now };
    await this.#runtime.dispatch(
      queueId,
      { type: "create_queue", queueId, repo, branch, settings: settled, baseSha: "base", actor },
      { creates: record },
    );
    await this.#dispatch({ type: "configure", changes: { status: "paused" }, actor });
    while (this.#live.length < length) {
      const inputs = Array.from({ length: Math.min(200, length - this.#live.length) }, () => this.#submit());
      await Promise.all(inputs.map((input) => this.#dispatch(input)));
      await Promise.all(this.#inputs.splice(0).map((input) => this.#dispatch(input)));
    }
    await this.#dispatch({ type: "configure", changes: { status: "running" }, actor });
  }

  /** Handles the next input. Returns the milliseconds until it was decided, published, and answered with a view. */
  async step(): Promise<number> {
    this.#now += stepMs;
    const input = this.#next();
    const began = performance.now();
    const decided = await this.#runtime.dispatch(queueId, input);
    const [pr] = decided.touched.keys();
    if (pr !== undefined) await this.#reader.entryView(decided.state, pr);
    const took = performance.now() - began;
    this.#follow(decided);
    return took;
  }

  /** Returns the number of events so far. */
  async countEvents(): Promise<number> {
    return (await this.#runtime.state(queueId)).seq;
  }

  /** Cancels every pull request that is still in the queue. */
  async empty(): Promise<void> {
    while ((await this.#runtime.state(queueId)).merge) await this.step();
    const { entries } = await this.#runtime.state(queueId);
    for (const pr of entries.keys()) await this.#dispatch({ type: "cancel", pr, actor, via: "api" });
  }

  /** Resolves when the store can be closed. */
  rest(): Promise<void> {
    return this.#runtime.rest();
  }

  async #dispatch(input: Input): Promise<void> {
    this.#follow(await this.#runtime.dispatch(queueId, input));
  }

  #follow({ events, state, refusal }: Decided): void {
    if (refusal) throw new Error(`refused: ${refusal.code}`);
    for (const event of events) this.#followOne(event);
    for (const [id, run] of this.#runs) {
      const now = state.runs.get(id);
      if (!now) this.#runs.delete(id);
      else if (now !== run) this.#runs.set(id, now);
    }
    for (const { data } of events) {
      const run = data.type === "run_started" ? state.runs.get(data.run.id) : undefined;
      if (run) this.#runs.set(run.id, run);
    }
  }

  #followOne({ data }: Event): void {
    if (data.type === "merge_started") {
      const merged = data.attempt.steps.map(({ pr, treeSha, commitSha }) => {
        return { pr, treeSha, sha: `merged-${commitSha}`, proof: "same_tree" as const };
      });
      const outcome = { merged, stop: null };
      this.#inputs.push({ type: "merge_concluded", attemptId: data.attempt.id, outcome });
    }
    if (data.type === "entry_moved" && ["merged", "failed", "cancelled"].includes(data.to)) {
      const place = this.#live.indexOf(data.pr);
      this.#live[place] = this.#live.at(-1) ?? 0;
      this.#live.pop();
      if (data.to === "merged") this.#merged += 1;
    }
  }

  #next(): Input {
    for (;;) {
      const input = this.#draw(this.#anyOf(kinds) ?? "clock");
      if (input) return input;
    }
  }

  #draw(kind: Kind): Input | undefined {
    switch (kind) {
      case "submit":
        return this.#inputs.find(({ type }) => type === "targets_observed")
          ? this.#takeInput("targets_observed")
          : this.#live.length < this.#length
            ? this.#submit()
            : undefined;
      case "observe": {
        const pr = this.#anyOf(this.#live);
        const title = `change ${pr}, take ${Math.floor(this.#random() * 3)}`;
        return pr === undefined
          ? undefined
          : { type: "pull_request_observed", pullRequest: { ...readyPullRequest(pr), title } };
      }
      case "build": {
        const run = this.#anyOf([...this.#runs.values()].filter(({ state }) => state === "building"));
        return run && this.#built(run);
      }
      case "report": {
        // Merging takes seconds and tests take minutes, so a passed test merges before the next report.
        const merge = this.#takeInput("merge_concluded");
        if (merge) return merge;
        const run = this.#anyOf([...this.#runs.values()].filter(({ state }) => state === "running"));
        return run && this.#report(run);
      }
      case "merge":
        return this.#takeInput("merge_concluded");
      case "cancel": {
        const pr = this.#anyOf(this.#live);
        const isMerging = this.#inputs.some(
          (input) => input.type === "merge_concluded" && input.outcome.merged.some((step) => step.pr === pr),
        );
        return pr === undefined || isMerging ? undefined : { type: "cancel", pr, actor, via: "api" };
      }
      case "clock":
        return { type: "clock" };
    }
  }

  #submit(): Input {
    const pr = ++this.#lastPr;
    this.#live.push(pr);
    const targets = targetsOf(this.#impact(pr));
    this.#inputs.push({ type: "targets_observed", pr, headSha: `head-${pr}`, targets });
    return {
      type: "submit",
      entryId: this.#newId(),
      pullRequest: readyPullRequest(pr),
      expectedHead: null,
      seenHead: null,
      priority: null,
      noBatch: null,
      targets: null,
      actor,
      via: "api",
    };
  }

  #built(run: TestRun): Input {
    const commits = run.members.map((pr) => {
      const commit = `commit-${++this.#lastCommit}`;
      return { pr, headSha: `head-${pr}`, treeSha: `tree-of-${commit}`, commitSha: commit };
    });
    const outcome = { kind: "built", branch: `tests/${run.id}`, parentSha: run.base, commits } as const;
    return {
      type: "test_commit_concluded",
      runId: run.id,
      outcome: { ...outcome, required, requiredSource: "repo_provider_branch_protection" },
    };
  }

  /** Two of three reports say that the tests are still running. One in twenty of the others is red. */
  #report(run: TestRun): Input {
    const isDone = this.#random() < 1 / 3;
    const conclusion = this.#random() < 1 / 20 ? "failure" : "success";
    const check = {
      kind: "check_run",
      name: "build",
      appId: null,
      suiteId: 1,
      id: run.checks.length === 0 ? 1 : (run.checks[0]?.id ?? 0) + 1,
      status: isDone ? "completed" : "in_progress",
      conclusion: isDone ? conclusion : null,
      url: null,
    } as const;
    return { type: "checks_observed", runId: run.id, checks: [check] };
  }

  #takeInput(type: Input["type"]): Input | undefined {
    const index = this.#inputs.findIndex((input) => input.type === type);
    return index < 0 ? undefined : this.#inputs.splice(index, 1)[0];
  }

  #anyOf<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }

  #newId(): string {
    return `00000000-0000-4000-8000-${String(++this.#lastId).padStart(12, "0")}`;
  }
}
