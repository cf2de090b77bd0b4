import { expect, test } from "@jest/globals";
import { branchWith, openPull, tipOf } from "./commit-on-branch.ts";
import { CI_APP_ID, inSandbox, refusal, type Scene, target } from "./scene.ts";

const runsOf = async (octokit: Scene["asAlice"], ref: string, query: object = {}) =>
  (await octokit.rest.checks.listForRef({ ...target, ref, ...query })).data.check_runs;

test("an App reports a check run and updates it in place", () =>
  inSandbox(async ({ asAlice, asInstallation }) => {
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const { data: run } = await asInstallation.rest.checks.create({
      ...target,
      name: "Trainyard (main)",
      head_sha: sha,
      status: "queued",
      external_id: "entry-1",
      output: { title: "Queued", summary: "Third in line" },
    });
    expect(run).toMatchObject({ status: "queued", conclusion: null, pull_requests: [{ number }] });
    const { data: done } = await asInstallation.rest.checks.update({
      ...target,
      check_run_id: run.id,
      conclusion: "success",
      output: { title: "Merged", summary: "Done" },
    });
    expect(done).toMatchObject({
      id: run.id,
      status: "completed",
      conclusion: "success",
      external_id: "entry-1",
    });
    expect(done.output.title).toBe("Merged");
    expect((await asInstallation.rest.checks.get({ ...target, check_run_id: run.id })).data).toEqual(done);
  }));

test("a check run is refused when its output is too long or its commit does not exist", () =>
  inSandbox(async ({ asInstallation, asAlice, expectedViolations }) => {
    const head_sha = await tipOf(asAlice, "main");
    const create = (fields: object) =>
      asInstallation.rest.checks.create({ ...target, name: "x", head_sha, ...fields });
    const long = create({ output: { title: "x", summary: "x".repeat(65_536) } });
    expect(await refusal(long)).toMatchObject({ status: 422 });
    expectedViolations.push({ kind: "request", subject: "checks/create" });
    expect(await refusal(create({ status: "completed" }))).toMatchObject({
      status: 422,
      message: "Validation Failed",
    });
    const nowhere = "f".repeat(40);
    expect(await refusal(create({ head_sha: nowhere }))).toEqual({
      status: 422,
      message: `No commit found for SHA: ${nowhere}`,
    });
  }));

test("a check run replaces the earlier one of the same name in its suite, which the filter can still show", () =>
  inSandbox(
    async ({ asAlice, asInstallation }) => {
      const sha = await branchWith(asAlice, "feature", { a: "1" });
      for (const conclusion of ["failure", "success"] as const) {
        await asInstallation.rest.checks.create({ ...target, name: "lint", head_sha: sha, conclusion });
      }
      expect((await runsOf(asInstallation, sha)).map(({ conclusion }) => conclusion)).toEqual(["success"]);
      expect(await runsOf(asInstallation, "feature", { filter: "all" })).toHaveLength(2);
      expect(await runsOf(asInstallation, sha, { check_name: "other" })).toEqual([]);
      expect(await runsOf(asInstallation, sha, { app_id: CI_APP_ID })).toEqual([]);
      const { data } = await asInstallation.rest.checks.listSuitesForRef({ ...target, ref: sha });
      expect(data.check_suites).toMatchObject([
        { status: "completed", conclusion: "success", head_branch: "feature" },
      ]);
    },
    {},
    { ci: null },
  ));

test("a push creates a check suite for each App that may write checks, which stays queued until the App reports", () =>
  inSandbox(
    async ({ asAlice, asInstallation, sandbox }) => {
      const sha = await branchWith(asAlice, "feature", { a: "1" });
      const { data } = await asInstallation.rest.checks.listSuitesForRef({ ...target, ref: sha });
      expect(data.check_suites).toMatchObject([
        { app: { id: sandbox.app.id }, status: "queued", conclusion: null, latest_check_runs_count: 0 },
      ]);
    },
    {},
    { ci: null },
  ));

