import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "@jest/globals";
import { Fork } from "../sandbox/fork.ts";
import { client, target } from "../sandbox/scene.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

const script = join(import.meta.dirname, "upload-targets.sh");

let stage: Stage;
let uploaded = Promise.withResolvers<"success">();

afterEach(async () => {
  uploaded.resolve("success");
  await stage.close();
});

/** Runs the script and returns its output by line. Rejects when an upload was not answered with 200. */
async function upload(pull: { number: number; sha: string }, env: Record<string, string>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(script, {
    env: {
      PATH: process.env.PATH ?? "",
      API_URL: `${stage.url}/v1/setImpactedTargets`,
      REPOSITORY: JSON.stringify(stage.queue.repo),
      PR_NUMBER: String(pull.number),
      PR_SHA: pull.sha,
      RUN_ID: "4711",
      API_TOKEN: "",
      ...env,
    },
  });
  return stdout.trim().split("\n");
}

test("existing clients upload targets unchanged, with a token", async () => {
  stage = await Stage.open({ queue: { mode: "parallel" } });
  const number = await stage.openPullRequest("one", undefined, { settle: false });
  const { sha } = (await stage.pull(number)).head;
  const token = await stage.issueToken({ organisation: "acme", scopes: ["submit"] });
  expect(await upload({ number, sha }, { API_TOKEN: token })).toEqual([
    "a list, with a token and a run: 200",
    "ALL: 200",
    "IMPACTS_ALL: 200",
    "nothing: 200",
    "100,000 targets: 200",
  ]);
  const submitted = await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  expect(submitted.readiness).toMatchObject({ requiresImpactedTargets: true, hasImpactedTargets: true });
});

test("existing clients upload targets from a fork by their run, without a token", async () => {
  // The run stays in progress, like the run of a real client.
  uploaded = Promise.withResolvers();
  stage = await Stage.open({ queue: { mode: "parallel" }, ci: { lastStep: () => uploaded.promise } });
  const { sandbox } = stage;
  const zoe = client(sandbox, sandbox.createUser({ login: "zoe", permission: "read" }).token);
  const { sha, pull } = await (await Fork.of(sandbox, "zoe", zoe)).openPull("feature");
  const run = await eventually(async () => {
    const known = sandbox.workflowRuns("acme/widgets").find(({ headSha }) => headSha === sha);
    if (!known) return null;
    const { data } = await stage
      .octokit("alice")
      .rest.actions.getWorkflowRun({ ...target, run_id: known.id });
    return data.status === "in_progress" ? known.id : null;
  }, "the fork's run to be in progress");
  expect(await upload({ number: pull.number, sha }, { RUN_ID: String(run) })).toEqual([
    "a fork: the header dropped: 200",
    "a fork: the header empty: 200",
    "a fork: IMPACTS_ALL: 200",
    "a fork: 100,000 targets: 200",
  ]);
});

test("an answer other than 200 makes the upload script fail, and shows why", async () => {
  stage = await Stage.open();
  const refused = upload({ number: 1, sha: "a".repeat(40) }, { RUN_ID: "1" });
  await expect(refused).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining("a fork: the header empty: 401"),
    stderr: expect.stringContaining("FORK_RUN_NOT_ACCEPTED"),
  });
});
