import { AsyncLocalStorage } from "node:async_hooks";
import { type Replicas, SoleReplica } from "../../../src/service/replicas/replicas.ts";
import { type ReplicaPace, SharedReplicas } from "../../../src/service/replicas/shared-replicas.ts";
import type { Store } from "../../../src/store/create-stores.ts";
import type { VirtualCodeHost } from "./virtual-code-host.ts";
import type { VirtualDatabase } from "./virtual-database.ts";
import { createVirtualServer, type VirtualServer } from "./virtual-server.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Replicas learn of each other more slowly than real ones, so that differences between them last longer. */
const pace: ReplicaPace = { beatMs: 2_500, deadAfterMs: 10_000, listenMs: 1_500, catchUpMs: 5_000 };
/** A process that ended is started again within this time. */
const longestDownMs = 20_000;

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

interface VirtualReplicasParts {
  readonly count: number;
  /** By how much their clocks are ahead of the code host's, in milliseconds. */
  readonly clockErrorMs: number;
  readonly time: VirtualTime;
  readonly database: VirtualDatabase;
  readonly host: VirtualCodeHost;
  readonly random: () => number;
  readonly log: typeof silent;
}

interface Replica {
  readonly process: VirtualProcess;
  readonly server: VirtualServer;
}

/** Equal services on one database. A replica that ends is started again. */
export class VirtualReplicas {
  readonly #parts: VirtualReplicasParts;
  /** By place; null = not running. */
  readonly #running: (Replica | null)[];
  /** No replica is started before this time, in milliseconds since the epoch. */
  #downUntil = 0;
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

  /** Suspends a replica for some time, if it runs. */
  suspend(place: number, ms: number): void {
    const process = this.#running[place]?.process;
    if (process) process.suspendedUntil = Math.max(process.suspendedUntil, this.#parts.time.now() + ms);
  }

  /** Freezes all replicas for some time, like a suspended host, or kills all and starts none before the end. */
  leave(ms: number, isFrozen: boolean): void {
    for (const place of this.#running.keys())
      if (isFrozen) this.suspend(place, ms);
      else this.kill(place);
    this.#downUntil = this.#parts.time.now() + ms;
  }

  end(): void {
    for (const replica of this.#running) replica?.process.die();
  }

  /** Asks any of the replicas, like a balancer. Returns null when none runs, or when it ends before it has answered. */
  async ask<T>(question: (server: VirtualServer) => Promise<T>): Promise<T | null> {
    const { random, time } = this.#parts;
    const running = this.#running.filter((replica) => replica !== null);
    const replica = running[Math.floor(random() * running.length)];
    if (!replica) return null;
    const { process, server } = replica;
    await time.untilAwake(process);
    if (!process.isAlive) return null;
    return await Promise.race([process.run(() => question(server)), process.died.then(() => null)]);
  }

  async #start(place: number): Promise<void> {
    const { time, database } = this.#parts;
    const waitMs = this.#downUntil - time.now();
    if (waitMs > 0) return time.after(waitMs, () => void this.#start(place));
    const process = new VirtualProcess();
    const started = process
      .run(() => this.#startServer(database.connect()))
      .then(
        (server) => server,
        () => null,
      );
    const server = await Promise.race([started, process.died.then(() => null)]);
    if (!server) {
      // A process that cannot start ends, and is started again.
      process.die();
      time.after(5_000, () => void this.#start(place));
      return;
    }
    this.#running[place] = { process, server };
    void process.died.then(() => this.#died(place));
  }

  #died(place: number): void {
    const { time, random } = this.#parts;
    this.#running[place] = null;
    time.after(500 + random() * longestDownMs, () => void this.#start(place));
  }

  async #startServer(stores: Store): Promise<VirtualServer> {
    const { host, time, clockErrorMs, log } = this.#parts;
    const clock = { now: () => time.now() + clockErrorMs };
    const ids = { next: () => this.#nextId() };
    const server = await createVirtualServer({
      ...{ stores, host, clock, ids, log },
      replicas: this.#know(stores),
    });
    await server.start();
    return server;
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

const current = new AsyncLocalStorage<VirtualProcess>();

/** A process of the simulation. The timers and calls that begin in it belong to it, and end with it. */
export class VirtualProcess {
  readonly #death = Promise.withResolvers<void>();
  /** Resolves when the process ends. */
  readonly died = this.#death.promise;
  isAlive = true;
  /** Until then it does nothing, like on a suspended machine. In milliseconds since the epoch. */
  suspendedUntil = 0;

  /** The process to which the running code belongs; null = none, it belongs to the world. */
  static current(): VirtualProcess | null {
    return current.getStore() ?? null;
  }

  run<T>(work: () => T): T {
    return current.run(this, work);
  }

  die(): void {
    this.isAlive = false;
    this.#death.resolve();
  }
}

/** Gives each process its own data in memory. A new process begins without it. */
export function perProcess<T>(begin: () => T): () => T {
  const outside = {};
  const memories = new WeakMap<object, T>();
  return () => {
    const process = VirtualProcess.current() ?? outside;
    const known = memories.get(process);
    if (known !== undefined) return known;
    const begun = begin();
    memories.set(process, begun);
    return begun;
  };
}
