import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Reporter } from "../../tools/sandbox/ci/reporters.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

const at = { owner: "acme", repo: "widgets" };

/** Reports on pull requests only. */
const lint: Reporter = {
  app: "Lint",
  reports: "check_run",
  name: "lint",
  on: { pull_request: {} },
  afterMs: 100,
};

const open = async (queue: StageOptions["queue"], repository: StageOptions["repository"] = {}) => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["build", "lint"], createPrsForTestingBranches: true, ...queue },
    requiredChecks: null,
    repository,
    ci: {
      lastStep: gate.lastStep,
      workflows: [{ name: "CI", on: { push: { branches: ["trainyard-merge/**"] } }, jobs: ["build"] }],
      reporters: [lint],
    },
  });
};

async function ofTests(state: "open" | "closed" | "all" = "all") {
  const { data } = await stage.octokit("alice").rest.pulls.list({ ...at, state, per_page: 100 });
  return data.filter(({ head }) => head.ref.startsWith("trainyard-merge/"));
}

const untilOpened = () => eventually(async () => (await ofTests("open"))[0] ?? null, "a pull request");

async function submitted(...names: string[]): Promise<number[]> {
  const prs: number[] = [];
  for (const name of names) prs.push(await stage.openPullRequest(name));
  for (const pr of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  return prs;
}

describe.each(variants(["squash", "merge_commit"]))(
  "with createPrsForTestingBranches and %s,",
  (mergeMethod) => {
    test("checks for pull requests only report on a draft for each test, which is closed after the test", async () => {
      await open({ mergeMethod, policy: "fixed", batch: true, batchingMinSize: 2 });
      const prs = await submitted("one", "two");
      const draft = await untilOpened();
      expect(draft).toMatchObject({ draft: true, base: { ref: "main" } });
      for (const pr of prs) {
        expect(draft.title).toContain(`#${pr}`);
        expect(draft.body).toContain(`#${pr} Add`);
      }
      expect(draft.title).toContain("do not merge");
      expect(draft.body).toContain("Do not merge");
      expect(`${draft.title} ${draft.body}`).not.toMatch(/\b(close[sd]?|fix(e[sd])?|resolve[sd]?):?\s+#/i);
      gate.open();
      for (const pr of prs) await stage.until(pr, "merged");
      await eventually(async () => ((await ofTests("open")).length === 0 ? true : null), "no draft");
      expect(await ofTests()).toHaveLength(1);
    });
  },
);

test("a normal pull request is opened for a test when the plan has no drafts", async () => {
  await open({}, { plan: "free" });
  const [pr = 0] = await submitted("one");
  expect(await untilOpened()).toMatchObject({ draft: false });
  gate.open();
  await stage.until(pr, "merged");
});

test("the queue's own pull requests cannot be queued", async () => {
  await open({ requiredStatuses: ["build", "never"] });
  await submitted("one");
  const { number } = await untilOpened();
  await expect(stage.client.submitPullRequest({ ...stage.queue, pr: { number } })).rejects.toMatchObject({
    status: 409,
    code: "OWN_PULL_REQUEST",
  });
  await stage.label(number, "trainyard:merge");
  await stage.untilReacted(await stage.comment(number, "/trainyard merge"));
  expect(await stage.look(number)).toBeNull();
});

test("no pull request is opened for a test branch by default", async () => {
  await open({ createPrsForTestingBranches: undefined, requiredStatuses: ["build"] });
  gate.open();
  const [pr = 0] = await submitted("one");
  await stage.until(pr, "merged");
  expect(await ofTests()).toEqual([]);
});
