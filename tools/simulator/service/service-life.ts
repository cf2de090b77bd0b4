import { createHash } from "node:crypto";
import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import type { Service } from "../../../src/service/create-service.ts";
import { hintOf } from "../../../src/service/observation/check-watcher.ts";
import { CodeHost } from "../soak/code-host.ts";
import type { Boundaries } from "./boundaries.ts";
import { guardedCodeHost } from "./guarded-code-host.ts";
import { judgeService } from "./judge-service.ts";
import { Past } from "./past.ts";
import type { ServicePlan } from "./service-plan.ts";
import { act, alice } from "./virtual-author.ts";
import { VirtualCalls } from "./virtual-calls.ts";
import { VirtualCi } from "./virtual-ci.ts";
import { VirtualCodeHost } from "./virtual-code-host.ts";
import type { VirtualDatabase } from "./virtual-database.ts";
import { type silent, VirtualReplicas } from "./virtual-replicas.ts";
import { branch, type Upheaval, VirtualRepository } from "./virtual-repository.ts";
import type { VirtualTime } from "./virtual-time.ts";

export const startsAt = Date.UTC(2026, 0, 5, 9);
/** How long everything may take once nothing goes wrong any more. */
const patienceMs = 6 * 3_600_000;
/** How long an upheaval at a boundary lasts. */
const upheavalMs = 60_000;
/** The longest wait for a webhook. */
const webhookMs = 20_000;

export interface ServiceOutcome {
  readonly seed: number;
  readonly violations: readonly string[];
  /** Virtual time, in milliseconds. */
  readonly tookMs: number;
  readonly events: number;
  /** Of the queue's events with their times. Equal lives have equal digests. */
  readonly digest: string;
}

interface LifeParts {
  readonly plan: ServicePlan;
  readonly time: VirtualTime;
  readonly database: VirtualDatabase;
  readonly boundaries: Boundaries;
  readonly log: typeof silent;
}

/** One life of a service, with the people, the code host and the CI around it. */
export class ServiceLife {
  readonly #plan: ServicePlan;
  readonly #time: VirtualTime;
  readonly #database: VirtualDatabase;
  readonly #random: () => number;
  readonly #model: CodeHost;
  readonly #calls: VirtualCalls;
  readonly #host: VirtualCodeHost;
  readonly #repository = new VirtualRepository();
  readonly #replicas: VirtualReplicas;
  #lostWebhooks: number;
  /** Whether all people have done what they wanted to. */
  #areDone = false;