test("only the App that made a check run may change it", () =>
  inSandbox(async ({ sandbox, asAlice, asInstallation }) => {
    const { sha } = await openPull(asAlice, "feature", { a: "1" });
    await sandbox.settled();
    const [run] = await runsOf(asInstallation, sha, { app_id: CI_APP_ID });
    const change = asInstallation.rest.checks.update({
      ...target,
      check_run_id: run?.id ?? 0,
      conclusion: "success",
    });
    expect(await refusal(change)).toMatchObject({ status: 403 });
    expect(
      (await asAlice.rest.checks.getSuite({ ...target, check_suite_id: run?.check_suite?.id ?? 0 })).data,
    ).toMatchObject({ conclusion: "success", latest_check_runs_count: 2 });
  }));

test("statuses combine to the worst of the latest for each context, and to pending if there are none", () =>
  inSandbox(async ({ asAlice }) => {
    const sha = await branchWith(asAlice, "feature", { a: "1" });
    const combined = async () =>
      (await asAlice.rest.repos.getCombinedStatusForRef({ ...target, ref: "feature" })).data;
    const report = (context: string, state: "success" | "failure" | "pending", description = "") =>
      asAlice.rest.repos.createCommitStatus({ ...target, sha, context, state, description });
    expect(await combined()).toMatchObject({ state: "pending", total_count: 0 });
    await report("one", "failure");
    await report("two", "success");
    expect((await combined()).state).toBe("failure");
    await report("one", "success");
    expect(await combined()).toMatchObject({ state: "success", total_count: 2, sha });
    await report("two", "pending");
    expect((await combined()).state).toBe("pending");
    const { data } = await asAlice.rest.repos.listCommitStatusesForRef({ ...target, ref: sha });
    expect(data.map(({ context, state }) => `${context} ${state}`)).toEqual([
      "two pending",
      "one success",
      "two success",
      "one failure",
    ]);
    expect(await refusal(report("one", "success", "x".repeat(141)))).toMatchObject({ status: 422 });
  }));

test("an App needs the permission to report statuses", () =>
  inSandbox(async ({ asAlice, asInstallation }) => {
    const sha = await tipOf(asAlice, "main");
    const report = asInstallation.rest.repos.createCommitStatus({ ...target, sha, state: "success" });
    expect(await refusal(report)).toEqual({ status: 403, message: "Resource not accessible by integration" });
  }));

test("check runs and required checks are listed in an order that the seed decides", async () => {
  const orders = new Set<string>();
  const contexts = ["a", "b", "c"];
  for (const seed of [1, 2, 3, 4]) {
    const play = async ({ asAlice, asInstallation, asAdmin }: Scene) => {
      const head_sha = await tipOf(asAlice, "main");
      for (const name of contexts) await asInstallation.rest.checks.create({ ...target, name, head_sha });
      const names = async () => (await runsOf(asAlice, head_sha)).map(({ name }) => name);
      expect(await names()).toEqual(await names());
      const { data } = await asAdmin.rest.repos.getStatusChecksProtection({ ...target, branch: "main" });
      expect(data.contexts.toSorted()).toEqual(contexts);
      orders.add(`${await names()} ${data.contexts}`);
    };
    await inSandbox(play, { seed }, { protection: { requiredChecks: contexts }, ci: null });
  }
  expect(orders.size).toBeGreaterThan(1);
});

test("a completed check run can be requested again from its own App, which does not change it", () =>
  inSandbox(async ({ sandbox, asAlice, asInstallation }) => {
    const { sha } = await openPull(asAlice, "feature", { a: "1" });
    const made = { ...target, name: "Trainyard (main)", head_sha: sha };
    const { data: run } = await asInstallation.rest.checks.create({ ...made, conclusion: "failure" });
    const again = { ...target, check_run_id: run.id };
    expect((await asAlice.rest.checks.rerequestRun(again)).status).toBe(201);
    await sandbox.settled();
    expect((await asInstallation.rest.checks.get(again)).data).toEqual(run);
    const { data: queued } = await asInstallation.rest.checks.create({ ...made, name: "other" });
    const refused = asAlice.rest.checks.rerequestRun({ ...target, check_run_id: queued.id });
    expect(await refusal(refused)).toMatchObject({ status: 422 });
  }));
