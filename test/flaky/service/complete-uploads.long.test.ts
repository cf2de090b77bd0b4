import { expect, test } from "@jest/globals";
import { day } from "../../../src/flaky/detection/settings.ts";
import { testIdOf } from "../../../src/flaky/identity.ts";
import { Quarantines } from "../../../src/flaky/service/quarantines.ts";
import { LateResults } from "../../../src/flaky/service/uploads/late-results.ts";
import type { SentReport } from "../../../src/flaky/service/uploads/read-reports.ts";
import { TestIngest } from "../../../src/flaky/service/uploads/test-ingest.ts";
import { digest, identityScopeOf } from "../../../src/flaky/service/uploads/upload-tests.ts";
import {
  flakyTests,
  type GrowingUpload,
  type GrowingWorld,
  generateGrowth,
  growingWorlds,
} from "../../../tools/simulator/flaky/growing-suites.ts";
import { testRepo } from "../../contract/build-test-upload.ts";
import { TestYard } from "./test-yard.ts";

/** How the uploads of a world are judged whose failures are all flaky, and whose flaky tests are all quarantined. */
interface Judged {
  readonly flakyOnly: number;
  /** Those with all of their tests that are taken for incomplete. */
  readonly unknown: number;
  readonly lost: number;
  /** Those that lost a suite and are forgiven. */
  readonly forgivenLost: number;
  readonly unknownBy: Readonly<Record<string, number>>;
}

async function judge(world: GrowingWorld, seed: number): Promise<Judged> {
  const yard = await TestYard.open();
  const ingest = new TestIngest(yard.context, new LateResults(yard.context, () => {}), () => {});
  const start = yard.now;
  const forgiven = new Set<string>();
  const count = {
    flakyOnly: 0,
    unknown: 0,
    lost: 0,
    forgivenLost: 0,
    unknownBy: {} as Record<string, number>,
  };
  for (const upload of generateGrowth(world, seed)) {
    yard.now = start + upload.at;
    if (!forgiven.has(upload.variant)) {
      forgiven.add(upload.variant);
      await quarantine(yard, upload.variant);
    }
    const verdict = await send(ingest, upload);
    if (upload.failed.length === 0) continue;
    if (upload.isLost) {
      count.lost += 1;
      count.forgivenLost += verdict === "quarantined" ? 1 : 0;
      continue;
    }
    count.flakyOnly += 1;
    if (verdict === "unknown") {
      count.unknown += 1;
      count.unknownBy[upload.kind] = (count.unknownBy[upload.kind] ?? 0) + 1;
    } else expect(verdict).toBe("quarantined");
  }
  await yard.store.close();
  return count;
}

async function send(
  ingest: TestIngest,
  { at: _, tests, failed, isLost, ...facts }: GrowingUpload,
): Promise<string> {
  const names = new Set(failed);
  const cases = tests.map((test) => {
    const [suite = "", name = ""] = test.split(" > ");
    return `<testcase classname="${suite}" name="${name}">${names.has(test) ? "<failure/>" : ""}</testcase>`;
  });
  const xml = `<testsuite name="all" tests="${tests.length}" failures="${failed.length}">${cases.join("")}</testsuite>`;
  const outcome = await ingest.upload({
    ...{ ...facts, repo: testRepo, workflow: "CI", step: "", baseBranch: "main", quarantine: true },
    ...{ stepFailed: failed.length > 0 || isLost, expectedReports: 1, reports: [sent(xml)] },
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
  if (process.env.DBG && outcome.value.verdict.code === "TESTS_MISSING") console.log(JSON.stringify({ ...facts, tests: tests.length, m: outcome.value.verdict.message }));
  return outcome.value.verdict.verdict;
}

function sent(xml: string): SentReport {
  async function* pieces() {
    yield Buffer.from(xml);
  }
  return { path: "junit.xml", pieces: pieces() };
}

async function quarantine(yard: TestYard, variant: string): Promise<void> {
  const scope = { ...identityScopeOf({ repo: testRepo }), variant };
  const imported = flakyTests.map((test) => {
    const [classname = "", name = ""] = test.split(" > ");
    const named = { name, classname, parent: "all", file: null };
    return {
      test: { ...named, id: testIdOf(named, scope, digest), variant },
      ...{ mode: "ALWAYS" as const, reason: "it fails now and then", owner: null, ticketUrl: null },
      expiresAt: yard.now + 90 * day,
    };
  });
  const outcome = await new Quarantines(yard.context).import(testRepo, imported);
  expect(outcome).toMatchObject({ ok: true });
}

test.each(Object.entries(growingWorlds))("in the world %s", async (name, world) => {
  const judged = await judge(world, 301);
  console.log(name, JSON.stringify(judged));
});
