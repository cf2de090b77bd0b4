import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { createCheckout } from "./checkout.ts";
import { type StepEnd, type StepSettings, startStep } from "./run-step.ts";
import { type Scripted, startProxy, startScripted } from "./scripted-service.ts";
import { pullRequestEvent } from "./yard.ts";

const pull = { number: 12, headSha: "a".repeat(40) };
const token = "ty_000000000000_secret";
const taken: Scripted = {
  status: 200,
  body: { prNumber: 12, prSha: pull.headSha, targetsCount: "ALL" },
};

let directory: string;
let closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-action-"));
});

afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
  await rm(directory, { recursive: true, force: true });
});

async function service(...answers: readonly Scripted[]) {
  const scripted = await startScripted(...answers);
  closing.push(scripted.close);
  return scripted;
}

/** Uploads ALL by default, because that needs no checkout. */
async function runStep(url: string, settings: Partial<StepSettings> = {}): Promise<StepEnd> {
  const inputs = { command: "impacted-targets", provider: "all", "api-url": url, "api-token": token };
  const step = await startStep({
    directory,
    githubUrl: "https://github.example.org",
    repository: "acme/widgets",
    githubToken: "ghs_of-the-job",
    event: pullRequestEvent(pull),
    ...settings,
    inputs: { ...inputs, ...settings.inputs },
  });
  return step.ended;
}

function problem(status: number, code: string, detail: string): Scripted {
  return { status, body: { type: "", title: "", status, detail, instance: "1", code } };
}

