import { afterEach, describe, expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;

afterEach(() => stage.close());

/** The branches on which CI started, in that order. */
const startedOn = (prefix: string) =>
  stage.sandbox
    .workflowRuns("acme/widgets")
    .filter(({ event, headBranch }) => event === "push" && headBranch?.startsWith(prefix))
    .map(({ headBranch }) => headBranch);

describe.each(variants(["merge_commit", "squash", "rebase"]))(
  "CI that listens to pushes to every branch, with %s,",
  (mergeMethod) => {
    test.each(
      variants([
        ["one after the other", { concurrency: 1 }],
        ["on top of each other", { concurrency: 3 }],
        ["as a batch", { batch: true, batchingMinSize: 3, batchingMaxWaitTimeMinutes: 1 }],
        ["in lanes", { mode: "parallel", concurrency: 3 }],
      ] as const),
    )("starts once per test of pull requests that are tested %s", async (_how, queue) => {
      stage = await Stage.open({
        queue: { mergeMethod, policy: "fixed", ...queue },
        ci: { branches: ["**"] },
      });
      const prs: number[] = [];
      for (const name of ["one", "two", "three"]) prs.push(await stage.openPullRequest(name));
      for (const pr of prs) {
        const { head } = await stage.pull(pr);
        await stage.client.setImpactedTargets({
          ...stage.queue,
          pr: { number: pr, sha: head.sha },
          impactedTargets: [`t${pr}`],
        });
        await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
      }
      for (const pr of prs) await stage.until(pr, "merged");
      const tested = startedOn("trainyard-merge/");
      expect(tested).toEqual([...new Set(tested)]);
      expect(tested.length).toBeGreaterThan(0);
      expect(startedOn("trainyard-temp/")).toEqual([]);
    });
  },
);
