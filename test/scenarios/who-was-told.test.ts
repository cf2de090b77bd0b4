import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { at } from "./github-users.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let gate: Gate;

async function open(options: StageOptions = {}): Promise<void> {
  gate = new Gate();
  const queue = { policy: "fixed", concurrency: 8, requiredStatuses: ["build"] } as const;
  const ci = { lastStep: gate.lastStep, pullRequests: false };
  stage = await Stage.open({ requiredChecks: null, queue, ci, ...options });
}

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** A pull request of alice that bob has submitted, under test. */
async function queued(name: string, files?: Record<string, string>): Promise<number> {
  const pr = await stage.openPullRequest(name, files, { settle: false });
  await stage.comment(pr, "/trainyard merge", "bob");
  await stage.until(pr, "testing");
  await stage.untilCommented(pr, /\*\*Queued\*\*/);
  return pr;
}

/** Our comments on a pull request: the headline, whether it is hidden, and the people who were told when it was written. */
async function told(pr: number): Promise<string[]> {
  const { data } = await stage.octokit("alice").rest.issues.listComments({ ...at, issue_number: pr });
  const written = stage.sandbox.toldOn("acme/widgets", pr);
  return data.flatMap((comment, index) => {
    if (comment.user?.type !== "Bot") return [];
    const headline = /\*\*(.+?)\*\*/.exec(comment.body ?? "")?.[1];
    const isHidden = "minimized" in comment && comment.minimized !== null;
    return `${headline}${isHidden ? " (hidden)" : ""}: ${[...(written[index]?.mentioned ?? [])].sort()}`;
  });
}

async function untilTold(pr: number, ...expected: string[]): Promise<void> {
  let seen: string[] = [];
  await eventually(
    async () => {
      seen = await told(pr);
      return seen.join() === expected.join() ? true : null;
    },
    () => `#${pr} to have the comments ${expected.join()} instead of ${seen.join()}`,
  );
}

const queuedFirst = "Queued (hidden): bob";

test("the author and the submitter are notified of each lost place once, by a new comment", async () => {
  await open();
  const merged = await queued("merged");
  const byAuthor = await queued("by-author");
  const byAdmin = await queued("by-admin");
  const byToken = await queued("by-token");
  const pushed = await queued("pushed");
  const closed = await queued("closed");
  const own = await stage.openPullRequest("own", undefined, { settle: false });
  await stage.comment(own, "/trainyard merge");
  await stage.until(own, "testing");
  const failed = await queued("failed", { "facts/failed.json": '{"broken":true}\n' });

  await stage.comment(byAuthor, "/trainyard cancel");
  await stage.comment(byAdmin, "/trainyard cancel", "admin");
  await stage.comment(own, "/trainyard cancel");
  await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: byToken } });
  await stage.push("pushed", { "facts/more.json": "{}\n" });
  await stage.update(closed, { state: "closed" });
  for (const pr of [byAuthor, byAdmin, own, pushed, closed]) await stage.until(pr, "cancelled");
  gate.open();
  await stage.until(merged, "merged");
  await stage.until(failed, "failed");

  await untilTold(failed, queuedFirst, "Removed from the queue: alice,bob");
  // Who took it out knows it already.
  await untilTold(byAuthor, queuedFirst, "Removed from the queue: bob");
  await untilTold(byAdmin, queuedFirst, "Removed from the queue: alice,bob");
  await untilTold(byToken, queuedFirst, "Removed from the queue: alice,bob");
  await untilTold(pushed, queuedFirst, "Removed from the queue: alice,bob");
  await untilTold(own, "Removed from the queue: alice");
  // GitHub itself tells people of a pull request that is closed.
  await untilTold(closed, "Removed from the queue: bob");
  await untilTold(merged, "Merged: bob");

  // The next loss is another one, and what happens in between is an edit.
  await stage.comment(pushed, "/trainyard status", "carol");
  await stage.untilCommented(pushed, /> @carol: /);
  await stage.comment(pushed, "/trainyard merge");
  await stage.until(pushed, "merged");
  await untilTold(pushed, queuedFirst, "Merged: alice,bob");
  expect(await stage.ourComments(failed)).toHaveLength(1);
});

test("with `notify: none` in the last valid repository file, nobody is notified of a lost place by a new comment", async () => {
  await open({
    repository: { files: { ".github/trainyard.yml": "notify: none\n", "README.md": "# Widgets\n" } },
  });
  const pr = await queued("pushed");
  const other = await stage.openPullRequest("other", undefined, { settle: false });
  await stage.pushToMain({ ".github/trainyard.yml": "notify: nobody\n" });
  await stage.comment(other, "/trainyard merge");
  await stage.untilCommented(other, /notify/);
  await stage.push("pushed", { "facts/more.json": "{}\n" });
  await untilTold(pr, "Removed from the queue: bob");
  expect(await stage.untilCommented(pr, /Removed/)).not.toContain("@alice");
});
