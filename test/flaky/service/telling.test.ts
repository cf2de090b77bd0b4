import { afterEach, expect, test } from "@jest/globals";
import { day, hour } from "../../../src/flaky/detection/settings.ts";
import { Quarantines } from "../../../src/flaky/service/quarantines.ts";
import { testRepo } from "../../contract/build-test-upload.ts";
import { buildEndpoint } from "../../contract/build-webhook.ts";
import { TestYard } from "./test-yard.ts";

let yard: TestYard;
afterEach(() => yard.store.close());

async function open(events: readonly string[] = ["test_case.*"]): Promise<void> {
  yard = await TestYard.open();
  const { webhookEndpoints } = yard.store;
  await webhookEndpoints.add(buildEndpoint("ours", { organisation: "acme", events }), 9);
  await webhookEndpoints.add(buildEndpoint("others", { organisation: "other" }), 9);
}

/** The payloads for an endpoint, in the order in which they were written. */
async function told(endpoint = "ours"): Promise<Record<string, unknown>[]> {
  const query = { state: null, before: null, limit: 1_000 };
  const deliveries = await yard.store.webhookDeliveries.list(endpoint, query);
  return deliveries.toReversed().map(({ payload }) => JSON.parse(payload));
}

/** Sets the quarantine mode of a test as a user does, by the real use case. */
async function set(name: string, mode: "AUTO" | "ALWAYS" | "NEVER"): Promise<void> {
  await new Quarantines(yard.context).set(testRepo, `id-of-${name}`, {
    mode,
    reason: "so",
    owner: null,
    expiresAt: null,
  });
}

const actions = async () => (await told()).map(({ type, status }) => `${type} ${status}`);

test("webhooks report a test as flaky, quarantined, broken, released and healthy, in order", async () => {
  await open();
  const evaluator = yard.newEvaluator();
  await yard.ran("T0", { turns: "FP", spins: "P" });
  await evaluator.evaluateAll();
  const [found, quarantined] = await told();
  const { sk } = await yard.test("turns");
  const common = {
    test_case_id: "id-of-turns",
    ...{ name: "turns", parent: "suite", file: null, classname: null, variant: "", codeowners: [] },
    repository: testRepo,
    timestamp: new Date(yard.now).toISOString(),
    http_details_url: "https://yard.example/tests/id-of-turns",
  };
  const reason = "Passed and failed on the same tree T0 (1 episode)";
  expect(found).toEqual({
    ...{ type: "test_case.status_changed", action: "status_changed", status: "FLAKY" },
    ...{ ...common, previous_status: "HEALTHY", status_reason: "FLIPPED_ON_ONE_TREE", reason_text: reason },
  });
  expect(quarantined).toEqual({
    ...{ type: "test_case.quarantined", action: "quarantined", status: "FLAKY", ...common },
    ...{ quarantine_setting: "AUTO_QUARANTINE", quarantine_reason: "FLAKY", quarantine_owner: null },
    quarantine_expires_at: new Date(yard.now + 30 * day).toISOString(),
    reason_text: reason,
  });
  for (const tree of ["T1", "T2", "T3"]) await yard.ran(tree, { turns: "F" });
  await evaluator.evaluateAll();
  yard.now += 25 * hour;
  for (let run = 0; run < 40; run++) await yard.ran(`R${run}`, { turns: "P" });
  await evaluator.evaluateAll();
  expect(await actions()).toEqual([
    "test_case.status_changed FLAKY",
    "test_case.quarantined FLAKY",
    "test_case.status_changed BROKEN",
    "test_case.unquarantined BROKEN",
    "test_case.status_changed FLAKY",
    "test_case.status_changed HEALTHY",
  ]);
  expect((await told())[3]).toMatchObject({ quarantine_reason: "BROKEN", quarantine_expires_at: null });
  // One at a time: the next one is sent when the previous one was accepted.
  const claim = { owner: "w", now: yard.now, leaseMs: 1_000 };
  const claimed = await yard.store.webhookDeliveries.claim(claim, () => 10);
  expect(claimed.map(({ messageId }) => messageId)).toEqual([expect.stringContaining(`msg_test_${sk}_`)]);
  expect(await told("others")).toEqual([]);
});

test("webhooks report a changed quarantine setting, and its effect unless quarantining is off", async () => {
  await open();
  await yard.ran("T0", { turns: "P" });
  await yard.newEvaluator().evaluateAll();
  await set("turns", "ALWAYS");
  await set("turns", "ALWAYS");
  await set("turns", "NEVER");
  expect(await actions()).toEqual([
    "test_case.quarantining_setting_changed HEALTHY",
    "test_case.quarantined HEALTHY",
    "test_case.quarantining_setting_changed HEALTHY",
    "test_case.unquarantined HEALTHY",
  ]);
  expect((await told())[2]).toMatchObject({
    quarantine_setting: "NEVER_QUARANTINE",
    previous_quarantine_setting: "ALWAYS_QUARANTINE",
  });
  await yard.store.testSettings.change(yard.repositoryId, { quarantining: false });
  await set("turns", "ALWAYS");
  expect((await actions()).slice(4)).toEqual(["test_case.quarantining_setting_changed HEALTHY"]);
});

test("webhooks report that a quarantine has expired", async () => {
  await open(["test_case.unquarantined"]);
  await yard.ran("T0", { turns: "FP" });
  await yard.newEvaluator().evaluateAll();
  yard.now += 30 * day;
  await yard.newEvaluator().evaluateAll();
  expect(await told()).toEqual([
    expect.objectContaining({ quarantine_reason: "EXPIRED", reason_text: "Its quarantine has ended" }),
  ]);
});

test("webhooks report changes of many tests up to a maximum, and then the number of omitted ones", async () => {
  await open();
  const names = Array.from({ length: 160 }, (_, at) => `test-${at}`);
  const all = (letter: string) => Object.fromEntries(names.map((name) => [name, letter]));
  for (const tree of ["T1", "T2", "T3"]) await yard.ran(tree, all("F"));
  await yard.newEvaluator().evaluateAll();
  const messages = await told();
  expect(messages).toHaveLength(101);
  expect(messages.at(-1)).toEqual({
    ...{ type: "test_case.changes_omitted", action: "changes_omitted", omitted: 60, repository: testRepo },
    timestamp: expect.any(String),
    http_details_url: "https://yard.example/tests",
    reason_text: "60 more changes at once are not told one by one",
  });
});

test("webhooks report changes of tests with long names up to a size limit, and then the number of omitted ones", async () => {
  await open();
  const names = Array.from({ length: 20 }, (_, at) => `${"long ".repeat(4_000)}${at}`);
  const all = (letter: string) => Object.fromEntries(names.map((name) => [name, letter]));
  for (const tree of ["T1", "T2", "T3"]) await yard.ran(tree, all("F"));
  await yard.newEvaluator().evaluateAll();
  const messages = await told();
  const named = messages.filter(({ name }) => name !== undefined);
  expect(JSON.stringify(named).length).toBeLessThan(200_000);
  expect(messages.at(-1)).toMatchObject({ action: "changes_omitted", omitted: names.length - named.length });
});

test("webhooks report a change once when two evaluators find it at the same time", async () => {
  await open();
  await yard.ran("T0", { turns: "FP" });
  await Promise.all([yard.newEvaluator().evaluateAll(), yard.newEvaluator().evaluateAll()]);
  expect(await actions()).toEqual(["test_case.status_changed FLAKY", "test_case.quarantined FLAKY"]);
});
