import { afterEach, describe, expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

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

/** Merges a pull request by a comment, and waits for its final comment and check. */
async function mergeOne(): Promise<void> {
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  await stage.untilCommented(pr, /\*\*Merged\*\*/);
  await stage.untilChecked((await stage.pull(pr)).head.sha, "success");
}

describe.each(variants(["squash", "merge_commit"]))("with %s", (mergeMethod) => {
  test("every request from a comment to its merge names REST version 2022-11-28", async () => {
    stage = await Stage.open({ queue: { mergeMethod } });
    await mergeOne();
    expect(namedVersions()).toEqual(["2022-11-28"]);
  });

  test("every request names REST version 2026-03-10 when that is configured", async () => {
    const environment = { TRAINYARD_GITHUB_API_VERSION: "2026-03-10" };
    stage = await Stage.open({ queue: { mergeMethod }, environment });
    await mergeOne();
    expect(namedVersions()).toEqual(["2026-03-10"]);
  });
});

test("requests to an Enterprise Server that does not know version 2026-03-10 use 2022-11-28 from then on", async () => {
  stage = await Stage.open({
    queue: {},
    sandbox: { enterpriseVersion: "3.17.0" },
    environment: { TRAINYARD_GITHUB_API_VERSION: "2026-03-10" },
  });
  await mergeOne();
  const named = stage.sandbox.requests.entries.filter(({ version }) => version === "2026-03-10");
  expect([...new Set(named.map(({ status }) => status))]).toEqual([400]);
  // The first requests may have gone out at the same time.
  stage.sandbox.requests.clear();
  await stage.untilReacted(await stage.comment(1, "/trainyard help"));
  expect(namedVersions()).toEqual(["2022-11-28"]);
});
