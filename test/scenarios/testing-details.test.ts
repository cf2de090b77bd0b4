import { afterEach, expect, test } from "@jest/globals";
import { pullRequestPath } from "../../src/dashboard/paths.ts";
import { textOf } from "../dashboard/page-text.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
const gate = new Gate();

afterEach(async () => {
  gate.open();
  await stage.close();
});

interface Check {
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
}

/** The checks of the only run in progress. */
async function checksOfRun(): Promise<readonly Check[]> {
  const details = await stage.client.getMergeQueueTestingDetails(stage.queue);
  if (!("testRuns" in details)) throw new Error("that is one run");
  return details.testRuns.flatMap(({ checkSuites }) => checkSuites.flatMap(({ checkRuns }) => checkRuns));
}

test("the testing details show checks as their webhooks arrive, and the page when the test times out", async () => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["build", "test", "never"] },
    ci: { lastStep: gate.lastStep },
    environment: { TRAINYARD_DASHBOARD: "public" },
  });
  const pr = await stage.openPullRequest("good");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  await eventually(async () => {
    const checks = await checksOfRun();
    return checks.some(({ status }) => status !== "COMPLETED") ? true : null;
  }, "a check that has begun");
  gate.open();
  await eventually(async () => {
    const checks = await checksOfRun();
    const told = checks.map(({ name, conclusion }) => `${name} ${conclusion}`).toSorted();
    return JSON.stringify(told) === JSON.stringify(["build SUCCESS", "test SUCCESS"]) ? true : null;
  }, "both checks to have ended");
  const page = await fetch(stage.url + pullRequestPath({ repo: stage.queue.repo, branch: "main" }, pr));
  expect(textOf(await page.text())).toMatch(
    /started .* running for \d+ (s|min) times out in (5 h|4 h 5\d min) /,
  );
});
