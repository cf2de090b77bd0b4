import { tmpdir } from "node:os";
import { afterEach, test } from "@jest/globals";
import { Trainyard } from "../cli/run-trainyard.ts";
import { type RunningService, Stage } from "./stage.ts";

let stage: Stage;
let environment: Readonly<Record<string, string>> = {};
const started: Trainyard[] = [];

afterEach(async () => {
  await stage?.close();
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
});

test("two services on one database merge everything, also when the first one ends in the middle of it", async () => {
  stage = await Stage.open({ start: (given) => startFirst(given), queue: { concurrency: 3 } });
  const second = start(environment);
  const early = await submit("a", "b", "c", "d");
  for (const pr of early) await stage.until(pr, "merged");

  const late = await submit("e", "f", "g");
  const [first] = started;
  await first?.end();
  stage.moveTo(await serving(second));
  for (const pr of late) await stage.until(pr, "merged");
});

async function submit(...names: string[]): Promise<number[]> {
  const numbers: number[] = [];
  for (const name of names) numbers.push(await stage.openPullRequest(name));
  for (const number of numbers) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  return numbers;
}

async function startFirst(given: Readonly<Record<string, string>>): Promise<RunningService> {
  environment = { ...given, LOG_LEVEL: "info", LOG_FORMAT: "json" };
  return serving(start(environment));
}

function start(env: Readonly<Record<string, string>>): Trainyard {
  const service = new Trainyard(["serve"], { ...env }, tmpdir());
  started.push(service);
  return service;
}

/** Waits until a service is ready. */
async function serving(service: Trainyard): Promise<RunningService> {
  const [, url = ""] = await service.says(/"url":"(http:[^"]+)"/);
  return { url, close: async () => void (await service.end()) };
}
