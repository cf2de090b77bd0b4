import { afterEach, expect, test } from "@jest/globals";
import { appClient } from "../sandbox/scene.ts";
import { eventually, Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

const at = { owner: "acme", repo: "widgets" };

/** Reports a check on the next commit under test, as the App of a deployment service would. Returns the commit. */
async function report(conclusion: "cancelled" | "success", except: readonly string[]): Promise<string> {
  const { data: installation } = await appClient(stage.sandbox).rest.apps.getRepoInstallation(at);
  const octokit = appClient(stage.sandbox, { installationId: installation.id });
  const sha = await eventually(async () => {
    const { data } = await octokit.rest.git.listMatchingRefs({ ...at, ref: "heads/trainyard-merge/" });
    return data.map(({ object }) => object.sha).find((found) => !except.includes(found)) ?? null;
  }, "a commit under test");
  await octokit.rest.checks.create({
    ...at,
    name: "deploy",
    head_sha: sha,
    status: "completed",
    conclusion,
  });
  return sha;
}

test("a pull request whose required check is cancelled does not fail, but is tested again and merges", async () => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["deploy"] },
    ci: { pullRequests: false, branches: [] },
    requiredChecks: null,
    // A check by our own App causes no webhook.
    environment: { TRAINYARD_RECONCILE_MS: "200" },
  });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  const cancelled = await report("cancelled", []);
  const waiting = await stage.until(pr, "pending");
  expect(waiting.reason).toBe("INFRASTRUCTURE_ERROR");
  expect(waiting.why).toContainEqual(
    expect.objectContaining({
      code: "RETRY_SCHEDULED",
      text: expect.stringContaining("deploy ended as cancelled"),
    }),
  );
  await stage.until(pr, "testing");
  await report("success", [cancelled]);
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
});
