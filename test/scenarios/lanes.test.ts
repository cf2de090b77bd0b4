import { afterEach, describe, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate = new Gate();

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** Reports the impacted targets of a pull request, and submits it. */
async function submit(pr: number, impactedTargets: string[]) {
  const { head } = await stage.pull(pr);
  await stage.client.setImpactedTargets({
    ...stage.queue,
    pr: { number: pr, sha: head.sha },
    impactedTargets,
  });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
}

describe.each(variants(["squash", "merge_commit", "rebase"]))("lanes with %s", (mergeMethod) => {
  test("are tested separately and merged as they pass, and the final base is green", async () => {
    gate = new Gate();
    const queue = { mode: "parallel", mergeMethod, concurrency: 4 } as const;
    stage = await Stage.open({ queue, ci: { lastStep: gate.lastStep } });
    const prs: number[] = [];
    for (const name of ["one", "two", "three", "four"]) prs.push(await stage.openPullRequest(name));
    const impact = [["api"], ["web"], ["api", "web"], ["docs"]];
    await Promise.all(prs.map((pr, index) => submit(pr, impact[index] ?? [])));
    for (const pr of prs) await stage.until(pr, "testing");
    gate.open();
    const merged = await Promise.all(prs.map((pr) => stage.until(pr, "merged")));
    const proofs = merged.map((entry) => entry.merged?.proof);
    expect(proofs).toContain("composed");
    const main = await stage.branch("main");
    const { green } = await stage.sandbox.ci.verdictOf("acme/widgets", main.commit.sha);
    expect(green).toBe(true);
    for (const pr of prs) {
      await eventually(async () => ((await stage.pull(pr)).merged ? true : null), `#${pr} to show as merged`);
    }
  });

  test("whose pull requests change the same line in spite of their targets do not both merge", async () => {
    stage = await Stage.open({ queue: { mode: "parallel", mergeMethod, concurrency: 2 } });
    const first = await stage.openPullRequest("one", { "notes.txt": "One.\n" });
    const second = await stage.openPullRequest("two", { "notes.txt": "Two.\n" });
    await Promise.all([submit(first, ["api"]), submit(second, ["web"])]);
    const ends = await Promise.all(
      [first, second].map((pr) => stage.until(pr, "merged", "failed", "not_ready")),
    );
    expect(ends.map(({ state }) => state).sort()).not.toEqual(["merged", "merged"]);
    expect((await stage.client.getQueue(stage.queue)).state).toBe("running");
  });
});

test("a pull request in parallel mode waits for its targets, and explains why", async () => {
  stage = await Stage.open({ queue: { mode: "parallel" } });
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  const waiting = await stage.until(pr, "not_ready");
  expect(waiting.readiness).toMatchObject({ requiresImpactedTargets: true, hasImpactedTargets: false });
  expect(waiting.why).toContainEqual(expect.objectContaining({ code: "WAITING_FOR_TARGETS" }));
  await stage.untilCommented(
    pr,
    /It waits because:\n- the impacted targets of its head have not been posted yet/,
  );
  await stage.client.setImpactedTargets({
    ...stage.queue,
    pr: { number: pr, sha: waiting.prSha },
    impactedTargets: "ALL",
  });
  await stage.until(pr, "merged");
});