  constructor({ plan, time, database, boundaries, log }: LifeParts) {
    const random = createRandomSource(plan.seed * 7_919 + 1);
    const model = new CodeHost(plan.scenario);
    for (const { number, reworked } of plan.pullRequests) if (reworked) model.change(number, { draft: true });
    const calls = new VirtualCalls(time, random, boundaries, plan.faults);
    const past = new Past();
    const onEnd = (sha: string, check: CheckFact) => this.#checkEnded(sha, check);
    const ci = new VirtualCi({ time, model, random, past, onEnd });
    const host = new VirtualCodeHost({ model, ci, calls, past, repository: this.#repository, now: time.now });
    const reached = guardedCodeHost(host, this.#repository, calls);
    boundaries.onUpheaval = (kind) => {
      this.#repository.begin(kind);
      // The timer ends the turn of the process. The service hears of it at once, while its work is under way.
      time.after(0, () => this.#deliver(this.#newsOf(kind), 0));
      time.after(upheavalMs, () => this.#shake(kind, "end"));
    };
    this.#plan = plan;
    this.#time = time;
    this.#database = database;
    this.#random = random;
    this.#model = model;
    this.#calls = calls;
    this.#host = host;
    this.#replicas = new VirtualReplicas({
      count: plan.replicas,
      time,
      database,
      host: reached,
      random,
      log,
    });
    this.#lostWebhooks = plan.lostWebhooks;
  }

  async play(): Promise<ServiceOutcome> {
    const time = this.#time;
    await this.#replicas.start();
    this.#planTroubles();
    void this.#letPeopleAct();
    let found = await this.#judge();
    const end = startsAt + this.#plan.calmFrom + patienceMs;
    while (found.length > 0 && time.now() < end) {
      const until = time.now() + 60_000;
      time.after(60_000, () => {});
      await time.runUntil(() => time.now() >= until, until);
      found = await this.#judge();
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

  /** The queue as people know it at the moment. */
  get #queue() {
    return { repo: this.#repository.ref, branch };
  }

  #planTroubles(): void {
    const { kills, suspensions, pushes, upheavals, replicas, calmFrom } = this.#plan;
    const time = this.#time;
    for (const [index, at] of kills.entries()) time.after(at, () => this.#replicas.kill(index % replicas));
    for (const [index, { at, ms }] of suspensions.entries())
      time.after(at, () => this.#replicas.suspend(index % replicas, ms));
    for (const at of pushes) time.after(at, () => this.#pushToBase());
    for (const { kind, at, ms } of upheavals) {
      time.after(at, () => this.#shake(kind, "begin"));
      time.after(at + ms, () => this.#shake(kind, "end"));
    }
    time.after(calmFrom, () => {
      this.#calls.faults = 0;
      this.#lostWebhooks = 0;
    });
  }

  async #letPeopleAct(): Promise<void> {
    const { settings, pullRequests } = this.#plan;
    const parts = {
      time: this.#time,
      model: this.#model,
      host: this.#host,
      repository: this.#repository,
      uploads: settings.mode === "parallel",
      hear: (tell: Tell) => this.#hear(tell),
      insist: (command: Command) => this.#insist(command),
    };
    await this.#insist(async ({ queues }) => {
      const created = await queues.createQueue({ ...this.#queue, settings, actor: alice });
      // An earlier call may have created it without an answer.
      return { ok: created.ok || created.refusal.code === "QUEUE_EXISTS" };
    });
    await Promise.all(pullRequests.map((pr) => act(pr, parts)));
    this.#areDone = true;
  }

  #pushToBase(): void {
    this.#model.moveBase();
    this.#host.baseMoved();
    const push = { repo: this.#repository.ref, branch, sha: this.#model.tip, forced: false };
    this.#hear(({ relay }) => relay.branchPushed(push));
  }

  #shake(kind: Upheaval, what: "begin" | "end"): void {
    this.#repository[what](kind);
    this.#deliver(this.#newsOf(kind));
  }

  #newsOf(kind: Upheaval): Tell {
    const told = this.#repository.toldOf(kind);
    return ({ reach }) => reach.hear(told);
  }

  #checkEnded(sha: string, check: CheckFact): void {
    const hint = hintOf(this.#repository.ref, sha, check);
    if (hint) this.#hear(({ watcher }) => watcher.hint(hint));
  }

  /** Tells of something in the repository, if the code host does. */
  #hear(tell: Tell): void {
    if (!this.#repository.isHeard) return;
    const { seen } = this.#repository;
    this.#deliver(async (service) => {
      await service.reach.recognise(seen);
      await tell(service);
    });
  }

  #deliver(tell: Tell, longestMs = webhookMs): void {
    if (this.#random() < this.#lostWebhooks) return;
    this.#time.after(this.#random() * longestMs, () => {
      // A webhook that fails is like one that is lost.
      this.#replicas.ask(tell).catch(() => {});
    });
  }

  /** Repeats a command until a service carries it out, as a person does. */
  async #insist(command: Command): Promise<void> {
    for (;;) {
      // The database may fail.
      const answer = await this.#replicas.ask(command).catch(() => null);
      if (answer?.ok) return;
      await this.#time.pause(5_000);
    }
  }

  async #judge(): Promise<readonly string[]> {
    if (!this.#areDone || this.#time.now() < startsAt + this.#plan.calmFrom)
      return ["not everything was done"];
    const { outbox } = this.#database.connect();
    const judged = await this.#replicas.ask(({ queues }) =>
      judgeService({
        plan: this.#plan,
        model: this.#model,
        host: this.#host,
        queues,
        queue: this.#queue,
        outbox,
      }),
    );
    return judged ?? ["no service runs"];
  }
}

type Tell = (service: Service) => Promise<unknown>;
type Command = (service: Service) => Promise<{ ok: boolean }>;
