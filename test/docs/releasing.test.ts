import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "@jest/globals";

const page = join(import.meta.dirname, "../../docs/releasing.md");
let directory: string;
afterEach(() => rm(directory, { recursive: true, force: true }));

test("the commands that release tag the version, and move the tag that workflows use", async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-release-"));
  const [, commands = ""] = /```sh\n(.*?)```/s.exec(await readFile(page, "utf8")) ?? [];
  const work = join(directory, "work");
  const env = {
    ...{ PATH: process.env.PATH, HOME: directory, GIT_CONFIG_GLOBAL: join(directory, "none") },
    ...{ GIT_AUTHOR_NAME: "Alice", GIT_AUTHOR_EMAIL: "alice@example.com" },
    ...{ GIT_COMMITTER_NAME: "Alice", GIT_COMMITTER_EMAIL: "alice@example.com" },
  };
  const run = async (file: string, args: string[], more: Record<string, string> = {}) =>
    (await promisify(execFile)(file, args, { cwd: work, env: { ...env, ...more } })).stdout.trim();
  await mkdir(join(work, ".ci"), { recursive: true });
  await run("git", ["init", "--quiet", "--bare", "../origin.git"]);
  await run("git", ["init", "--quiet", "--initial-branch=main"]);
  await run("git", ["remote", "add", "origin", "../origin.git"]);
  await writeFile(join(work, "package.json"), '{ "name": "trainyard", "version": "0.1.0" }\n');
  await writeFile(join(work, ".ci/run"), "#!/bin/sh\n");
  await chmod(join(work, ".ci/run"), 0o755);
  await run("git", ["add", "--all"]);
  await run("git", ["commit", "--quiet", "--message", "Begin"]);
  for (const VERSION of ["0.2.0", "0.3.0", "1.0.0"]) await run("bash", ["-euc", commands], { VERSION });
  const at = (tag: string) => run("git", ["--git-dir=../origin.git", "log", "-1", "--format=%s", tag]);
  expect(await at("v0")).toBe("Release 0.3.0");
  expect(await at("v1")).toBe("Release 1.0.0");
  expect(await at("v0.2.0")).toBe("Release 0.2.0");
  expect(await at("main")).toBe("Release 1.0.0");
});
