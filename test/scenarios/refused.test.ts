import { afterEach, describe, expect, test } from "@jest/globals";
import type { RuleOptions, RulesetOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { manifestWith } from "../app-manifest.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;

afterEach(async () => {
  await stage.close();
});

const batched = { batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 1 } as const;
const submit = (pr: number) => stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
const queue = () => stage.client.getQueue(stage.queue);

async function open(
  settings: StageOptions["queue"],
  rulesets: RulesetOptions[] = [],
  options: Partial<StageOptions> = {},
): Promise<void> {
  stage = await Stage.open({ queue: { mergeMethod: "squash", ...settings }, ...options });
  stage.sandbox.setRulesets("acme/widgets", rulesets);
}

/** Submits pull requests, and waits until the first one is refused and the others merge. */
async function othersMerge([first = 0, ...others]: number[], text: RegExp): Promise<void> {
  for (const pr of [first, ...others]) await submit(pr);
  const failed = await stage.until(first, "failed");
  expect(failed.reason).toBe("MERGE_REFUSED");
  expect(JSON.stringify(failed)).toMatch(text);
  await stage.untilCommented(first, text);
  for (const pr of others) await stage.until(pr, "merged");
  expect((await queue()).state).toBe("running");
}

describe.each(variants(["merge_commit", "squash"]))("with %s,", (mergeMethod) => {
  describe.each([
    ["in a batch", batched],
    ["one by one", { batch: false }],
  ] as const)("%s,", (_how, batching) => {
    test("a change of workflow files without the permission evicts only its pull request", async () => {
      await open({ mergeMethod, ...batching }, [], {
        sandbox: { appManifest: manifestWith("workflows", null) },
      });
      const workflow = { ".github/workflows/ci.yml": "on: push\n", "facts/one.json": "{}\n" };
      const first = await stage.openPullRequest("one", workflow);
      const others = [await stage.openPullRequest("two"), await stage.openPullRequest("three")];
      await othersMerge([first, ...others], /permission Workflows/);
    });

    test("a commit message that a rule forbids evicts only its pull request", async () => {
      const rule = {
        type: "commit_message_pattern",
        operator: "contains",
        pattern: "bad",
        negate: true,
      } as const;
      await open({ mergeMethod, ...batching }, [{ rules: [rule] }], { requiredChecks: ["build"] });
      const first = await stage.openPullRequest("one", undefined, { title: "A bad one" });
      const others = [await stage.openPullRequest("two"), await stage.openPullRequest("three")];
      await othersMerge([first, ...others], /breaks a rule of the branch/);
    });
  });
});

test("two different refusals in a row that concern their pull requests do not pause the queue", async () => {
  const message = {
    type: "commit_message_pattern",
    operator: "contains",
    pattern: "bad",
    negate: true,
  } as const;
  const files = { type: "file_path_restriction", restricted_file_paths: ["secret/*"] } satisfies RuleOptions;
  await open({}, [{ rules: [message, files] }]);
  const first = await stage.openPullRequest("one", undefined, { title: "A bad one" });
  const second = await stage.openPullRequest("two", { "secret/key": "1\n", "facts/two.json": "{}\n" });
  const third = await stage.openPullRequest("three");
  await submit(first);
  await stage.until(first, "failed");
  await submit(second);
  expect(JSON.stringify(await stage.until(second, "failed"))).toMatch(/files that a rule forbids/);
  await submit(third);
  await stage.until(third, "merged");
});

test.each([
  ["update", /restricts updates/],
  ["merge_queue", /Require merge queue/],
  ["locked", /Cannot change this locked branch.*untick Lock branch/],
] as const)("the rule %s pauses the queue, and evicts no pull request", async (type, text) => {
  if (type === "locked") await open({}, [], { rules: { locked: true } });
  else await open({}, [{ rules: [type === "update" ? type : { type }] }]);
  const [first, second] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  for (const pr of [first, second]) await submit(pr);
  await eventually(async () => ((await queue()).state === "paused" ? true : null), "the queue to be paused");
  expect((await queue()).stateReason).toBe("MERGING_NOT_ALLOWED");
  const entry = await stage.until(first, "tests_passed");
  expect(JSON.stringify(entry.why)).toMatch(text);
  stage.sandbox.setRulesets("acme/widgets", []);
  stage.sandbox.setProtection("acme/widgets", "main", { requiredChecks: ["build", "test"] });
  await stage.client.updateQueue({ ...stage.queue, state: "running" });
  for (const pr of [first, second]) await stage.until(pr, "merged");
});

describe("an organisation's rule against the queue's own branches pauses the queue with a remedy:", () => {
  test.each([
    ["creation", "CREATION_RESTRICTED", /restricts creations/],
    [
      { type: "branch_name_pattern", operator: "starts_with", pattern: "feature/" },
      "BRANCH_NAME_RULE",
      /TRAINYARD_TEST_BRANCH_PREFIX/,
    ],
  ] as const)("%j", async (rule, _cause, text) => {
    await open({});
    const pr = await stage.openPullRequest("one");
    stage.sandbox.setRulesets("acme", [{ include: ["~ALL"], rules: [rule] }]);
    await submit(pr);
    await eventually(
      async () => ((await queue()).state === "paused" ? true : null),
      "the queue to be paused",
    );
    expect((await queue()).stateReason).toBe("BUILDING_NOT_ALLOWED");
    const entry = await stage.look(pr);
    expect(entry?.state).toBe("pending");
    expect(JSON.stringify(entry?.why)).toMatch(text);
    stage.sandbox.setRulesets("acme", []);
    await stage.client.updateQueue({ ...stage.queue, state: "running" });
    await stage.until(pr, "merged");
  });
});

describe("a refusal that every pull request meets", () => {
  const scratch = ["refs/heads/trainyard-temp/**/*"];
  const name = "acme/widgets";

  /** Rules and settings of the repository, made after the queue: its creation would warn of them. */
  const refusals: Record<
    string,
    { method: "merge_commit" | "squash" | "rebase"; text: RegExp; begin: () => void }
  > = {
    "a rebase where signatures are required": {
      method: "rebase",
      text: /Base branch requires signed commits\. .*set the queue's mergeMethod to squash or merge_commit/,
      begin: () => stage.sandbox.setRulesets(name, [{ rules: ["required_signatures"] }]),
    },
    "deployments of heads that nothing deploys": {
      method: "squash",
      text: /Missing successful active staging deployment; deploy the heads of pull requests before/,
      begin: () =>
        stage.sandbox.setRulesets(name, [
          {
            rules: [{ type: "required_deployments", required_deployment_environments: ["staging"] }],
          },
        ]),
    },
    "a commit message that every merge commit has": {
      method: "merge_commit",
      text: /Commit message must not start with Merge pull request/,
      begin: () =>
        stage.sandbox.setRulesets(name, [
          {
            rules: [
              {
                type: "commit_message_pattern",
                operator: "starts_with",
                pattern: "Merge pull request",
                negate: true,
              },
            ],
          },
        ]),
    },
    "a hook that GitHub explains in words of its own": {
      method: "squash",
      text: /Could not merge because a Git pre-receive hook failed\. only-by-git\.sh: Merge <b>by git<\/b>/,
      begin: () =>
        stage.sandbox.setPreReceiveHook(
          name,
          "only-by-git.sh: Merge <b>by git</b>. A freeze is in progress, and approving reviews are expected",
        ),
    },
    "a merge commit where history is linear": {
      method: "merge_commit",
      text: /must not contain merge commits.*squash or rebase/,
      begin: () => stage.sandbox.setRulesets(name, [{ rules: ["required_linear_history"] }]),
    },
    "a rule that the queue's own branches break, in words that look like a conflict's": {
      method: "squash",
      text: /Changes must be made through a pull request; exclude the queue's branches/,
      begin: () => stage.sandbox.setRulesets(name, [{ include: scratch, rules: [{ type: "pull_request" }] }]),
    },
    "a merge commit on the queue's own branches where history is linear": {
      method: "squash",
      text: /must not contain merge commits.*exclude the queue's branches/,
      begin: () =>
        stage.sandbox.setRulesets(name, [{ include: scratch, rules: ["required_linear_history"] }]),
    },
    "a head that is behind, where it must be up to date": {
      method: "squash",
      text: /untick Require branches to be up to date/,
      begin: () =>
        stage.sandbox.setProtection(name, "main", {
          requiredChecks: ["build", "test"],
          strict: true,
          enforceAdmins: false,
        }),
    },
  };

  const ends = () => {
    stage.sandbox.setRulesets(name, []);
    stage.sandbox.setPreReceiveHook(name, null);
    stage.sandbox.setProtection(name, "main", { requiredChecks: ["build", "test"], enforceAdmins: false });
  };

  test.each(Object.keys(refusals))("%s, pauses the queue by the second one", async (which) => {
    const { method, text, begin } = refusals[which] as (typeof refusals)[string];
    await open({ mergeMethod: method, concurrency: 2 });
    begin();
    const prs: number[] = [];
    for (const branch of ["one", "two", "three", "four"]) prs.push(await stage.openPullRequest(branch));
    for (const pr of prs) await submit(pr);
    const paused = await eventually(
      async () => ((await queue()).state === "paused" ? await queue() : null),
      "the queue to be paused",
    );
    expect(paused.stateReason).toMatch(/^(MERGING|BUILDING)_NOT_ALLOWED$/);
    const states = async () => Promise.all(prs.map(async (pr) => await stage.look(pr)));
    const entries = await states();
    const failed = entries.filter((entry) => entry?.state === "failed");
    expect(failed.length).toBeLessThan(2);
    const waiting = entries.filter((entry) => !["failed", "merged"].includes(entry?.state ?? ""));
    expect(waiting.length).toBeGreaterThan(1);
    expect(JSON.stringify(waiting.map((entry) => entry?.why))).toMatch(text);
    ends();
    await stage.client.updateQueue({ ...stage.queue, state: "running" });
    for (const entry of failed) await submit(entry?.prNumber ?? 0);
    for (const pr of prs) await stage.until(pr, "merged");
  });
});
