import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "@jest/globals";
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { Command } from "commander";
import { defineSandbox } from "../../tools/sandbox/serve-sandbox.ts";
import { parseDocumented } from "../cli/documented.ts";
import { cloneRepository, withCredentials } from "./git-client.ts";

const module = fileURLToPath(new URL("../../tools/sandbox/serve-sandbox.ts", import.meta.url));
const signals = fileURLToPath(new URL("../../src/cli/signals.ts", import.meta.url));
const program = `
  import { listenForStop } from ${JSON.stringify(signals)};
  import { Command } from ${JSON.stringify(import.meta.resolve("commander"))};
  import { defineSandbox } from ${JSON.stringify(module)};
  const command = new Command();
  defineSandbox(command, (run) => run(listenForStop()));
  await command.parseAsync(process.argv.slice(1), { from: "user" });
`;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts the sandbox in its own process, and waits for its first line. */
async function serve(...argv: string[]) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program, "--", ...argv]);
  children.push(child);
  let out = "";
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      out += chunk;
      if (out.includes("\n")) resolve();
    });
    child.once("exit", () => reject(new Error(err)));
  });
  const description = parseDocumented("sandbox", out);
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(child, "close");
    child.kill(signal);
    const [code] = await exited;
    return { code, out, err };
  };
  return { description, end };
}

test("the standalone sandbox prints in one line how to use it, serves requests, and ends on a signal", async () => {
  const { description, end } = await serve("--json", "--ci-duration", "20", "--seed", "3");
  expect(description).toMatchObject({
    formatVersion: 1,
    repository: { owner: "acme", name: "widgets", host: description.env.GHE_HOST },
    users: [
      { login: "alice", permission: "write" },
      { login: "bob", permission: "write" },
      { login: "carol", permission: "read" },
      { login: "admin", permission: "admin" },
    ],
    env: { GHE_PROTOCOL: "http" },
  });
  expect(Object.keys(description.env).sort()).toEqual([
    "APP_ID",
    "GHE_HOST",
    "GHE_PROTOCOL",
    "GITHUB_CLIENT_ID",
    "GITHUB_CLIENT_SECRET",
    "PRIVATE_KEY",
    "WEBHOOK_SECRET",
  ]);
  const [alice] = description.users;
  const clone = await cloneRepository(withCredentials(description.gitUrl, "alice", alice.token));
  expect(await clone.git("ls-files")).toBe("README.md\nfacts/base.json\nnotes.txt");
  await clone.remove();
  const octokit = new Octokit({ baseUrl: `${description.url}/api/v3`, auth: alice.token });
  const { data } = await octokit.rest.repos.getBranch({ owner: "acme", repo: "widgets", branch: "main" });
  const { checks } = data.protection.required_status_checks ?? {};
  expect(new Set(checks)).toEqual(
    new Set([
      { context: "build", app_id: 15_368 },
      { context: "test", app_id: 15_368 },
    ]),
  );
  expect(await end("SIGTERM")).toMatchObject({ code: 0, err: "" });
});

test("the standalone sandbox explains itself on standard error without --json", async () => {
  const { end } = await serve("--webhook-url", "http://127.0.0.1:9/hooks");
  const { code, out, err } = await end("SIGINT");
  expect(code).toBe(0);
  expect(out.trim().split("\n")).toHaveLength(1);
  expect(err).toContain("git clone http://alice:ghp_");
  // These work in a checkout and beside an installed package.
  expect(err).toMatch(/^npx trainyard serve$[\s\S]*^npx trainyard queue create acme\/widgets@main$/m);
  expect(err).toMatch(/^ {2}http:\/\/127\.0\.0\.1:\d+\/acme\/widgets\/pull\/1$/m);
  expect(err).toContain("export WEBHOOK_SECRET='");
});

test("the standalone sandbox with a fault plan fails calls of the App, but not of users", async () => {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-faults-"));
  const file = join(directory, "faults.json");
  await writeFile(file, JSON.stringify({ rate: 1, kinds: { "502": 1 } }));
  const { description, end } = await serve("--json", "--faults", file);
  const { APP_ID: appId, PRIVATE_KEY: privateKey } = description.env;
  const baseUrl = `${description.url}/api/v3`;
  const app = new Octokit({ baseUrl, authStrategy: createAppAuth, auth: { appId, privateKey }, log: silent });
  await expect(app.rest.apps.getAuthenticated()).rejects.toMatchObject({ status: 502 });
  const alice = new Octokit({ baseUrl, auth: description.users[0].token });
  expect((await alice.rest.repos.get({ owner: "acme", repo: "widgets" })).status).toBe(200);
  await end("SIGTERM");
  await writeFile(file, JSON.stringify({ rate: 2, kinds: { teapot: 1 } }));
  await expect(refusal("--faults", file)).rejects.toThrow(/fault plan is wrong[\s\S]*at rate/);
  await rm(directory, { recursive: true });
});

test("the standalone sandbox refuses a wrong argument", async () => {
  await expect(refusal("--port", "http")).rejects.toThrow("'http' is invalid. It must be a whole number");
  await expect(refusal("--no-such")).rejects.toThrow(/unknown option/);
});

function refusal(...argv: string[]): Promise<unknown> {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} });
  defineSandbox(command, async () => 0);
  return command.parseAsync(argv, { from: "user" });
}
