import { createService, type Service } from "../../../src/service/create-service.ts";
import { type Replicas, SoleReplica } from "../../../src/service/replicas/replicas.ts";
import { type ReplicaPace, SharedReplicas } from "../../../src/service/replicas/shared-replicas.ts";
import type { ServiceSettings } from "../../../src/service/service-parts.ts";
import type { Store } from "../../../src/store/create-stores.ts";
import type { VirtualCodeHost } from "./virtual-code-host.ts";
import type { VirtualDatabase } from "./virtual-database.ts";
import { VirtualProcess } from "./virtual-process.ts";
import { hostName } from "./virtual-repository.ts";
import type { VirtualTime } from "./virtual-time.ts";

const dayMs = 86_400_000;
/** Replicas hear of each other more slowly than real ones, to make differences between them last. */
const pace: ReplicaPace = { beatMs: 2_500, deadAfterMs: 10_000, listenMs: 1_500, catchUpMs: 5_000 };
/** A process that ended is started again within this time. */
const longestDownMs = 20_000;

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

interface VirtualReplicasParts {
  readonly count: number;
  readonly time: VirtualTime;
  readonly database: VirtualDatabase;
  readonly host: VirtualCodeHost;
  readonly random: () => number;
  readonly log: typeof silent;
}

interface Replica {
  readonly process: VirtualProcess;
  readonly service: Service;
}

/** Equal services on one database. Who ends is started again. */
export class VirtualReplicas {
  readonly #parts: VirtualReplicasParts;
  /** By place; null = not running. */
  readonly #running: (Replica | null)[];
  #ids = 0;

  constructor(parts: VirtualReplicasParts) {
    this.#parts = parts;
    this.#running = Array.from({ length: parts.count }, () => null);
  }

  async start(): Promise<void> {
    for (const place of this.#running.keys()) await this.#start(place);
  }

  /** Kills a replica, if it runs. */
  kill(place: number): void {
    this.#running[place]?.process.die();
  }

  /** Lets a replica do nothing for a time, if it runs. */
  suspend(place: number, ms: number): void {
    const replica = this.#running[place];
    if (replica) replica.process.suspendedUntil = this.#parts.time.now() + ms;
  }

  /** Ends all of them. */
  end(): void {
    for (const replica of this.#running) replica?.process.die();
  }

  /** Asks any of them, as a balancer does. Returns null when none runs, or when it dies before it has answered. */
  async ask<T>(question: (service: Service) => Promise<T>): Promise<T | null> {
    const { random, time } = this.#parts;
    const running = this.#running.filter((replica) => replica !== null);
    const replica = running[Math.floor(random() * running.length)];
    if (!replica) return null;
    const { process, service } = replica;
    await time.untilAwake(process);
    if (!process.isAlive) return null;
    return await Promise.race([process.run(() => question(service)), process.died.then(() => null)]);
  }

  async #start(place: number): Promise<void> {
    const { time, database } = this.#parts;
    const process = new VirtualProcess();
    const service = process.run(() => this.#create(database.connect()));
    const started = process
      .run(() => service.start())
      .then(
        () => true,
        () => false,
      );
    const isStarted = await Promise.race([started, process.died.then(() => false)]);
    if (!isStarted) {
      // A process that cannot start ends, and is started again.
      process.die();
      time.after(5_000, () => void this.#start(place));
      return;
    }
    this.#running[place] = { process, service };
    void process.died.then(() => this.#died(place));
  }

  #died(place: number): void {
    const { time, random } = this.#parts;
    this.#running[place] = null;
    time.after(500 + random() * longestDownMs, () => void this.#start(place));
  }

  #create(stores: Store): Service {
    const { host, time, log } = this.#parts;
    return createService({
      stores,
      host: { name: hostName, api: host, usage: { usage: () => [] } },
      poster: {
        objection: () => null,
        refusedPort: () => null,
        post: async () => ({ kind: "failed", error: "" }),
      },
      readKept: () => Promise.reject(new Error("there are no reports")),
      clock: time,
      ids: { next: () => this.#nextId() },
      log,
      replicas: this.#know(stores),
      settings,
    });
  }

  #know({ replicas: store }: Store): Replicas {
    if (this.#running.length === 1) return new SoleReplica();
    const id = this.#nextId();
    return new SharedReplicas({ store, id, name: id, log: this.#parts.log, pace });
  }

  #nextId(): string {
    this.#ids += 1;
    return `00000000-0000-4000-8000-${String(this.#ids).padStart(12, "0")}`;
  }
}

const settings: ServiceSettings = {
  branches: { test: "trainyard-merge/", scratch: "trainyard-scratch/" },
  doctor: { wanted: { permissions: {}, events: [] }, webhookUrl: null },
  commandPrefix: "/trainyard",
  submitLabel: "trainyard:merge",
  appPermissions: {},
  pace: { publishMs: 2_000, mergeabilityMs: 1_000 },
  leaseMs: 15_000,
  reconcileMs: 30_000,
  auditMs: 400 * dayMs,
  historyMs: 400 * dayMs,
  testRetentionMs: 45 * dayMs,
  queueUrl: () => null,
  testAddresses: { test: () => "", repository: () => "" },
  encryptionKeys: [],
  process: "simulated",
  webhookRetentionMs: 7 * dayMs,
};
