import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type Api, startApi } from "../../api/api-harness.ts";

let api: Api;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

const usual = {
  quarantining: true,
  quarantine_days: 30,
  quarantine_max_tests: 20,
  quarantine_max_share: 0.05,
  outage_failures: 20,
  outage_share: 0.05,
  flaky_episodes: 1,
  broken_failures: 3,
  recovery_runs: 20,
  recovery_hours: 24,
  retry_new_tests: false,
  issues: false,
  issue_labels: [],
  quarantine_budget_spent_at: null,
  issues_refused: null,
};

const get = async () => (await api.post("getTestSettings", { repo: api.queue.repo })).body;
const update = (changes: object) => api.post("updateTestSettings", { repo: api.queue.repo, ...changes });

let runs = 0;
async function upload(failures: number, tests = failures + 1) {
  runs += 1;
  const cases = Array.from({ length: tests }, (_, at) =>
    at < failures
      ? `<testcase name="t${at}"><failure message="no"/></testcase>`
      : `<testcase name="t${at}"/>`,
  );
  const { body } = await api.post("uploadTestResults", {
    ...{ repo: api.queue.repo, head_sha: "a".repeat(40), tree_sha: "b".repeat(40), branch: "main" },
    ...{ kind: "stable", run_id: String(runs), job: "test", step_failed: true },
    reports: [{ path: "a.xml", content: `<testsuite name="w">${cases.join("")}</testsuite>` }],
  });
  return body as { verdict: string; is_suspect: boolean; failed: { id: string }[] };
}

test("an update keeps absent test settings, resets those set to null, and rejects an unknown name", async () => {
  expect(await get()).toEqual(usual);
  const changed = { quarantining: false, quarantine_days: 7, outage_share: 0.5, issue_labels: ["flaky"] };
  expect((await update(changed)).body).toEqual({ ...usual, ...changed });
  expect((await update({ broken_failures: 5 })).body).toEqual({ ...usual, ...changed, broken_failures: 5 });
  expect((await update({ quarantining: null, outage_share: null, issue_labels: null })).body).toEqual({
    ...usual,
    quarantine_days: 7,
    broken_failures: 5,
  });
  const { status, body } = await update({ quarantineDays: 3 });
  expect({ status, code: body.code, detail: body.detail }).toEqual({
    status: 400,
    code: "INVALID_BODY",
    detail: expect.stringContaining("quarantineDays"),
  });
  expect(await get()).toEqual({ ...usual, quarantine_days: 7, broken_failures: 5 });
});

test("quarantining off makes quarantined tests count, and quarantining on restores their quarantines", async () => {
  const [turns] = (await upload(1)).failed;
  const ofTest = { repo: api.queue.repo, test_case_id: turns?.id, quarantine_setting: "ALWAYS_QUARANTINE" };
  await api.post("setQuarantine", { ...ofTest, reason: "waits" });
  expect((await upload(1)).verdict).toBe("quarantined");
  await update({ quarantining: false });
  expect((await upload(1)).verdict).toBe("failed");
  const exported = async () =>
    (await api.post("exportQuarantines", { repo: api.queue.repo })).body.quarantines as unknown[];
  expect(await exported()).toEqual([
    expect.objectContaining({ quarantine_setting: "ALWAYS_QUARANTINE", reason: "waits" }),
  ]);
  await update({ quarantining: true });
  expect((await upload(1)).verdict).toBe("quarantined");
});

test("new quarantine days apply to the next quarantine, and outage settings to the next upload", async () => {
  expect((await upload(6, 7)).is_suspect).toBe(false);
  await update({ quarantine_days: 7, outage_failures: 5, outage_share: 0.5 });
  const { is_suspect, failed } = await upload(6, 7);
  expect(is_suspect).toBe(true);
  const ofTest = { repo: api.queue.repo, test_case_id: failed[0]?.id };
  const { body } = await api.post("setQuarantine", { ...ofTest, quarantine_setting: "ALWAYS_QUARANTINE" });
  const days = (Date.parse(String(body.expires_at)) - Date.parse(String(body.quarantined_at))) / 86_400_000;
  expect(days).toBe(7);
});

test("a change of test settings is in the audit log", async () => {
  await update({ quarantining: false });
  const { body } = await api.post("listAuditLog", { action: "updateTestSettings" });
  expect(body.entries).toEqual([
    expect.objectContaining({ action: "updateTestSettings", outcome: "done", repo: api.queue.repo }),
  ]);
});
