import { hostname, tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { Trainyard } from "../cli/run-trainyard.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import type { RunningService } from "./stage-service.ts";

const leaseMs = 2_000;
/** Webhooks that arrive while one service ends and the next one starts are lost, so polling has to find their events. */
const fast = { TRAINYARD_LEASE_MS: String(leaseMs), TRAINYARD_RECONCILE_MS: "1000" };

let stage: Stage;
let gate = new Gate();
let environment: Readonly<Record<string, string>> = {};
const started: Trainyard[] = [];

afterEach(async () => {
  gate.open();
  await stage?.close();
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
});

test("a second service on one database waits, names the first one, and takes over its work when that ends", async () => {
  const first = await open();
  const early = await submit("a", "b", "c");
  const second = start();
  await second.says(
    new RegExp(`in use by another Trainyard service \\(process ${first.child.pid} on ${hostname()}`),
  );
  for (const pr of early) await stage.until(pr, "merged");

  const late = await submit("d", "e", "f");
  expect((await first.end()).code).toBe(0);
  stage.moveTo(await serving(second));
  for (const pr of late) await stage.until(pr, "merged");
});

test("merging continues when a service is started and its predecessor is ended at the same time", async () => {
  const first = await open();
  const prs = await submit("a", "b", "c", "d", "e");
  for (let restart = 0, before = first; restart < 3; restart++) {
    const next = start();
    const ended = before.end();
    stage.moveTo(await serving(next));
    expect((await ended).code).toBe(0);
    before = next;
  }
  for (const pr of prs) await stage.until(pr, "merged");
});

test("a second service gives up after the configured time, with exit code 1 and instructions", async () => {
  const first = await open();
  const { code, err } = await start({ TRAINYARD_DATABASE_WAIT_MS: "200" }).finished;
  expect(code).toBe(1);
  expect(err).toContain(`process ${first.child.pid} on ${hostname()}`);
  expect(err).toContain(
    "has not ended within 0.2 s. Only one service can use the database: end the other one",
  );
  const [pr = 0] = await submit("a");
  await stage.until(pr, "merged");
});

test("a second service that waits ends at once on a signal", async () => {
  await open();
  const second = start();
  await second.says(/in use by/);
  const { code, err } = await second.end();
  expect({ code, listens: /is listening/.test(err) }).toEqual({ code: 0, listens: false });
});

test("a killed service leaves its database to the next one at once", async () => {
  const first = await open();
  const prs = await submit("a", "b");
  first.child.kill("SIGKILL");
  await first.finished;
  const next = start();
  stage.moveTo(await serving(next));
  expect(next.err).not.toContain("in use");
  for (const pr of prs) await stage.until(pr, "merged");
});

test("a service that was suspended beyond its leases continues, and no other one takes its database in the meantime", async () => {
  const first = await open();
  const prs = await submit("a", "b", "c", "d");
  for (let pause = 0; pause < 2; pause++) {
    await sleep(150);
    first.child.kill("SIGSTOP");
    const { code } = await start({ TRAINYARD_DATABASE_WAIT_MS: String(leaseMs + 500) }).finished;
    first.child.kill("SIGCONT");
    expect(code).toBe(1);
  }
  for (const pr of prs) await stage.until(pr, "merged");
});

test("checks that CI reported while no service ran are read by the next one as soon as it starts", async () => {
  gate = new Gate();
  const first = await open({ TRAINYARD_RECONCILE_MS: "3600000" }, { ci: { lastStep: gate.lastStep } });
  const [pr = 0] = await submit("a");
  await stage.until(pr, "testing");
  await first.end();
  gate.open();
  await stage.sandbox.settled();
  stage.moveTo(await serving(start()));
  await stage.until(pr, "merged");
});

/** Opens a stage with a queue, whose service is a separate process. */
async function open(
  given: Readonly<Record<string, string>> = {},
  options: Pick<StageOptions, "ci"> = {},
): Promise<Trainyard> {
  stage = await Stage.open({
    needsFile: true,
    ...options,
    queue: { concurrency: 3 },
    start: (needed) => {
      environment = { ...needed, ...fast, LOG_LEVEL: "info", ...given };
      return serving(start());
    },
  });
  const [first] = started;
  if (!first) throw new Error("no service was started");
  return first;
}

async function submit(...names: string[]): Promise<number[]> {
  const numbers: number[] = [];
  for (const name of names) numbers.push(await stage.openPullRequest(name));
  for (const number of numbers) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  return numbers;
}

function start(given: Readonly<Record<string, string>> = {}): Trainyard {
  const service = new Trainyard(["serve"], { ...environment, ...given }, tmpdir());
  started.push(service);
  return service;
}

/** Waits until a service is ready. */
async function serving(service: Trainyard): Promise<RunningService> {
  const [, url = ""] = await service.says(/"url":"(http:[^"]+)"/);
  return { url, close: async () => void (await service.end()) };
}
