import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../src/cli/free-port.ts";
import { draw } from "../../sandbox/seeded-draw.ts";
import type { Deployed, Place } from "../world.ts";
import { type Service, ServiceProcess, serviceEnvironment } from "./service-process.ts";

interface ReplicaSetParts {
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

/** Deploys several services on one database. `seed` decides which of them a request reaches, and which is killed. */
export async function deployReplicas({
  env = () => ({}),
  ...place
}: Place & {
  readonly databaseUrl: string;
  readonly replicas: number;
  readonly seed: number;
  /** Added to the environment of a replica. */
  readonly env?: (index: number) => Readonly<Record<string, string>>;
}): Promise<Deployed<ReplicaSet>> {
  const { sandbox, directory, port, settings, databaseUrl, replicas, seed } = place;
  const ports: number[] = [];
  while (ports.length < replicas) ports.push(await freePort());
  let drawn = 0;
  const service = new ReplicaSet({
    env: (index) => ({ ...serviceEnvironment(sandbox, port, databaseUrl), ...settings, ...env(index) }),
    ...{ port, ports, draw: () => draw(seed, "replica", drawn++) },
    logFile: (index) => join(directory, `service-${index + 1}.log`),
  });
  return { databaseUrl, service };
}

/** Equal services on one database, behind a balancer. */
export class ReplicaSet implements Service {
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

  /** Kills one replica. As with real balancers, the balancer notices that later than its clients. */
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

/** Starts a service as a supervisor does: if it ends during its start, because its database is absent, it is started again. */
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

/** Sends each request to one of several services, at random, as a load balancer without sessions does. */
export class Balancer {
  readonly url: string;
  readonly #server = createServer((asked, answer) => this.#forward(asked, answer));
  readonly #port: number;
  readonly #targets: readonly string[];
  readonly #draw: () => number;
  readonly #out = new Set<string>();

  /** @param draw returns a number from 0 to below 1 */
  constructor(port: number, targets: readonly string[], draw: () => number) {
    this.#port = port;
    this.#targets = targets;
    this.#draw = draw;
    this.url = `http://127.0.0.1:${port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** Sends no more requests to a service. Requests in progress continue. */
  takeOut(target: string): void {
    this.#out.add(target);
  }

  putBack(target: string): void {
    this.#out.delete(target);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #forward(asked: IncomingMessage, answer: ServerResponse): void {
    const targets = this.#targets.filter((target) => !this.#out.has(target));
    const target = targets[Math.floor(this.#draw() * targets.length)];
    if (target === undefined) return void answer.writeHead(503).end();
    const { method, url = "/", headers } = asked;
    const forwarded = request(new URL(url, target), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.on("error", () => answer.destroy());
      answered.pipe(answer);
    });
    forwarded.on("error", () => {
      if (answer.headersSent) return void answer.destroy();
      answer.writeHead(502).end();
    });
    answer.on("close", () => forwarded.destroy());
    asked.pipe(forwarded);
  }
}
