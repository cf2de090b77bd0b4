import { createHash } from "node:crypto";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import type { Boundaries } from "./boundaries.ts";
import { configuring, happenAtBoundary } from "./happen-at-boundary.ts";
import { judgeService, unanswered } from "./judge-service.ts";
import { type ServicePlan, startsAt } from "./service-plan.ts";
import { type AuthorParts, act } from "./virtual-author.ts";
import type { VirtualDatabase } from "./virtual-database.ts";
import { command, review } from "./virtual-maintainer.ts";
import { alice } from "./virtual-pull-requests.ts";
import { type silent, VirtualReplicas } from "./virtual-replicas.ts";
import { type BaseBranch, branch, otherBranch } from "./virtual-repository.ts";
import type { VirtualServer } from "./virtual-server.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { VirtualWorld } from "./virtual-world.ts";

/** How long a process is suspended between a reading and its report. Others take over its work during this time. */
const outOfDateMs = 40_000;
/** How long people wait for the service while it and the code host run. */
const waitsMs = 900_000;
/** The maximum time until everything is done, after the faults have ended. */
const patienceMs = 6 * 3_600_000;

export interface ServiceOutcome {
  readonly seed: number;
  readonly violations: readonly string[];
  /** Virtual time, in milliseconds. */
  readonly tookMs: number;
  readonly events: number;
  /** A digest of the queue's events with their times. Equal lives have equal digests. */
  readonly digest: string;
}

interface LifeParts {
  readonly plan: ServicePlan;
  readonly time: VirtualTime;
  readonly database: VirtualDatabase;
  readonly boundaries: Boundaries;
  readonly log: typeof silent;
}

/** One life of a service, with the people and the code host around it. */
export class ServiceLife {
  readonly #plan: ServicePlan;
  readonly #time: VirtualTime;
  readonly #database: VirtualDatabase;
  readonly #world: VirtualWorld;
  readonly #replicas: VirtualReplicas;
  /** Whether all people have finished their actions. */
  #areDone = false;