describe("a request of the Action", () => {
  test("carries the token and the code host that the workflow runs on", async () => {
    const { url, received } = await service(taken);
    expect(await runStep(`${url}/`)).toMatchObject({ exitCode: 0, outputs: { verdict: "uploaded" } });
    expect(received).toMatchObject([
      { path: "/v1/setImpactedTargets", headers: { "x-api-token": token, "user-agent": "trainyard-action" } },
    ]);
    expect(JSON.parse(received[0]?.body ?? "")).toEqual({
      repo: { host: "github.example.org", owner: "acme", name: "widgets" },
      targetBranch: "main",
      pr: { number: 12, sha: pull.headSha },
      impactedTargets: "ALL",
    });
  });

  test("carries the id of the workflow run instead of a token when it comes from a fork", async () => {
    const { url, received } = await service(taken);
    const event = pullRequestEvent(pull, "mallory/widgets");
    const end = await runStep(url, { event, inputs: { "api-token": "" } });
    expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "uploaded" } });
    expect(received[0]?.headers).toMatchObject({ "x-forked-workflow-run-id": "4711" });
    expect(received[0]?.headers).not.toHaveProperty("x-api-token");
  });

  test("is retried after 503 and 429, and waits as long as the service asks", async () => {
    const { url, received } = await service(
      problem(503, "SHUTTING_DOWN", "This server is shutting down."),
      { ...problem(429, "TOO_MANY", "Slow down."), headers: { "retry-after": "1" } },
      taken,
    );
    const began = performance.now();
    const { exitCode, log } = await runStep(url);
    expect(exitCode).toBe(0);
    expect(received).toHaveLength(3);
    expect(performance.now() - began).toBeGreaterThan(1_000);
    expect(log).toContain("trying again in 1.0 s");
  });

  test("is not retried after a refusal, whose reason is shown", async () => {
    const { url, received } = await service(problem(404, "PR_NOT_FOUND", "There is no pull request #12."));
    const { exitCode, annotations } = await runStep(url);
    expect(exitCode).toBe(1);
    expect(received).toHaveLength(1);
    expect(annotations).toMatchObject([{ level: "error", message: "There is no pull request #12." }]);
  });

  test("about a pull request is not made by a workflow that runs for a push, which passes with a notice", async () => {
    const { url, received } = await service(taken);
    for (const GITHUB_EVENT_NAME of ["push", "merge_group"])
      for (const command of ["impacted-targets", "status"]) {
        const event = { ref: "refs/tags/v1", repository: { default_branch: "main" } };
        const end = await runStep(url, { event, inputs: { command }, env: { GITHUB_EVENT_NAME } });
        expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "skipped" } });
        expect(end.annotations).toMatchObject([{ level: "notice", title: "Trainyard: No pull request" }]);
      }
    expect(received).toEqual([]);
    const { exitCode } = await runStep(url, { event: {}, env: { GITHUB_EVENT_NAME: "workflow_dispatch" } });
    expect(exitCode).toBe(1);
  });

  test("fails and names the input to check when the server is not Trainyard", async () => {
    const { url } = await service({ status: 404, headers: { "content-type": "text/html" } });
    const { exitCode, annotations } = await runStep(url);
    expect(exitCode).toBe(1);
    expect(annotations).toMatchObject([{ title: "Trainyard: This is not Trainyard" }]);
    expect(annotations[0]?.message).toContain("Check the input api-url.");
  });

  test.each(["submit", "cancel", "restart", "status", "impacted-targets", "upload-tests"])(
    "of %s fails and names the input to check when another server answers 200 with JSON",
    async (command) => {
      const workspace = join(directory, "workspace");
      const event = pullRequestEvent({ ...pull, headSha: await createCheckout(workspace, ["a.txt"]) });
      for (const provider of command === "impacted-targets" ? ["all", "command"] : ["all"]) {
        const { url } = await service({ status: 200, body: {} });
        const tests = { "previous-step-outcome": "failure", "junit-paths": "*.xml" };
        const inputs = { command, provider, "targets-command": "echo one", ...tests };
        const env = { GITHUB_HEAD_REF: "topic" };
        const { exitCode, annotations } = await runStep(url, { workspace, event, inputs, env });
        expect(exitCode).toBe(1);
        expect(annotations).toMatchObject([{ title: "Trainyard: This is not Trainyard" }]);
        expect(annotations[0]?.message).toContain("Check the input api-url.");
      }
    },
  );

  test("fails after a few attempts with advice when no server listens", async () => {
    const { exitCode, annotations, log } = await runStep(`http://127.0.0.1:${await freePort()}`);
    expect(exitCode).toBe(1);
    expect(annotations[0]?.message).toMatch(/did not answer: .*ECONNREFUSED.* HTTPS_PROXY/);
    expect(log.match(/trying again/g)).toHaveLength(4);
  });

  test("with a list of targets is retried in full, and sent as ALL after a 413 response", async () => {
    const { url, received } = await service(problem(503, "NOT_READY", "Not yet."), { status: 413 }, taken);
    const inputs = { provider: "command", "targets-command": "seq 200000" };
    const workspace = join(directory, "workspace");
    const event = pullRequestEvent({ ...pull, headSha: await createCheckout(workspace, ["a.txt"]) });
    const end = await runStep(url, { workspace, event, inputs });
    expect(end.exitCode).toBe(0);
    expect(received).toHaveLength(3);
    expect(received[0]?.body).toBe(received[1]?.body);
    expect(received[1]?.headers["content-length"]).toBe(String(received[1]?.body.length));
    expect(JSON.parse(received[1]?.body ?? "").impactedTargets).toHaveLength(200_000);
    expect(JSON.parse(received[2]?.body ?? "").impactedTargets).toBe("ALL");
    expect(await readFile(end.outputs.targets ?? "", "utf8")).toBe("ALL\n");
    expect(end.annotations).toMatchObject([{ level: "warning" }]);
  });
});

describe("with a proxy configured,", () => {
  async function throughProxy(env: Record<string, string>) {
    const { url } = await service(taken);
    const proxy = await startProxy(url);
    closing.push(proxy.close);
    const end = await runStep("http://trainyard.invalid:8080", { env: { HTTP_PROXY: proxy.url, ...env } });
    return { ...end, asked: proxy.asked };
  }

  test("requests go through the proxy", async () => {
    const { exitCode, asked, annotations } = await throughProxy({});
    expect({ exitCode, asked }).toEqual({ exitCode: 0, asked: ["trainyard.invalid:8080"] });
    expect(annotations).toMatchObject([{ title: "Trainyard: The token is sent unencrypted" }]);
  });

  test("requests go through the proxy also on a Node.js that only reads the setting at its start", async () => {
    const older = join(directory, "older-node.mjs");
    await writeFile(older, 'import http from "node:http"; delete http.setGlobalProxyFromEnv;');
    const { exitCode, asked, outputs } = await throughProxy({
      NODE_OPTIONS: `--import ${pathToFileURL(older)}`,
    });
    expect({ exitCode, asked }).toEqual({ exitCode: 0, asked: ["trainyard.invalid:8080"] });
    expect(outputs.verdict).toBe("uploaded");
  });

  test("requests to a host of NO_PROXY bypass the proxy", async () => {
    const { url } = await service(taken);
    const env = { HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1" };
    expect(await runStep(url, { env })).toMatchObject({ exitCode: 0 });
  });
});
