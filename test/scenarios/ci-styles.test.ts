import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RequestOf } from "../../src/client/client.ts";
import type { Reporter } from "../../tools/sandbox/ci/reporters.ts";
import type { Trigger, WorkflowOptions } from "../../tools/sandbox/ci/workflow.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

type Settings = Partial<RequestOf<"createQueue">>;

/** The style of a team's CI. */
interface Style {
  readonly ci: StageOptions["ci"];
  readonly queue?: Settings;
  /** The checks that branch protection requires; absent = main is not protected. */
  readonly required?: readonly string[];
}

const testBranches: Trigger = { branches: ["trainyard-merge/**"] };
const cancelling = (cancelInProgress: boolean) => ({ group: `ci-$\{{ github.ref }}`, cancelInProgress });

function workflow(push: Trigger, concurrency?: WorkflowOptions["concurrency"]): WorkflowOptions {
  const on = { push, pull_request: {} };
  return { name: "CI", on, jobs: ["build", "test"], ...(concurrency ? { concurrency } : {}) };
}

/** Reports on pull requests only. */
const dco: Reporter = {
  app: "DCO",
  reports: "check_run",
  name: "DCO",
  on: { pull_request: {} },
  afterMs: 20,
};

const styles: Record<string, Style> = {
  "listens to every branch": { ci: { workflows: [workflow({})] } },
  "listens to every branch and cancels older runs of one": {
    ci: { workflows: [workflow({}, cancelling(true))] },
  },
  "listens to test branches": { ci: { workflows: [workflow(testBranches)] } },
  "listens to test branches and lets older runs of one end": {
    ci: { workflows: [workflow(testBranches, cancelling(false))] },
  },
  "has jobs that are held back first": {
    ci: { workflows: [workflow({})], jobsBegin: "pending", durationMs: [900, 1_200] },
  },
  "filters paths": { ci: { workflows: [workflow({ paths: ["facts/**"] }, cancelling(true))] } },
  "has a check that looks at pull requests only": {
    ci: { workflows: [workflow({})], reporters: [dco] },
    queue: { requiredStatuses: ["build", "test", "DCO"], acceptFromHead: ["DCO"] },
  },
  "has such a check in the rules of main": {
    ci: { workflows: [workflow(testBranches)], reporters: [dco] },
    queue: { acceptFromHead: ["DCO"] },
    required: ["build", "test", "DCO"],
  },
};

/** `TRAINYARD_GRID=whole` plays each style with each method, mode and policy; otherwise methods and policies take turns. */
const isWhole = process.env.TRAINYARD_GRID === "whole";

const modes: Record<string, Settings> = {
  single: { mode: "single", concurrency: 2, batch: false },
  batch: { mode: "single", concurrency: 1, batch: true, batchingMinSize: 3, batchingMaxWaitTimeMinutes: 1 },
  parallel: { mode: "parallel", concurrency: 3, batch: false },
};

const methods = ["squash", "merge_commit"] as const;
const policies = ["fixed", "adaptive"] as const;

describe.each(Object.entries(styles))("CI that %s", (style, { ci, queue = {}, required }) => {
  let stage: Stage;
  let opened = 0;

  beforeAll(async () => {
    stage = await Stage.open({
      queue: { ...(required ? {} : { requiredStatuses: ["build", "test"] }), ...queue },
      requiredChecks: null,
      ...(required
        ? { repository: { protection: { requiredChecks: [...required], enforceAdmins: true } } }
        : {}),
      ci: { durationMs: [20, 40], ...ci },
    });
  });

  afterAll(() => stage.close());

  const starts = () =>
    stage.sandbox
      .workflowRuns("acme/widgets")
      .filter(({ headBranch }) => /^trainyard-(merge|temp)\//.test(headBranch ?? ""));

  const first = Object.keys(styles).indexOf(style);
  const isDrawn = (m: number, n: number, p: number) =>
    (first + n + m) % methods.length === 0 && (Math.floor(first / 2) + n + p) % policies.length === 0;
  const cells = methods.flatMap((mergeMethod, m) =>
    Object.keys(modes).flatMap((mode, n) =>
      policies
        .filter((_policy, p) => isWhole || isDrawn(m, n, p))
        .map((policy) => ({ policy, mergeMethod, mode })),
    ),
  );

  test.each(variants(cells))(
    "starts once per test, and every good pull request merges: $mergeMethod, $mode, $policy",
    async ({ policy, mergeMethod, mode }) => {
      await stage.client.updateQueue({ ...stage.queue, ...modes[mode], policy, mergeMethod });
      const before = starts().length;
      const prs: number[] = [];
      for (let n = 0; n < 3; n++) {
        opened += 1;
        prs.push(await stage.openPullRequest(`change-${opened}`, undefined, { settle: n === 2 }));
      }
      for (const pr of prs) {
        const { head } = await stage.pull(pr);
        const of = { number: pr, sha: head.sha };
        await stage.client.setImpactedTargets({ ...stage.queue, pr: of, impactedTargets: [`t${pr}`] });
        await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
      }
      for (const pr of prs)
        expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
      const started = starts().slice(before);
      const branches = new Set(started.map(({ headBranch }) => headBranch));
      expect(started.length).toBeGreaterThan(0);
      expect(started.length / branches.size).toBeLessThanOrEqual(1.2);
      expect([...branches].filter((branch) => branch?.startsWith("trainyard-temp/"))).toEqual([]);
    },
  );
});
