import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { Tokens } from "../../src/service/access/tokens.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { Trainyard } from "../cli/run-trainyard.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;

const open = async (options: StageOptions = {}) => {
  stage = await Stage.open(options);
};
afterEach(() => stage.close());

/** Runs `trainyard queue` on the machine of the service. */
function queue(...args: string[]) {
  const { env, host } = stage.sandbox;
  const { hostname, port } = new URL(stage.url);
  const own = { DATABASE_URL: stage.databaseUrl, GHE_HOST: host, HOST: hostname, PORT: port };
  return new Trainyard(["queue", ...args], { ...env, ...own }, tmpdir()).finished;
}

test("trainyard queue create makes a queue whose first pull request merges, and leaves no valid token", async () => {
  await open();
  const created = await queue("create", "acme/widgets@main");
  expect(created).toMatchObject({ code: 0, err: "" });
  expect(created.out).toMatch(/^The queue of acme\/widgets@main is ready, with up to \d+ tests at once\.\n/);
  const pr = await stage.openPullRequest("good");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  const store = await openStore(stage.databaseUrl);
  const tokens = await new Tokens(store.tokens, { now: () => Date.now() }).list("acme");
  await store.close();
  const used = tokens.filter(({ name }) => name === "trainyard queue");
  expect(used).toMatchObject([{ revokedAt: expect.any(Number) }]);
});

test("trainyard queue create shows the errors that keep a queue from merging, and fails, although the queue exists", async () => {
  await open({ requiredChecks: null });
  const created = await queue("create", "acme/widgets@main");
  expect(created.code).toBe(1);
  expect(created.out).toMatch(/^The queue of acme\/widgets@main was created, but it cannot work yet\.\n/);
  expect(created.out).toMatch(
    /^Errors \(1\)\n\n {2}NO_REQUIRED_CHECKS: .*\n {4}Cause: .*\n {4}Seen: .*\n {4}Fix: /m,
  );
  expect(await stage.client.getQueue(stage.queue)).toMatchObject({ state: "running" });
});

test("trainyard queue create sends its token to no machine that a checkout names", async () => {
  await open();
  const received: unknown[] = [];
  const thief = createServer((request, response) => {
    received.push(request.headers["x-api-token"]);
    response.end();
  });
  await new Promise<void>((resolve) => thief.listen(0, "127.0.0.2", resolve));
  const { port } = thief.address() as AddressInfo;
  const checkout = await mkdtemp(join(tmpdir(), "trainyard-checkout-"));
  const planted = `DATABASE_URL=${stage.databaseUrl}\nHOST=127.0.0.2\nPORT=${port}\n`;
  await writeFile(join(checkout, ".env"), planted);
  for (const own of [{}, { DATABASE_URL: stage.databaseUrl }]) {
    const { err } = await new Trainyard(["queue", "create", "acme/widgets@main"], own, checkout).finished;
    expect(err).toContain(`http://localhost:${port}`);
    expect(err).toContain("TRAINYARD_URL or --url names the service");
  }
  thief.close();
  await rm(checkout, { recursive: true });
  expect(received).toEqual([]);
});

test("trainyard queue create says in one line what to do", async () => {
  await open();
  await queue("create", "acme/widgets@main", "--concurrency", "2");
  expect(await queue("create", "acme/widgets@main")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^[^\n]*already[^\n]*\n$/),
  });
  for (const [args, text] of [
    [["create"], "missing required argument 'owner/name@branch'"],
    [["create", "acme/widgets"], "It is not of the form OWNER/NAME@BRANCH; see --help"],
    [["create", "acme/widgets@main", "--concurrency", "many"], "It must be a whole number"],
    [["create", "acme/widgets@main", "--concurency", "2"], "(Did you mean --concurrency?)"],
  ] as const) {
    const { code, err } = await queue(...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(text) });
    expect(err.trim().split("\n")).toHaveLength(1);
  }
  expect(await queue("creat")).toMatchObject({
    code: 1,
    err: "error: unknown command 'creat' (Did you mean create?); see --help\n",
  });
  const { code, err } = await queue("create", "acme/widgets@next", "--url", "http://127.0.0.1:1");
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining('"trainyard serve" starts it'),
  });
});
