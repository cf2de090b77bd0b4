import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openStore } from "../../../src/store/sqlite/open-store.ts";
import { type DatabaseKind, LocalPostgres } from "../postgres.ts";
import { findDoubleClaims, watchClaims } from "../replicas/double-claims.ts";
import { deployReplicas, type ReplicaSet } from "../service/replica-set.ts";
import type { Deployed, Place } from "../world.ts";
import { postgresFaults, type StoreFault, sqliteFaults } from "./database-faults.ts";
import { fileVariable, noFaults, writeProcessFaults } from "./preload.ts";

/** Services whose database and clocks can be disturbed. */
export interface DisturbedServices extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly storeFaults: readonly StoreFault[];
  readonly services: number;
  deploy(place: Place): Promise<Deployed>;
  /** Sets how far the clock of a service is ahead; negative = behind. */
  setClock(service: number, ms: number): void;
  /** Describes pieces of work that two services held at the same time. */
  findDoubleClaims(): Promise<readonly string[]>;
  /** Writes a file to a directory that stays. Returns its path. */
  keep(name: string, text: string): Promise<string>;
}

const preload = pathToFileURL(join(import.meta.dirname, "preload.ts")).href;
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
  const files = Array.from({ length: services }, (_, index) => join(directory, `faults-${index}.json`));
  const now = files.map(() => ({ ...noFaults }));
  const disturb = (index: number, change: Partial<typeof noFaults>) => {
    now[index] = { ...(now[index] ?? noFaults), ...change };
    writeProcessFaults(files[index] ?? "", now[index]);
  };
  for (const index of files.keys()) disturb(index, noFaults);

  let set: ReplicaSet | null = null;
  const place = kind === "postgres" ? await onPostgres() : onSqlite();
  const { databaseUrl, storeFaults } = place;
  const kept = resources.move();
  return {
    ...{ databaseUrl, storeFaults, services },
    async deploy(place) {
      const env = (index: number) => ({
        NODE_OPTIONS: `--import=${preload}`,
        [fileVariable]: files[index] ?? "",
      });
      const deployed = await deployReplicas({ ...place, databaseUrl, replicas: services, seed, env });
      set = deployed.service;
      return deployed;
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
