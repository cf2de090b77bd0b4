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
] as const)("the rule %s pauses the queue, and evicts no pull request", async (type, text) => {
  await open({}, [{ rules: [type === "update" ? type : { type }] }]);
  const [first, second] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  for (const pr of [first, second]) await submit(pr);
  await eventually(async () => ((await queue()).state === "paused" ? true : null), "the queue to be paused");
  expect((await queue()).stateReason).toBe("MERGING_NOT_ALLOWED");
  const entry = await stage.until(first, "tests_passed");
  expect(JSON.stringify(entry.why)).toMatch(text);
  stage.sandbox.setRulesets("acme/widgets", []);
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
