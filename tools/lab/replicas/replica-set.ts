import { setTimeout as sleep } from "node:timers/promises";
import type { DemoService } from "../service/demo-service.ts";
import { ServiceProcess } from "../service/service-process.ts";
import { Balancer } from "./balancer.ts";

export interface ReplicaSetParts {
  /** The environment of a replica without its port. */
  readonly env: (index: number) => Readonly<Record<string, string>>;
  /** The port of the balancer. */
  readonly port: number;
  /** The ports of the replicas. */
  readonly ports: readonly number[];
  readonly logFile: (index: number) => string;
  /** Returns a number from 0 to below 1. */
  readonly draw: () => number;
}

interface Replica {
  readonly process: ServiceProcess;
  state: "dead" | "starting" | "running";
}

/** Equal services on one database, behind a balancer. */
export class ReplicaSet implements DemoService {
  readonly #balancer: Balancer;
  readonly #replicas: readonly Replica[];
  readonly #draw: () => number;
  #isBalancing = false;

  constructor({ env, port, ports, logFile, draw }: ReplicaSetParts) {
    this.#replicas = ports.map((own, index) => ({
      process: new ServiceProcess({ ...env(index), PORT: String(own) }, logFile(index)),
      state: "dead",
    }));
    const urls = this.#replicas.map(({ process }) => process.url);
    this.#balancer = new Balancer(port, urls, draw);
    this.#draw = draw;
  }

  get url(): string {
    return this.#balancer.url;
  }

  /** The process ids of the replicas that run. */
  get pids(): readonly number[] {
    return this.#replicas.flatMap(({ process }) => (process.isRunning ? [process.pid] : []));
  }

  get starts(): number {
    return this.#replicas.reduce((all, { process }) => all + process.starts, 0);
  }

  /** Starts every replica that does not run, and the balancer. */
  async start(): Promise<void> {
    if (!this.#isBalancing) await this.#balancer.start();
    this.#isBalancing = true;
    await Promise.all(
      this.#replicas.map(async (replica) => {
        if (replica.state !== "dead") return;
        replica.state = "starting";
        await startAgain(replica.process);
        replica.state = "running";
        this.#balancer.putBack(replica.process.url);
      }),
    );
  }

  /** Kills one replica. The balancer notices that later than its clients, as balancers do. */
  async kill(): Promise<void> {
    const alive = this.#replicas.filter(({ state }) => state === "running");
    const replica = alive[Math.floor(this.#draw() * alive.length)];
    if (!replica) throw new Error("no replica is running");
    replica.state = "dead";
    await replica.process.kill();
    setTimeout(() => {
      if (replica.state !== "running") this.#balancer.takeOut(replica.process.url);
    }, noticeMs).unref();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#replicas.map(({ process }) => process.stop()));
    if (this.#isBalancing) await this.#balancer.stop();
  }

  check(): void {
    for (const { process, state } of this.#replicas) if (state === "running") process.check();
  }
}

const noticeMs = 200;
const startAgainMs = 500;
const mostStarts = 60;

/** Starts a service as a supervisor does: one that ends during its start, because its database is away, is started again. */
async function startAgain(process: ServiceProcess): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      return await process.start();
    } catch (error) {
      if (failures === mostStarts) throw error;
      await sleep(startAgainMs);
    }
  }
}
