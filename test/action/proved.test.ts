import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { examples } from "../../src/api/openapi/examples.ts";
import type { StepEnd, StepSettings } from "./run-step.ts";
import { startScripted } from "./scripted-service.ts";
import { startYard, until, type Yard } from "./yard.ts";

let yard: Yard;

beforeAll(async () => {
  yard = await startYard();
});

afterAll(() => yard.close());

/** Runs the step in a workflow on a push to main. */
async function onPush(
  sha: string,
  inputs: Record<string, string> = {},
  settings: Partial<StepSettings> = {},
  event = "push",
): Promise<StepEnd> {
  const step = await yard.start(
    { number: 0, headSha: sha },
    {
      event: { repository: { full_name: "acme/widgets", default_branch: "main" } },
      env: {
        GITHUB_SHA: sha,
        GITHUB_REF: "refs/heads/main",
        GITHUB_REF_NAME: "main",
        GITHUB_REF_TYPE: "branch",
        GITHUB_EVENT_NAME: event,
      },
      ...settings,
      inputs: { command: "proved", ...inputs },
    },
  );
  return step.ended;
}

const no = { proved: "false", checks: "[]", verdict: "not-proved" };

test("says that what merged was tested, by which run and with which checks, and nothing of a push", async () => {
  const pull = await yard.open("good", { "good.txt": "1\n" });
  await yard.submit(pull.number);
  await until(async () => (await yard.state(pull.number)) === "merged");
  const entry = await yard.client.getSubmittedPullRequest({ ...yard.queue, pr: { number: pull.number } });
  const merged = await onPush(entry.merged?.sha ?? "");
  expect(merged).toMatchObject({
    exitCode: 0,
    outputs: {
      ...{ proved: "true", reason: "PASSED", verdict: "proved", "pull-request": String(pull.number) },
      "tested-sha": expect.stringMatching(/^[\da-f]{40}$/),
    },
    annotations: [],
  });
  expect(JSON.parse(merged.outputs.checks ?? "").toSorted()).toEqual(["build", "test"]);
  expect(merged.summary).toContain("### Trainyard proved: Proved");

  await yard.pushToBase({ "hotfix.txt": "1\n" });
  const { data } = await yard.asAlice.rest.repos.getBranch({
    owner: "acme",
    repo: "widgets",
    branch: "main",
  });
  const pushed = await onPush(data.commit.sha);
  expect(pushed).toMatchObject({
    exitCode: 0,
    outputs: { ...no, reason: "NOT_TESTED", "pull-request": "" },
    annotations: [{ level: "notice", title: "Trainyard: Not proved" }],
  });
});

test("fails to no when it cannot ask, and says why in a notice", async () => {
  const sha = "a".repeat(40);
  const ends = {
    NOT_ASKED: await onPush(sha, { "api-token": "" }),
    TOKEN_NOT_VALID: await onPush(sha, { "api-token": "ty_0123456789ab_unknown" }),
    QUEUE_NOT_FOUND: await onPush(sha, { "target-branch": "no-queue" }),
    COMMIT_NOT_FOUND: await onPush(sha, { sha }),
    NO_ANSWER: await onPush(sha, { "api-url": "http://127.0.0.1:1" }),
  };
  for (const [reason, end] of Object.entries(ends))
    expect(end).toMatchObject({
      exitCode: 0,
      outputs: { ...no, reason },
      annotations: [{ level: "notice", message: expect.stringContaining("So `proved` is false.") }],
    });
  // Their sha is the tip of the base, whatever the job checks out.
  for (const event of ["pull_request_target", "issue_comment"])
    expect(await onPush(sha, {}, {}, event)).toMatchObject({ outputs: { ...no, reason: "COMMIT_UNKNOWN" } });
  const wrong = await onPush(sha, { "api-url": "", sha: "abc" });
  expect(wrong).toMatchObject({ exitCode: 0, outputs: { ...no, reason: "NOT_ASKED" } });
  expect(wrong.annotations[0]?.message).toContain('The input sha is "abc"; use the full SHA of a commit.');
});

test("does not believe a yes with a word or field that it does not know, or about another commit", async () => {
  const { answer } = examples.proveCommit;
  const { sha } = answer;
  const ask = async (changes: object) => {
    const service = await startScripted({ status: 200, body: { ...answer, ...changes } });
    const end = await onPush(sha, { "api-url": service.url });
    await service.close();
    expect(end.exitCode).toBe(0);
    return end.outputs;
  };
  expect(await ask({})).toMatchObject({ proved: "true", checks: '["test"]', "run-url": answer.run?.url });
  const untold = { reason: "ANSWER_NOT_UNDERSTOOD" };
  expect(await ask({ reason: "PASSED_PARTLY" })).toMatchObject({ ...no, ...untold });
  expect(await ask({ caveat: "only on Linux" })).toMatchObject({ ...no, ...untold });
  expect(await ask({ sha: "b".repeat(40) })).toMatchObject({ ...no, ...untold });
  expect(await ask({ proved: "true" })).toMatchObject({ ...no, ...untold });
  expect(await ask({ checks: [{ name: "test", conclusion: "skipped", url: null }] })).toMatchObject({
    ...no,
    ...untold,
  });
  expect(await ask({ proved: undefined })).toMatchObject(no);
});

test("waits a few seconds at most for a service that does not answer", async () => {
  const server = createServer(() => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const began = performance.now();
  const end = await onPush("a".repeat(40), {
    "api-url": `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  const took = performance.now() - began;
  server.closeAllConnections();
  server.close();
  expect(end).toMatchObject({ exitCode: 0, outputs: { ...no, reason: "NO_ANSWER" } });
  // The start of the process takes long on a busy machine.
  expect(took).toBeLessThan(60_000);
});
