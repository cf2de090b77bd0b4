import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startScripted } from "./scripted-server.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const tsc = join(root, "node_modules/.bin/tsc");

let project: string;

/** Another project in which only this package is installed, as npm packs it. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "trainyard-consumer-"));
  const installed = join(project, "node_modules/trainyard");
  await mkdir(installed, { recursive: true });
  await run("npm", ["pack", "--silent", "--ignore-scripts", `--pack-destination=${project}`], { cwd: root });
  const packed = (await readdir(project)).find((name) => name.endsWith(".tgz")) ?? "";
  await run("tar", ["-xzf", join(project, packed), "--strip-components=1", "-C", installed]);
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
});
afterAll(() => rm(project, { recursive: true, force: true }));

const queue = `{ repo: { host: "github.com", owner: "acme", name: "widgets" }, targetBranch: "main" }`;

/** Returns the errors of the compiler, which also checks the package's declarations. */
async function faultsOf(source: string): Promise<string[]> {
  await writeFile(join(project, "consumer.ts"), source);
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext", "--target", "esnext"];
  const types = ["--lib", "esnext,dom", "--types", "", "--skipLibCheck", "false"];
  return run(tsc, [...options, ...types, "consumer.ts"], { cwd: project }).then(
    () => [],
    ({ stdout }: { stdout: string }) => stdout.trim().split("\n"),
  );
}

describe("trainyard/client, installed in another project,", () => {
  test("can be imported by its name without other packages, and calls the service", async () => {
    const server = await startScripted({
      status: 404,
      body: { code: "QUEUE_NOT_FOUND", detail: "There is none." },
    });
    await writeFile(
      join(project, "consumer.js"),
      `import { ApiError, createClient } from "trainyard/client";
       const client = createClient({ baseUrl: "${server.url}", token: "ty_1" });
       const error = await client.getQueue(${queue}).catch((error) => error);
       console.log(error instanceof ApiError, error.code);`,
    );
    const { stdout } = await run(process.execPath, ["consumer.js"], { cwd: project });
    expect(stdout).toBe("true QUEUE_NOT_FOUND\n");
    expect(server.requests).toMatchObject([{ method: "POST", path: "/v1/getQueue" }]);
    await server.close();
  });

  test("has types by which TypeScript checks requests and knows responses", async () => {
    const start = `import { createClient, type PullRequest, type RetryOptions } from "trainyard/client";
      const retry: RetryOptions = { attempts: 3 };
      const client = createClient({ baseUrl: "https://trainyard.example.com", token: "ty_1", retry });`;
    const right = `${start}
      const entry: PullRequest = await client.submitPullRequest({ ...${queue}, pr: { number: 12 }, priority: "high" });
      const state: "merged" | string = entry.state;
      const metrics: string = await client.getMergeQueueMetrics();
      export { metrics, state };`;
    expect(await faultsOf(right)).toEqual([]);
    const wrong = `${start}
      await client.updateQueue({ ...${queue}, mode: "sideways" });
      const { status } = await client.getQueue(${queue});
      export { status };`;
    expect(await faultsOf(wrong)).toEqual([
      expect.stringMatching(/consumer\.ts\(4,.*"sideways"/),
      expect.stringMatching(/consumer\.ts\(5,.*'status' does not exist/),
    ]);
  });
});
