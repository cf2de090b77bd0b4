import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "../../../src/cli/free-port.ts";
import { openStore } from "../../../src/store/sqlite/open-store.ts";
import { draw } from "../../sandbox/seeded-draw.ts";
import type { DatabaseKind } from "../crash/open-database.ts";
import type { DemoDeployment, Deployed } from "../demo/run-demo.ts";
import { LocalPostgres } from "../postgres/local-postgres.ts";
import { findDoubleClaims, watchClaims } from "../replicas/double-claims.ts";
import { ReplicaSet } from "../replicas/replica-set.ts";
import { serviceEnvironment } from "../service/service-environment.ts";
import { fileVariable, undisturbed, writeDisturbance } from "./disturbance.ts";
import { postgresFaults } from "./postgres-faults.ts";
import { sqliteFaults } from "./sqlite-faults.ts";
import type { StoreFault } from "./store-fault.ts";

/** Services whose database and clocks can be disturbed. */
export interface DisturbedServices extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly storeFaults: readonly StoreFault[];
  readonly services: number;
  deploy(place: DemoDeployment): Promise<Deployed>;
  /** Sets how far the clock of a service is ahead; negative = behind. */
  setClock(service: number, ms: number): void;
  /** Describes pieces of work that two services held at the same time. */
  findDoubleClaims(): Promise<readonly string[]>;
  /** Writes a file to a directory that stays. Returns its path. */
  keep(name: string, text: string): Promise<string>;
}

const preload = pathToFileURL(join(import.meta.dirname, "disturb-process.ts")).href;
/** Services that share SQLite do not exist. */
const servicesOn = { sqlite: 1, postgres: 3 } as const;

export async function createDisturbedServices(kind: DatabaseKind, seed: number): Promise<DisturbedServices> {
  await using resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "trainyard-chaos-"));
  let isKept = false;
  resources.defer(async () => {
    if (!isKept) await rm(directory, { recursive: true, force: true });
  });
  const services = servicesOn[kind];
  const files = Array.from({ length: services }, (_, index) => join(directory, `disturbance-${index}.json`));
  const now = files.map(() => ({ ...undisturbed }));
  const disturb = (index: number, change: Partial<typeof undisturbed>) => {
    now[index] = { ...(now[index] ?? undisturbed), ...change };
    writeDisturbance(files[index] ?? "", now[index]);
  };
  for (const index of files.keys()) disturb(index, undisturbed);

  let set: ReplicaSet | null = null;
  const place = kind === "postgres" ? await onPostgres() : onSqlite();
  const { databaseUrl, storeFaults } = place;
  let drawn = 0;
  const kept = resources.move();
  return {
    ...{ databaseUrl, storeFaults, services },
    async deploy({ sandbox, directory: logs, port, settings }) {
      const ports: number[] = [];
      while (ports.length < services) ports.push(await freePort());
      set = new ReplicaSet({
        env: (index) => ({
          ...{ ...serviceEnvironment(sandbox, port, databaseUrl), ...settings },
          NODE_OPTIONS: `--import=${preload}`,
          [fileVariable]: files[index] ?? "",
        }),
        ...{ port, ports, draw: () => draw(seed, "replica", drawn++) },
        logFile: (index) => join(logs, `service-${index + 1}.log`),
      });
      return { databaseUrl, service: set };
    },
    setClock: (service, clockMs) => disturb(service, { clockMs }),
    findDoubleClaims: async () => (kind === "postgres" ? await findDoubleClaims(databaseUrl) : []),
    async keep(name, text) {
      isKept = true;
      await writeFile(join(directory, name), text);
      return join(directory, name);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };

  function onSqlite() {
    const path = join(directory, "trainyard.db");
    const pids = () => set?.pids ?? [];
    return {
      databaseUrl: `sqlite:${path}`,
      storeFaults: sqliteFaults({ path, pids, refuse: (store) => disturb(0, { store }) }),
    };
  }

  async function onPostgres() {
    const server = await LocalPostgres.create(directory, { max_connections: 200 });
    resources.defer(() => server.stop());
    const databaseUrl = `${server.url}/postgres`;
    await (await openStore(databaseUrl)).close();
    await watchClaims(databaseUrl);
    return { databaseUrl, storeFaults: postgresFaults(server, databaseUrl) };
  }
}
