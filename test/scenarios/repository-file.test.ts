import { afterEach, describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { deliver } from "./deliver.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;

async function open(options: StageOptions = {}): Promise<Stage> {
  stage = await Stage.open({ queue: {}, ...options });
  return stage;
}

afterEach(() => stage.close());

const path = ".github/trainyard.yml";

/** The checks of the repository file on the head of a pull request. */
async function judgements(pr: number) {
  const { head } = await stage.pull(pr);
  const checks = await stage.ourChecks(head.sha);
  return checks.filter(({ name }) => name === "Trainyard configuration");
}

/** Waits until all earlier webhooks about a pull request are handled. They are handled in order. */
async function untilAsked(pr: number): Promise<void> {
  await stage.untilHandled();
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard help"))).toBe("+1");
}

/** Waits for the check of the repository file on the head of a pull request. */
async function untilJudged(pr: number) {
  return eventually(async () => (await judgements(pr))[0] ?? null, `a check about ${path} on #${pr}`);
}

describe("a pull request that changes the repository file", () => {
  test("gets a check that names each fault at its line", async () => {
    await open();
    const pr = await stage.openPullRequest("bad", { [path]: "# ours\nfork: deny\nlabels:\n  submit: 5\n" });
    const check = await untilJudged(pr);
    expect(check).toMatchObject({ conclusion: "failure", output: { title: `2 faults in ${path}` } });
    expect(check.output.annotations_count).toBe(2);
    const { data } = await stage
      .octokit("alice")
      .rest.checks.listAnnotations({ owner: "acme", repo: "widgets", check_run_id: check.id });
    expect(data.map(({ path, start_line, message }) => [path, start_line, message])).toEqual([
      [path, 2, "fork is unknown; did you mean forks?"],
      [path, 4, expect.stringContaining("labels.submit ")],
    ]);
    await stage.push("bad", { [path]: "forks: deny\n" });
    expect(await untilJudged(pr)).toMatchObject({ conclusion: "success" });
  });

  test("is checked at every head until it no longer changes the file, even when a push changes other files", async () => {
    await open();
    const pr = await stage.openPullRequest("bad", { [path]: "fork: deny\n" });
    expect(await untilJudged(pr)).toMatchObject({ conclusion: "failure" });
    await stage.push("bad", { "other.txt": "more\n" });
    expect(await untilJudged(pr)).toMatchObject({ conclusion: "failure" });
    await stage.push("bad", { [path]: "forks: deny\n" });
    expect(await untilJudged(pr)).toMatchObject({ conclusion: "success" });
    await stage.pushToMain({ [path]: "forks: deny\n" });
    await stage.push("bad", { "other.txt": "and more\n" });
    await untilAsked(pr);
    expect((await judgements(pr)).length).toBe(0);
  });

  test("is not confused with one that is only behind", async () => {
    await open();
    const pr = await stage.openPullRequest("behind", { "other.txt": "one\n" });
    await stage.pushToMain({ [path]: "forks: deny\n" });
    await stage.push("behind", { "other.txt": "two\n" });
    await untilAsked(pr);
    expect((await judgements(pr)).length).toBe(0);
  });

  test("gets a check when it is from a fork, too, whose pushes cause no webhooks", async () => {
    await open();
    stage.sandbox.setWebhookUrl("http://127.0.0.1:1/nobody");
    const pr = await stage.openPullRequest("bad", { [path]: "fork: deny\n" });
    const pull = await stage.pull(pr);
    expect(await stage.ourChecks(pull.head.sha)).toEqual([]);
    const fork = { ...pull.head.repo, id: 424_242 };
    await deliver(stage, "pull_request", {
      action: "opened",
      pull_request: { ...pull, head: { ...pull.head, repo: fork } },
      sender: pull.user,
    });
    expect(await untilJudged(pr)).toMatchObject({ conclusion: "failure" });
  });
});

describe("required statuses", () => {
  test("come from the repository file before branch protection when the queue has none", async () => {
    await open({ requiredChecks: ["build", "test"] });
    await stage.pushToMain({ [path]: "requiredStatuses: [build]\n" });
    await stage.untilHandled();
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    const { verifiedByTestRun } = await stage.until(pr, "merged");
    const run = await stage.client.getMergeQueueTestingDetails({
      ...stage.queue,
      testRunId: verifiedByTestRun ?? "",
    });
    expect(run).toMatchObject({
      requiredStatuses: ["build"],
      requiredStatusesSource: "repository_config",
    });
  });

  test("show their source as the repository file or, before it, the queue's settings", async () => {
    await open({ requiredChecks: ["build", "test"] });
    const source = async () => (await stage.client.getQueue(stage.queue)).requiredStatusesSource;
    expect(await source()).toBe("repo_provider_branch_protection");
    await stage.pushToMain({ [path]: "requiredStatuses: [build]\n" });
    await eventually(
      async () => ((await source()) === "repository_config" ? true : null),
      "the file to be the source",
    );
    const updated = await stage.client.updateQueue({ ...stage.queue, requiredStatuses: ["test"] });
    expect(updated.requiredStatusesSource).toBe("merge_instance");
    const { requiredStatusesSource } = await stage.client.updateQueue({
      ...stage.queue,
      deleteRequiredStatuses: true,
    });
    expect(requiredStatusesSource).toBe("repository_config");
  });

  test("cannot be read from an invalid repository file, so the pull request fails with a comment about the fault", async () => {
    await open();
    await stage.pushToMain({ [path]: "requiredStatuses: build\n" });
    await stage.untilHandled();
    const pr = await stage.openPullRequest("good");
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    expect(await stage.until(pr, "failed")).toMatchObject({ reason: "CONFIGURATION_INVALID" });
    await stage.untilCommented(pr, /\.github\/trainyard\.yml: line 1: requiredStatuses/);
  });
});

describe("a repository file", () => {
  test("with the ending .yaml counts like one with .yml", async () => {
    await open();
    await stage.pushToMain({ ".github/trainyard.yaml": "permission: admin\n" });
    await stage.untilHandled();
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    await stage.untilCommented(pr, /needs `admin`/);
    expect(await stage.look(pr)).toBeNull();
  });

  test("that became invalid still names the label that submits, so that adding it is answered", async () => {
    await open();
    await stage.pushToMain({ [path]: "labels:\n  submit: ship it\n" });
    await stage.untilHandled();
    const pr = await stage.openPullRequest("good");
    await stage.label(pr, "ship it");
    await stage.until(pr, "merged");
    await stage.pushToMain({ [path]: "labels:\n  submit: ship it\nfork: deny\n" });
    await stage.untilHandled();
    const other = await stage.openPullRequest("other");
    await stage.label(other, "ship it");
    await stage.untilCommented(other, /fork is unknown/);
  });

  test("in the wrong place stops submissions, each with an answer that names it, until it is put right", async () => {
    await open();
    const pr = await stage.openPullRequest("stray", { "trainyard.yml": "permission: admin\n" });
    expect(await untilJudged(pr)).toMatchObject({
      conclusion: "failure",
      output: { summary: expect.stringContaining("trainyard.yml is not read") },
    });
    const other = await stage.openPullRequest("good");
    // The service reads the file while there is none. The push must make it read again.
    expect(await stage.untilReacted(await stage.comment(other, "/trainyard try"))).toBe("+1");
    await stage.pushToMain({ "trainyard.yml": "permission: admin\n" });
    await stage.untilHandled();
    await stage.comment(other, "/trainyard merge");
    await stage.untilCommented(
      other,
      /is missing, and trainyard\.yml is not read.*\(`REPOSITORY_FILE_INVALID`\)/,
    );
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: other } });
    expect(await stage.until(other, "failed")).toMatchObject({ reason: "CONFIGURATION_INVALID" });
    const { findings } = await stage.client.examineQueue(stage.queue);
    expect(findings).toContainEqual(expect.objectContaining({ code: "REPOSITORY_FILE_INVALID" }));
    await stage.pushToMain({ [path]: "" });
    await eventually(
      async () => (await stage.untilReacted(await stage.comment(other, "/trainyard merge"))) === "+1" || null,
      "the file to count",
    );
    await stage.until(other, "merged");
    const after = await stage.client.examineQueue(stage.queue);
    expect(after.findings).toContainEqual(expect.objectContaining({ code: "REPOSITORY_FILE_UNREAD" }));
  });
});

test("the service serves the schema of the repository file for editors", async () => {
  await open();
  const response = await fetch(`${stage.url}/trainyard.schema.json`);
  expect(response.headers.get("content-type")).toContain("application/schema+json");
  const validate = new Ajv2020({ strict: false }).compile((await response.json()) as object);
  expect(validate({ forks: "deny" })).toBe(true);
  expect(validate({ fork: "deny" })).toBe(false);
});
