import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { issueToken, ServiceProcess, serviceEnvironment } from "../../tools/lab/service/service-process.ts";

import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { eventually } from "../scenarios/eventually.ts";

const suites = 250;
const perSuite = 100;
/** The number of suites whose first test fails. */
const failing = 3;

/**
 * It has more new tests than are looked up before the response. In the last suite, each test has a second
 * case.
 */
const report = `<testsuites>${Array.from({ length: suites }, (_, suite) => {
  const caseOf = (name: string, inner = "") =>
    `<testcase classname="suite ${suite}" name="${name}" time="0.01">${inner}</testcase>`;
  const cases = Array.from({ length: perSuite }, (_case, at) =>
    caseOf(`test ${at}`, suite < failing && at === 0 ? '<failure message="no">at a.ts:7</failure>' : ""),
  );
  const repeated = suite === suites - 1 ? cases : [];
  return `<testsuite name="suite ${suite}">${[...cases, ...repeated].join("")}</testsuite>`;
}).join("")}</testsuites>`;
const tests = suites * perSuite + perSuite;

let sandbox: Sandbox;
let directory: string;
let environment: Record<string, string>;
let service: ServiceProcess;
let token: string;

beforeEach(async () => {
  sandbox = await startSandbox();
  await sandbox.createRepository({ owner: "acme", name: "widgets", files: { "README.md": "" }, ci: null });
  directory = await mkdtemp(join(tmpdir(), "trainyard-late-"));
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  token = await issueToken(databaseUrl, "acme", "admin");
  environment = serviceEnvironment(sandbox, await freePort(), databaseUrl);
  service = new ServiceProcess(environment, join(directory, "service.log"));
  await service.start();
});
afterEach(async () => {
  await service.stop();
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

const repo = () => ({ host: sandbox.host, owner: "acme", name: "widgets" });

async function post(endpoint: string, body: object) {
  const response = await fetch(`${service.url}/v1/flaky-tests/${endpoint}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-token": token },
    body: JSON.stringify({ repo: repo(), ...body }),
  });
  return (await response.json()) as Record<string, unknown>;
}

const encodings = {
  gzip: { encoding: "gzip", content: gzipSync(report).toString("base64") },
  text: { encoding: "text", content: report },
};

function upload(more: object = {}, encoding: keyof typeof encodings = "gzip") {
  return post("upload-results", {
    ...{ head_sha: "a".repeat(40), tree_sha: "b".repeat(40), branch: "main", kind: "stable" },
    ...{ run_id: "1", job: "test", step_failed: true },
    reports: [{ path: "junit.xml", ...encodings[encoding] }],
    ...more,
  });
}

function withDatabase<T>(read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(directory, "trainyard.db"));
  database.exec("pragma busy_timeout = 5000");
  try {
    return read(database);
  } finally {
    database.close();
  }
}

const count = (what: string) =>
  withDatabase((database) => Number(database.prepare(`select count(*) as rows from ${what}`).get()?.rows));

const untilEvaluated = (uploads: number) =>
  eventually(async () => {
    const evaluated = count("test_uploads where evaluated_at is not null");
    return evaluated === uploads && count("test_uncounted_uploads") === 0 ? evaluated : null;
  }, `${uploads} evaluated uploads`);

/** The counted runs and failures of a test. */
async function runsOf(suite: number, name: string): Promise<unknown> {
  const row = withDatabase((database) =>
    database
      .prepare(
        `select sk from test_cases left join test_suites on suite_sk = in_suite
         where name = ? and coalesce(own_classname, common_classname) = ?`,
      )
      .get(name, `suite ${suite}`),
  );
  const sk = Number(row?.sk);
  const store = await openStore(join(directory, "trainyard.db"));
  const counts = await store.testEvaluations.countRuns([sk], 0);
  await store.close();
  return counts.get(sk);
}

describe("a job's first upload of many tests", () => {
  test.each(["gzip", "text"] as const)(
    "is complete after the service is killed right after its response, when sent as %s",
    async (encoding) => {
      const answer = await upload({}, encoding);
      await service.kill();
      expect(answer).toMatchObject({ verdict: "failed", failed_count: failing });
      expect(answer.tests).toEqual({ passed: tests - failing, failed: failing, skipped: 0 });
      expect(count("test_late_reports")).toBe(1);
      expect(count("test_failures")).toBe(failing);

      await service.start();
      await untilEvaluated(1);
      expect([count("test_cases"), count("test_ids"), count("test_late_reports")]).toEqual([tests, tests, 0]);
      expect(await runsOf(0, "test 0")).toMatchObject({ runs: 1, failures: 1 });
      expect(await runsOf(suites - 2, "test 99")).toMatchObject({ runs: 1, failures: 0 });
      expect(await runsOf(suites - 1, "test 99 (2)")).toMatchObject({ runs: 1, failures: 0 });

      const again = await upload({}, encoding);
      expect(again).toMatchObject({ upload_id: answer.upload_id, is_new: false, tests: answer.tests });
      await untilEvaluated(1);
      expect(await runsOf(suites - 2, "test 99")).toMatchObject({ runs: 1 });
    },
  );

  test("is evaluated together with concurrent uploads of other jobs, each once", async () => {
    const jobs = ["a", "b", "c"];
    await Promise.all(jobs.map((job) => upload({ job })));
    const again = await upload({ job: "a" });
    expect(again).toMatchObject({ is_new: false });
    await untilEvaluated(jobs.length);
    expect(count("test_cases")).toBe(tests);
    expect(await runsOf(suites - 2, "test 99")).toMatchObject({ runs: jobs.length, failures: 0 });
    expect(await runsOf(1, "test 0")).toMatchObject({ runs: jobs.length, failures: jobs.length });
  });

  test("is left for the next start when the service is stopped", async () => {
    await upload();
    await service.kill();
    await service.start();
    await service.stop();
    expect(count("test_uploads where evaluated_at is null")).toBe(1);
    service = new ServiceProcess(environment, join(directory, "service.log"));
    await service.start();
    await untilEvaluated(1);
    expect(count("test_cases")).toBe(tests);
  });

  test("is given up when its stored report is damaged, and other uploads are evaluated", async () => {
    await upload();
    await service.kill();
    withDatabase((database) => database.exec("update test_late_reports set content = x'00'"));
    await service.start();
    await upload({ run_id: "2" });
    await untilEvaluated(2);
    expect(count("test_uploads where given_up is not null")).toBe(1);
    expect(await runsOf(suites - 2, "test 99")).toMatchObject({ runs: 1 });
  });
});
