import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import type { Event } from "../../src/engine/model/event.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { presets } from "../../tools/simulator/workload/model.ts";
import { Stage } from "../scenarios/stage.ts";
import { parseDocumented } from "./documented.ts";
import { Trainyard } from "./run-trainyard.ts";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-replay-"));
  await record("busy", { concurrency: 2 });
  const store = await openStore(`sqlite:${join(directory, "empty.db")}`);
  await store.close();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Records a day of a small team's queue in a database, as the service does. */
async function record(name: string, settings: Partial<QueueSettings>): Promise<void> {
  const { model, mode } = presets["small-team"];
  const workload = generateWorkload({ ...model, hours: 24, rate: 5, seed: 3 });
  const events: Event[] = [];
  runEngine(workload, queueSettings(mode, workload.settings, settings), (state, input, context) => {
    const decided = decide(state, input, context);
    if (decided.events[0]?.seq === (events.at(-1)?.seq ?? 0) + 1) events.push(...decided.events);
    return decided;
  });
  const store = await openStore(`sqlite:${join(directory, `${name}.db`)}`);
  const queueId = "queue";
  const repo = { host: "github.com", owner: "acme", name: "Widgets" };
  const creates = { id: queueId, repo, branch: "main", installationId: 1, repositoryId: null, createdAt: 1 };
  await store.queues.commit({ queueId, events, entries: [], tasks: [], settles: [], creates });
  await store.close();
}

function replay(database: string, ...args: string[]) {
  return new Trainyard(["replay", ...args], { DATABASE_URL: `sqlite:${database}` }, directory).finished;
}

describe("trainyard replay", () => {
  test("compares the recorded work with its replay under other settings", async () => {
    const { code, out, err } = await replay(
      "busy.db",
      "--queue",
      "acme/widgets@main",
      "--set",
      "concurrency=6",
      "--json",
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { queue, recorded, replayed, changed, assumptions, changes } = parseDocumented("replay", out);
    expect({ queue, changes }).toEqual({ queue: "acme/Widgets@main", changes: { concurrency: 6 } });
    // A replay with the recorded settings is close to what happened.
    expect(recorded.merged).toBeGreaterThan(90);
    expect(Math.abs(replayed.merged - recorded.merged)).toBeLessThanOrEqual(3);
    expect(replayed.waitP50 / recorded.waitP50).toBeGreaterThan(0.7);
    expect(replayed.waitP50 / recorded.waitP50).toBeLessThan(1.4);
    expect(replayed.ciMinutes / recorded.ciMinutes).toBeGreaterThan(0.8);
    expect(replayed.ciMinutes / recorded.ciMinutes).toBeLessThan(1.2);
    // More slots shorten the queue.
    expect(changed.waitP50).toBeLessThan(replayed.waitP50);
    expect(changed.waitP95).toBeLessThan(replayed.waitP95);
    expect(assumptions).toContainEqual(expect.stringMatching(/that failed their tests \(\d+\) fail again/));
  });

  test("prints the comparison with its assumptions, and the same output each time", async () => {
    const args = ["--queue", "acme/widgets@main", "--set", "batch=true", "--set", "concurrency=8"];
    const [first, second] = await Promise.all([replay("busy.db", ...args), replay("busy.db", ...args)]);
    expect(first.out).toMatch(/as it happened +replayed +batch=true concurrency=8\n/);
    expect(first.out).toMatch(/wait P95, minutes( +\d+\.\d){3}\n/);
    expect(first.out).toContain("It assumes:\n- ");
    expect(second.out).toBe(first.out);
  });

  test("does not change the database", async () => {
    const before = await readFile(join(directory, "busy.db"));
    await replay("busy.db", "--queue", "acme/widgets@main");
    expect((await readFile(join(directory, "busy.db"))).equals(before)).toBe(true);
  });

  test.each([
    [["--set", "frobnication=1"], /there is no setting "frobnication". There are: .*concurrency/],
    [["--set", "concurrency=lots"], /"concurrency" must be a whole number/],
    [["--set", "mode=both"], /"mode" must be single or parallel/],
    [["--set", "batch"], /--set must look like concurrency=8, not "batch"/],
    [
      ["--queue", "acme/gadgets@main"],
      /There is no queue "acme\/gadgets@main"\. There are: acme\/Widgets@main/,
    ],
    [["--queue", ""], /There is no queue ""\. There are: acme\/Widgets@main/],
    [["--colour"], /unknown option '--colour'.*--help\n$/],
  ])("%j is rejected with advice", async (args, problem) => {
    const { code, err, out } = await replay("busy.db", "--queue", "acme/widgets@main", ...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(problem);
  });

  test("reports a missing database, and creates none", async () => {
    const { code, err } = await replay("nowhere.db", "--queue", "acme/widgets@main");
    expect(code).toBe(1);
    expect(err).toMatch(/there is no database at nowhere\.db; set DATABASE_URL/);
    await expect(readFile(join(directory, "nowhere.db"))).rejects.toThrow("ENOENT");
  });

  test("reports a database without queues", async () => {
    expect((await replay("empty.db", "--queue", "a/b@c")).err).toMatch(/The database contains no queue yet/);
  });
});

test("the service's log can be replayed while the service runs", async () => {
  const stage = await Stage.open({ queue: { concurrency: 2 } });
  try {
    const first = await stage.openPullRequest("one", { "facts/one.json": '{ "sets": ["x"] }\n' });
    const second = await stage.openPullRequest("two", { "facts/two.json": '{ "forbids": ["x"] }\n' });
    for (const pr of [first, second])
      await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    await stage.until(first, "merged");
    await stage.until(second, "failed");
    const env = { DATABASE_URL: stage.databaseUrl };
    const args = ["replay", "--queue", "acme/widgets@main", "--set", "concurrency=1", "--json"];
    const { out, err } = await new Trainyard(args, env, directory).finished;
    expect(err).toBe("");
    const { recorded, replayed, changed } = JSON.parse(out);
    for (const figures of [recorded, replayed, changed]) {
      expect(figures).toMatchObject({ merged: 1, failed: 1, others: 0 });
      expect(figures.runs).toBeGreaterThanOrEqual(2);
    }
  } finally {
    await stage.close();
  }
});
