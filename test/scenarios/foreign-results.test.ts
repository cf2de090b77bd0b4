import { afterEach, expect, test } from "@jest/globals";
import { GitHubProxy } from "./github-proxy.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let proxy: GitHubProxy;

afterEach(async () => {
  await stage.close();
  await proxy.close();
});

async function open(requiredStatuses: readonly string[]): Promise<void> {
  stage = await Stage.open({
    requiredChecks: null,
    queue: { policy: "fixed", batch: false, requiredStatuses: [...requiredStatuses] },
    environment: { TRAINYARD_RECONCILE_MS: "300" },
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
}

async function submit(): Promise<number> {
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  return pr;
}

/** Replaces what GitHub says about the check `test`. */
function showRun(said: { readonly status: string; readonly conclusion: string | null } | null): void {
  proxy.rewrite("GET", /\/check-runs\?/, (body) => {
    const answer = JSON.parse(body);
    const check_runs = answer.check_runs.map((run: { name: string }) =>
      run.name === "test" ? { ...run, ...said } : run,
    );
    return JSON.stringify({ ...answer, check_runs });
  });
}

test("a check with an unknown conclusion fails its pull request, and the comment names both", async () => {
  await open(["build", "test"]);
  showRun({ status: "completed", conclusion: "quarantined_by_policy" });
  const pr = await submit();
  expect(await stage.until(pr, "failed")).toMatchObject({ reason: "CHECKS_FAILED" });
  expect(await stage.untilCommented(pr, /quarantined\\?_by/)).toContain("`test`");
});

test("a check that GitHub shows as waiting or requested is waited for", async () => {
  await open(["build", "test"]);
  showRun({ status: "requested", conclusion: null });
  const pr = await submit();
  await stage.until(pr, "testing");
  await stage.untilHandled();
  showRun({ status: "waiting", conclusion: null });
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect((await stage.look(pr))?.state).toBe("testing");
  showRun(null);
  await stage.until(pr, "merged");
});

test("a status with an unknown state fails its pull request, and the comment names both", async () => {
  await open(["legal"]);
  proxy.rewrite("GET", /\/status\?/, (body) => body.replaceAll('"state":"success"', '"state":"halted"'));
  const pr = await submit();
  await stage.until(pr, "testing");
  const ref = "heads/trainyard-merge/";
  const at = { owner: "acme", repo: "widgets" };
  const [branch] = (await stage.octokit("alice").rest.git.listMatchingRefs({ ...at, ref })).data;
  const sha = branch?.object.sha ?? "";
  await stage.sandbox.reportStatus("acme/widgets", { sha, context: "legal", state: "success" });
  await stage.until(pr, "failed");
  expect(await stage.untilCommented(pr, /halted/)).toContain("`legal`");
});
