import { afterEach, describe, expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

/** The versions that the service named in its requests. */
const namedVersions = () => [
  ...new Set(
    stage.sandbox.requests.entries
      .filter(({ actor }) => actor === "app" || actor === "installation")
      .map(({ version }) => version),
  ),
];

/** Has a pull request merged by a comment, and waits for what people see in the end. */
async function mergeOne(): Promise<void> {
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  await stage.untilCommented(pr, /\*\*Merged\*\*/);
  await stage.untilChecked((await stage.pull(pr)).head.sha, "success");
}

describe.each(["squash", "merge_commit"] as const)("with %s", (mergeMethod) => {
  test("every request from a comment to its merge names REST version 2022-11-28", async () => {
    stage = await Stage.open({ queue: { mergeMethod } });
    await mergeOne();
    expect(namedVersions()).toEqual(["2022-11-28"]);
  });

  test("every request names REST version 2026-03-10 where that is set", async () => {
    const environment = { TRAINYARD_GITHUB_API_VERSION: "2026-03-10" };
    stage = await Stage.open({ queue: { mergeMethod }, environment });
    await mergeOne();
    expect(namedVersions()).toEqual(["2026-03-10"]);
  });
});

test("an Enterprise Server that does not know version 2026-03-10 is asked by 2022-11-28 from then on", async () => {
  stage = await Stage.open({
    queue: {},
    sandbox: { enterpriseVersion: "3.17.0" },
    environment: { TRAINYARD_GITHUB_API_VERSION: "2026-03-10" },
  });
  await mergeOne();
  const named = stage.sandbox.requests.entries.filter(({ version }) => version === "2026-03-10");
  expect([...new Set(named.map(({ status }) => status))]).toEqual([400]);
  // The first requests may go out at the same time.
  expect(named.length).toBeLessThan(5);
});
