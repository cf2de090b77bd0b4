import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import pino from "pino";
import { Lead } from "../../src/service/replicas/lead.ts";
import type { ReplicaNote } from "../../src/service/replicas/replicas.ts";
import { SharedReplicas } from "../../src/service/replicas/shared-replicas.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { buildCreation } from "../contract/build-queue.ts";
import { eventually } from "../scenarios/eventually.ts";
import { createSqliteFile, type SqliteFile } from "../store/sqlite-file.ts";

const pace = { beatMs: 20, deadAfterMs: 400, listenMs: 20, catchUpMs: 40 };

let file: SqliteFile;
let stores: Store[];
let replicas: Replica[];

interface Replica {
  readonly shared: SharedReplicas;
  leads: boolean;
  readonly heard: ReplicaNote[];
  readonly caughtUp: Map<string, number>;
}

beforeEach(async () => {
  file = await createSqliteFile();
  stores = [];
  replicas = [];
});
afterEach(async () => {
  for (const { shared } of replicas) await shared.stop();
  for (const store of stores) await store.close();
  await file.remove();
});

test("one of several replicas leads, and all know how many there are", async () => {
  await start("a", "b", "c");
  await eventually(async () => replicas.every(({ shared }) => shared.live === 3) || null, "all to be known");
  await eventually(async () => leaders().length > 0 || null, "a leader");
  expect(leaders()).toHaveLength(1);
});

test("a replica that ends leaves the lead to another one at once", async () => {
  const [first] = await start("a");
  await eventually(async () => first?.leads || null, "the first one to lead");
  const [second] = await start("b");
  await first?.shared.stop();
  expect(first?.leads).toBe(false);
  await eventually(async () => second?.leads || null, "the second one to lead");
});

test("a replica that no longer reaches the database stops leading before another one leads", async () => {
  const [first] = await start("a");
  await eventually(async () => first?.leads || null, "the first one to lead");
  const [second] = await start("b");
  await stores[0]?.close();
  await eventually(async () => second?.leads || null, "the second one to lead");
  expect(first?.leads).toBe(false);
});

test("a replica leads although its beats wait for longer than a lead lasts", async () => {
  const [slow] = await start("a");
  const [store] = stores;
  if (!store) throw new Error("it has a store");
  const beat = store.replicas.beat.bind(store.replicas);
  store.replicas.beat = async (id, name) => {
    await sleep(1.5 * pace.deadAfterMs);
    return beat(id, name);
  };
  await eventually(async () => (slow?.leads === false ? true : null), "the first lead to lapse");
  await eventually(async () => slow?.leads || null, "it to lead again");
});

test("a replica does not begin to lead by a beat that is too old", async () => {
  const changes: string[] = [];
  const lead = new Lead(pino({ level: "silent" }), 60_000);
  lead.use({ lead: () => void changes.push("leads"), follow: async () => void changes.push("follows") });
  lead.keep(performance.now() - 60_001);
  await sleep(10);
  expect(changes).toEqual([]);
});

test("a note of one replica reaches the others once, and never the replica itself", async () => {
  const [one, other] = await start("a", "b");
  await eventually(async () => one?.shared.live === 2 || null, "both to be known");
  const note = { kind: "queue", queueId: "queue-1" } as const;
  one?.shared.broadcast(note);
  one?.shared.broadcast(note);
  await eventually(async () => (other?.heard.length ?? 0) > 0 || null, "the note");
  one?.shared.broadcast({ ...note, queueId: "queue-2" });
  await eventually(async () => (other?.heard.length ?? 0) > 1 || null, "the second note");
  expect(other?.heard).toEqual([note, { ...note, queueId: "queue-2" }]);
  expect(one?.heard).toEqual([]);
});

test("events of a replica that died before it announced them are found", async () => {
  const [one] = await start("a", "b");
  await stores[1]?.queues.commit(buildCreation());
  await eventually(async () => one?.caughtUp.get("queue-1") ?? null, "the queue's event");
});

test("a replica that leads again while it still stops the leader's work resumes that work", async () => {
  const lead = new Lead(pino({ level: "silent" }), 60_000);
  const stop = Promise.withResolvers<void>();
  let works = false;
  lead.use({
    lead() {
      works = true;
    },
    async follow() {
      await stop.promise;
      works = false;
    },
  });
  lead.keep(performance.now());
  const dropped = lead.drop();
  lead.keep(performance.now());
  stop.resolve();
  await dropped;
  await eventually(async () => works || null, "the work");
  expect(lead.isHeld).toBe(true);
  await lead.drop();
  expect(works).toBe(false);
});

function leaders(): Replica[] {
  return replicas.filter(({ leads }) => leads);
}

async function start(...ids: string[]): Promise<Replica[]> {
  return await Promise.all(ids.map((id) => startOne(id)));
}

async function startOne(id: string): Promise<Replica> {
  const store = await file.open();
  stores.push(store);
  const shared = new SharedReplicas({
    store: store.replicas,
    id,
    name: id,
    log: pino({ level: "silent" }),
    pace,
  });
  const replica: Replica = { shared, leads: false, heard: [], caughtUp: new Map() };
  replicas.push(replica);
  await shared.start({
    lead() {
      replica.leads = true;
    },
    async follow() {
      replica.leads = false;
    },
    async receive(note) {
      replica.heard.push(note);
    },
    async catchUp(queueId, last) {
      replica.caughtUp.set(queueId, last);
    },
  });
  return replica;
}
