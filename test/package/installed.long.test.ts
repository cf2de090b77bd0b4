import { execFile } from "node:child_process";
import { chmod, copyFile, lstat, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { freePort } from "../../src/cli/free-port.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { parseDocumented } from "../cli/documented.ts";
import { bareEnvironment, Trainyard } from "../cli/run-trainyard.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Container } from "./container.ts";
import { readImage, readPod, readUnit } from "./image.ts";
import { copyPackagesTo, installTo, packTo } from "./install-package.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const megabyte = 1_000_000;
let directory: string;
let tarball: string;
/** The folder into which the package was installed. */
let installed: string;
const command = () => join(installed, "node_modules/.bin/trainyard");

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-package-"));
  // Users of deployments look for the package there.
  await chmod(directory, 0o755);
  installed = join(directory, "empty");
  tarball = await packTo(directory);
  await installTo(installed, tarball);
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

test("the npm package is small, and so is an installation without development packages", async () => {
  expect((await stat(tarball)).size).toBeLessThan(10 * megabyte);
  const files = await readdir(installed, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  // package-lock.json of this repository has eight copies of the types of GitHub's API, of 4.6 MB each.
  expect(total).toBeLessThan(100 * megabyte);
});

test("the npm package contains no TypeScript sources except declarations", async () => {
  const files = await readdir(join(installed, "node_modules/trainyard"), { recursive: true });
  expect(files).toContain("lib/src/main.js.map");
  expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
});

test("npx trainyard serve of the npm package migrates a new database, and serves the API and the dashboard", async () => {
  const sandbox = await startSandbox();
  const env = { ...sandbox.env, PORT: "0", TRAINYARD_DASHBOARD: "public" };
  const service = new Trainyard(["serve"], env, installed, command());
  try {
    const [, url] = await service.says(/"url":"(http[^"]+)"/);
    for (const path of ["/readyz", "/assets/htmx.min.js", "/assets/style.css", "/", "/docs"])
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
    expect((await service.end()).code).toBe(0);
    expect(service.err).not.toContain("Warning");
  } finally {
    service.child.kill("SIGKILL");
    await sandbox.close();
  }
});

test("the npm package alone helps with every command, and merges a pull request that an agent then explains", async () => {
  const env: Record<string, string> = {};
  const trainyard = (...args: string[]) => new Trainyard(args, env, installed, command());
  const helped: string[] = [];
  const help = async (...path: string[]): Promise<void> => {
    const { code, out } = await trainyard(...path, "--help").finished;
    expect([path, code]).toEqual([path, 0]);
    helped.push(path.join(" "));
    const [, listed = ""] = out.split("\nCommands:\n");
    for (const [, name = ""] of listed.matchAll(/^ {2}([a-z-]+)/gm))
      if (name !== "help") await help(...path, name);
  };
  await help();
  expect(helped).toEqual(expect.arrayContaining(["demo", "mcp", "pr wait", "queue create", "token revoke"]));

  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const local = trainyard(
    "sandbox",
    "--json",
    "--ci-duration",
    "200",
    "--webhook-url",
    `${url}/api/github/webhooks`,
  );
  await eventually(async () => (local.out.includes("\n") ? true : null), "the local GitHub");
  const sandbox = JSON.parse(local.out);
  const own = { HOST: "127.0.0.1", PORT: port, DATABASE_URL: `sqlite:${join(directory, "cli.db")}` };
  Object.assign(env, sandbox.env, own);
  const service = trainyard("serve");
  try {
    await service.says(/Trainyard is listening/);
    expect(await trainyard("queue", "create", "acme/widgets@main").finished).toMatchObject({ code: 0 });
    const { out: token } = await trainyard("token", "create", "--organisation", "acme").finished;
    Object.assign(env, { TRAINYARD_URL: url, TRAINYARD_TOKEN: token.trim() });
    const place = ["--repo", `${sandbox.repository.host}/acme/widgets`];
    const number = sandbox.pullRequest.split("/").at(-1);
    expect(await trainyard("pr", "submit", number, ...place).finished).toMatchObject({ code: 0 });
    const waited = await trainyard("pr", "wait", number, "--timeout", "5m", ...place).finished;
    expect(waited).toMatchObject({ code: 0, out: expect.stringContaining("merged") });
    const agent = new Client({ name: "agent", version: "1" });
    const started = { command: process.execPath, args: [command(), "mcp", ...place], cwd: installed };
    await agent.connect(new StdioClientTransport({ ...started, env: { ...bareEnvironment(), ...env } }));
    const asked = { name: "explain_pull_request", arguments: { pull_request: Number(number) } };
    expect(JSON.stringify((await agent.callTool(asked)).content)).toContain("merged");
    await agent.close();
  } finally {
    service.child.kill("SIGKILL");
    await local.end();
  }
});

test("npx trainyard demo -- --exit of the npm package merges pull requests on a local GitHub", async () => {
  const args = ["trainyard", "demo", "--", "--exit", "--json", "--prs", "12"];
  const { stdout } = await run("npx", args, { cwd: installed, env: bareEnvironment() });
  const { violations, merged } = parseDocumented("demo", stdout);
  expect(violations).toEqual([]);
  expect(merged).toBeGreaterThan(0);
});

test("threads of the npm package run", async () => {
  const { stdout, stderr } = await run(command(), ["soak", "--seeds", "4"], { cwd: installed });
  expect(stdout + stderr).toContain("0 violations");
});

test("the image's list of packages has every package of production, and no other", async () => {
  const build = join(directory, "build");
  const needed = await copyPackagesTo(build);
  for (const name of ["package.json", "package-lock.json"])
    await copyFile(join(root, name), join(build, name));
  const { stdout } = await run("sh", ["-c", readImage().sbom], { cwd: build });
  const { components } = JSON.parse(stdout) as { components: { name: string; version: string }[] };
  const listed = components.map(({ name, version }) => `${name}@${version}`);
  expect(listed.sort()).toEqual([...new Set(needed)].sort());
});

test.each([
  ["Dockerfile", readImage()],
  ["systemd/trainyard.service", readUnit()],
  ["kubernetes/trainyard.yaml", readPod().start],
])(
  "the command of %s serves as a user who can write only to its data, with secrets from files, and the health check knows whether it does",
  async (_name, start) => {
    const place = await mkdtemp(join(directory, "deployment-"));
    const container = new Container(place, join(installed, "node_modules/trainyard"), start);
    await container.create();
    const sandbox = await startSandbox();
    const env = { ...(await container.moveSecrets(sandbox.env)), PORT: String(await freePort()) };
    const before = await timesOf(installed);
    const silent = await container.checkHealth(env).finished;
    expect(silent.err).toMatch(/^Trainyard does not answer at http.*\n$/);
    expect(silent.code).toBe(1);

    const service = container.serve(env);
    try {
      await service.says(/Trainyard is listening/);
      const healthy = await container.checkHealth(env).finished;
      expect(healthy.err).toBe("");
      expect(healthy.code).toBe(0);
      for (const path of ["/healthz", "/readyz"])
        expect([path, (await fetch(`http://127.0.0.1:${env.PORT}${path}`)).status]).toEqual([path, 200]);
      expect((await service.end()).code).toBe(0);
    } finally {
      service.child.kill("SIGKILL");
      await sandbox.close();
      await container.remove();
    }
    // The root file system may be read-only.
    expect(await timesOf(installed)).toEqual(before);
    expect(await readdir(container.data)).toContain("trainyard.db");
    expect(await readdir(place)).not.toContain("home");
  },
);

async function timesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const times = names.sort().map(async (name) => `${name} ${(await lstat(join(folder, name))).mtimeMs}`);
  return Promise.all(times);
}