  constructor({ plan, time, database, boundaries, log }: LifeParts) {
    const random = createRandomSource(plan.seed * 7_919 + 1);
    this.#plan = plan;
    this.#time = time;
    this.#database = database;
    this.#world = new VirtualWorld({
      ...{ plan, time, random, boundaries },
      deliver: (webhook) => this.#replicas.ask((server) => server.receive(webhook)),
    });
    const { reached: host } = this.#world;
    this.#replicas = new VirtualReplicas({
      count: plan.replicas,
      ...{ time, database, host, random, log },
      clockErrorMs: plan.clockErrorMs,
    });
    const away = new Set<number>();
    boundaries.onEvent = (event, process, kind) => {
      if (kind === "readings" && plan.replicas > 1) process.suspendedUntil = time.now() + outOfDateMs;
      const boundary = boundaries.points.length;
      happenAtBoundary(event, process, { plan, world: this.#world, author: this.#author, away, boundary });
    };
  }

  async play(): Promise<ServiceOutcome> {
    const time = this.#time;
    await this.#inTime(this.#replicas.start());
    this.#planTroubles();
    void this.#letPeopleAct();
    let found = await this.#inTime(this.#judge());
    const end = startsAt + this.#plan.calmFrom + patienceMs;
    while (found.length > 0 && time.now() < end) {
      const until = time.now() + 60_000;
      time.after(60_000, () => {});
      await time.runUntil(() => time.now() >= until, until);
      found = await this.#inTime(this.#judge());
    }
    this.#replicas.end();
    const { events, doubleClaims } = await this.#database.read();
    return {
      seed: this.#plan.seed,
      violations: [...found, ...doubleClaims],
      tookMs: time.now() - startsAt,
      events: events.length,
      digest: createHash("sha256").update(JSON.stringify(events)).digest("hex"),
    };
  }

  /** Lets virtual time pass until work is done, because the process that does it may be suspended. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // A failure is thrown below.
    done.catch(() => {});
    if (await this.#time.runUntil(() => isDone, this.#time.now() + patienceMs)) return done;
    throw new Error("a service did not answer for hours");
  }

  get #branches(): readonly BaseBranch[] {
    return this.#plan.nextQueue ? [branch, otherBranch] : [branch];
  }

  /** The branch in whose queue people expect a pull request. */
  #branchOf(pr: number): string {
    const base = this.#plan.nextQueue ? this.#world.model.pullRequest(pr).baseBranch : branch;
    return this.#world.repository.nameOf(base);
  }

  async #createQueue(base: BaseBranch, settings: Partial<QueueSettings>): Promise<void> {
    return this.#insist(async ({ queues }) => {
      const { repository } = this.#world;
      const queue = { repo: repository.ref, branch: repository.nameOf(base) };
      const created = await queues.createQueue({ ...queue, settings, actor: alice });
      // An earlier call may have created the queue without an answer.
      return { ok: created.ok || created.refusal.code === "QUEUE_EXISTS" };
    });
  }

  #planTroubles(): void {
    const { kills, suspensions, pushes, rewinds, upheavals, replicas, calmFrom, reruns, downtime } =
      this.#plan;
    const time = this.#time;
    if (downtime) time.after(downtime.at, () => this.#replicas.leave(downtime.ms, downtime.isFrozen));
    for (const [index, at] of kills.entries()) time.after(at, () => this.#replicas.kill(index % replicas));
    for (const [index, { at, ms }] of suspensions.entries())
      time.after(at, () => this.#replicas.suspend(index % replicas, ms));
    const bases = this.#branches;
    for (const [index, at] of pushes.entries())
      time.after(at, () => this.#world.pushToBase(bases[index % bases.length]));
    for (const at of reruns) time.after(at, () => this.#world.ci.rerunLast());
    for (const at of rewinds) time.after(at, () => this.#world.rewindBase());
    for (const { kind, at, ms } of upheavals) {
      time.after(at, () => this.#world.begin(kind));
      time.after(at + ms, () => this.#world.end(kind));
    }
    time.after(calmFrom, () => this.#world.calm());
  }

  async #letPeopleAct(): Promise<void> {
    const { settings, nextQueue, pullRequests, commands, objections } = this.#plan;
    await this.#createQueue(branch, settings);
    if (nextQueue) await this.#createQueue(otherBranch, nextQueue);
    await Promise.all([
      ...pullRequests.map((pr) => act(pr, this.#author)),
      ...commands.map((planned) => command(planned, this.#author)),
      ...objections.map((planned) => review(planned, this.#author)),
      this.#changeRequirements(),
    ]);
    this.#areDone = true;
  }

  async #changeRequirements(): Promise<void> {
    const { source, changes } = this.#plan.requirements ?? { source: "rules", changes: [] };
    for (const { at, checks } of changes) {
      await this.#time.pause(Math.max(0, startsAt + at - this.#time.now()));
      if (source !== "setting") {
        this.#world.require(checks);
        continue;
      }
      const { requirements } = this.#world;
      const change = () => requirements.change(checks, this.#time.now());
      // Between the call and its answer, both requirements count.
      const isLess = requirements.now.length > checks.length;
      if (isLess) change();
      await this.#insist(configuring(this.#world, { requiredStatuses: checks }));
      if (!isLess) change();
    }
  }

  /** The initial settings of the queues, and later ones. */
  get #settings(): readonly Partial<QueueSettings>[] {
    const { settings, nextQueue, commands } = this.#plan;
    return [
      settings,
      nextQueue ?? {},
      ...commands.flatMap((one) => (one.kind === "reconfigure" ? [one.settings] : [])),
    ];
  }

  get #author(): AuthorParts {
    const { model, host, repository, comments, webhooks } = this.#world;
    const { downtime, incident } = this.#plan;
    const ends = [downtime, incident].map((away) => (away ? startsAt + away.at + away.ms : 0));
    const backAt = Math.max(...ends);
    return {
      ...{ model, host, repository, comments, webhooks, time: this.#time },
      patienceMs: () => waitsMs + Math.max(0, backAt - this.#time.now()),
      uploads: this.#settings.some(({ mode }) => mode === "parallel"),
      by: this.#plan.by,
      branchOf: (pr) => this.#branchOf(pr),
      insist: (command) => this.#insist(command),
    };
  }

  /** Repeats a command until a service carries it out, as a person does. */
  async #insist(command: (server: VirtualServer) => Promise<{ ok: boolean }>): Promise<void> {
    for (;;) {
      // The database may fail.
      const answer = await this.#replicas.ask(command).catch(() => null);
      if (answer?.ok) return;
      await this.#time.pause(5_000);
    }
  }

  async #judge(): Promise<readonly string[]> {
    if (!this.#areDone || this.#time.now() < startsAt + this.#plan.calmFrom)
      return ["not everything was done", ...unanswered(this.#world.comments)];
    const { outbox } = this.#database.connect();
    const { model, host, comments, repository, withdrawals, requirements } = this.#world;
    const seen = { model, host, comments, repository, withdrawals, requirements };
    const evidence = { plan: this.#plan, ...seen, bases: this.#branches, outbox };
    const judged = await this.#replicas.ask(({ queues }) => judgeService({ ...evidence, queues }));
    return judged ?? ["no service runs"];
  }
}
