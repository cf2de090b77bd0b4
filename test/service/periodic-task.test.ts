import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { PeriodicTask, type PeriodicTaskOptions } from "../../src/service/workers/periodic-task.ts";

let task: PeriodicTask;
let logged: string[];
/** The rounds that have started; each ends when its function is called. */
let rounds: (() => void)[];

beforeEach(() => {
  logged = [];
  rounds = [];
});

afterEach(async () => {
  const stopping = task.stop();
  for (const end of rounds) end();
  await stopping;
});

function create(parts: Partial<PeriodicTaskOptions> = {}): PeriodicTask {
  const note = (level: string) => (_fields: object, message: string) => {
    logged.push(`${level}: ${message}`);
  };
  const log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  const run = () => new Promise<void>((end) => rounds.push(end));
  return new PeriodicTask({ run, everyMs: 3_600_000, purpose: "count sheep", log, ...parts });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Lets everything happen that is due. */
const pass = () => new Promise((resolve) => setTimeout(resolve, 20));

test("a periodic task starts with a round, and waits for its end before the next", async () => {
  task = create({ everyMs: 1 });
  task.start();
  await pass();
  expect(rounds).toHaveLength(1);
  rounds[0]?.();
  await until(() => rounds.length === 2);
});

test("a periodic task that is woken during a round starts one more round after it", async () => {
  task = create();
  task.start();
  task.wake();
  task.wake();
  expect(rounds).toHaveLength(1);
  rounds[0]?.();
  await until(() => rounds.length === 2);
  rounds[1]?.();
  await pass();
  expect(rounds).toHaveLength(2);
});

test("a failed round is logged with its cause, and the next round comes as usual", async () => {
  let failures = 0;
  const run = async () => {
    failures += 1;
    throw new Error(`wolf ${failures}`);
  };
  task = create({ run, everyMs: 1, level: "warn" });
  task.start();
  await until(() => logged.length >= 2);
  expect(logged.slice(0, 2)).toEqual([
    "warn: could not count sheep; trying again: wolf 1",
    "warn: could not count sheep; trying again: wolf 2",
  ]);
});

test("a stopped task starts no round, and stopping waits for the current one", async () => {
  task = create({ everyMs: 1 });
  task.start();
  task.wake();
  let isStopped = false;
  const stopping = task.stop().then(() => {
    isStopped = true;
  });
  await pass();
  expect([task.isRunning, isStopped]).toEqual([false, false]);
  rounds[0]?.();
  await stopping;
  task.wake();
  await pass();
  expect(rounds).toHaveLength(1);
});

test("a task can be started again, also while its last round still runs", async () => {
  task = create();
  task.start();
  const stopping = task.stop();
  task.start();
  expect(rounds).toHaveLength(1);
  rounds[0]?.();
  await stopping;
  await until(() => rounds.length === 2);
});
