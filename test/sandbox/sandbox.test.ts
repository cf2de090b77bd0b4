import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "@jest/globals";
import type { Sandbox, SandboxOptions } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";

const repository = { owner: "acme", name: "widgets", files: { a: "1" } };

const started: Sandbox[] = [];

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  started.push(sandbox);
  return sandbox;
}

afterEach(async () => {
  for (const sandbox of started.splice(0)) await sandbox.close();
});

test("a closed sandbox removes its repositories, unless it was given a directory for them", async () => {
  const passing = await start();
  const { directory: gone } = await passing.createRepository(repository);
  await passing.close();
  expect(existsSync(gone)).toBe(false);

  const directory = await mkdtemp(join(tmpdir(), "sandbox-kept-"));
  const kept = await start({ directory });
  const { directory: stays } = await kept.createRepository(repository);
  await kept.close();
  expect(existsSync(stays)).toBe(true);

  const again = await start({ directory });
  await expect(again.createRepository(repository)).rejects.toThrow(/holds a repository already/);
  await rm(directory, { recursive: true });
});

test("an invalid user, repository or CI setup is an error", async () => {
  const sandbox = await start();
  await sandbox.createRepository(repository);
  sandbox.createUser({ login: "alice" });
  expect(() => sandbox.createUser({ login: "Alice" })).toThrow("the login Alice is taken");
  await expect(sandbox.createRepository(repository)).rejects.toThrow("acme/widgets exists already");
  expect(() => sandbox.setCi("acme/gadgets", null)).toThrow("there is no repository acme/gadgets");
  const strangers = { ...repository, name: "gadgets", collaborators: { nobody: "read" as const } };
  await expect(sandbox.createRepository(strangers)).rejects.toThrow("there is no user nobody");
});

test("a port that is in use is an error, and so is a missing manifest", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await expect(start({ port })).rejects.toThrow(/EADDRINUSE/);
  await new Promise((resolve) => taken.close(resolve));
  await expect(start({ appManifest: "/no/such/app.yml" })).rejects.toThrow(/ENOENT/);
});

test("a sandbox has a random webhook secret, and its environment has everything that a Probot App needs", async () => {
  const [one, two] = await Promise.all([start(), start()]);
  expect(one.env.WEBHOOK_SECRET).toBe(one.app.webhookSecret);
  expect(one.env.WEBHOOK_SECRET).not.toBe(two.env.WEBHOOK_SECRET);
  expect(one.env).toMatchObject({ APP_ID: String(one.app.id), GHE_HOST: one.host, GHE_PROTOCOL: "http" });
  expect(one.env.PRIVATE_KEY).toContain("BEGIN RSA PRIVATE KEY");
  expect(one.url).toBe(`http://${one.host}`);
});

test("closing a sandbox ends the last steps of jobs, and does not wait for an aborted clone", async () => {
  const sandbox = await start();
  const { token } = sandbox.createUser({ login: "alice", permission: "write" });
  const begun = Promise.withResolvers<void>();
  const { directory, gitUrl } = await sandbox.createRepository({
    ...repository,
    files: { noise: randomBytes(4_000_000).toString("base64") },
    ci: {
      branches: ["side"],
      durationMs: [1, 1],
      lastStep: async ({ closing }) => {
        begun.resolve();
        await once(closing, "abort");
        return "failure";
      },
    },
  });
  const authorization = `Basic ${Buffer.from(`alice:${token}`).toString("base64")}`;
  const { stdout: sha } = await promisify(execFile)("git", ["rev-parse", "main"], { cwd: directory });
  const hangUp = new AbortController();
  const clone = await fetch(`${gitUrl}/git-upload-pack`, {
    method: "POST",
    headers: { authorization, "content-type": "application/x-git-upload-pack-request" },
    body: `0032want ${sha.trim()}\n00000009done\n`,
    signal: hangUp.signal,
  });
  await clone.body?.getReader().read();
  hangUp.abort();
  const branched = await fetch(`${sandbox.url}/repos/acme/widgets/git/refs`, {
    method: "POST",
    headers: { authorization: `token ${token}` },
    body: JSON.stringify({ ref: "refs/heads/side", sha: sha.trim() }),
  });
  expect([clone.status, branched.status]).toEqual([200, 201]);
  await begun.promise;
  await sandbox.close();
  expect(existsSync(directory)).toBe(false);
  expect(sandbox.violations).toEqual([]);
});
