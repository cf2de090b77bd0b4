import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { Terminal } from "../../scripts/newcomer/terminal.ts";
import { Stage } from "../scenarios/stage.ts";
import { bareEnvironment, main, Trainyard } from "./run-trainyard.ts";

const withinMs = 60_000;
let stage: Stage;
let directory: string;
let terminal: Terminal;

beforeAll(async () => {
  stage = await Stage.open({ queue: {} });
  directory = await mkdtemp(join(tmpdir(), "trainyard-confirm-"));
});
afterEach(() => terminal.kill());
afterAll(async () => {
  await stage.close();
  await rm(directory, { recursive: true, force: true });
});

const environment = () => ({
  ...bareEnvironment(),
  ...{ TRAINYARD_URL: stage.url, TRAINYARD_TOKEN: stage.token, DATABASE_URL: "sqlite:test.db" },
});

/** Runs a command in a terminal, answers its question, and returns what was shown and the exit code. */
async function answer(line: string, keys: string) {
  const command = `exec ${process.execPath} --disable-warning=ExperimentalWarning ${main} ${line}`;
  terminal = new Terminal(command, directory, environment());
  await terminal.shows(/Continue\? \[y\/N\] /, withinMs);
  if (keys === "^C") terminal.interrupt();
  else terminal.type(keys);
  return { code: await terminal.ended, text: terminal.text };
}

test("in a terminal, queue delete shows what is in the queue, asks once, and takes only a yes for a yes", async () => {
  const line = `queue delete --repo ${stage.queue.repo.host}/acme/widgets`;
  await stage.client.updateQueue({ ...stage.queue, state: "paused", reason: "release" });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  const full = await answer(line, "y");
  expect(full.code).toBe(1);
  expect(full.text).toMatch(
    /acme\/widgets@main with its settings\. 1 pull request is in it: the service refuses/,
  );
  expect(full.text).toContain(`The queue still contains #${pr}`);

  await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: pr } });
  for (const keys of ["", "n", "yours"]) {
    const { code, text } = await answer(line, keys);
    expect([code, text]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
  }
  expect((await answer(line, "^C")).code).not.toBe(0);
  expect(await stage.client.getQueue(stage.queue)).toMatchObject({ state: "paused" });
  const { code, text } = await answer(line, "y");
  expect([code, text]).toEqual([0, expect.stringContaining("The queue of main is deleted.")]);
});

test("in a terminal, token revoke asks before the token ends", async () => {
  const args = ["token", "create", "--organisation", "acme", "--name", "CI", "--json"];
  const { id } = JSON.parse((await new Trainyard(args, environment(), directory).finished).out);
  expect(await answer(`token revoke ${id}`, "no")).toMatchObject({
    code: 1,
    text: expect.stringContaining('This revokes the token "CI" of acme, never used.'),
  });
  expect(await answer(`token revoke ${id}`, "yes")).toMatchObject({ code: 0 });
  const listed = await new Trainyard(["token", "list"], environment(), directory).finished;
  expect(listed.out).toMatch(/ {2}revoked$/m);
});
