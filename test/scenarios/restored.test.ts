import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { restoreBackup } from "../../src/store/backup/restore-backup.ts";
import { writeBackup } from "../../src/store/backup/write-backup.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

const submitLabel = "trainyard:merge";

afterEach(() => stage.close());

/** Waits for the next second, because GitHub's times are in whole seconds. */
const nextSecond = () => sleep(1_000 - (Date.now() % 1_000) + 5);

/**
 * Restores a backup. Since then, a pull request was submitted by comment and another one by label, and the label of one that the backup
 * has in the queue was removed.
 */
async function restore(environment: () => Readonly<Record<string, string>>) {
  stage = await Stage.open({
    needsFile: true,
    requiredChecks: null,
    queue: { requiredStatuses: ["never"], concurrency: 4 },
    environment: { TRAINYARD_RECONCILE_MS: "200" },
  });
  const database = stage.databaseUrl.replace(/^sqlite:/, "");
  const backup = join(dirname(database), "backup.db");
  const commented = await stage.openPullRequest("commented");
  const labelled = await stage.openPullRequest("labelled");
  const removed = await stage.openPullRequest("removed");
  await stage.label(removed, submitLabel);
  await stage.until(removed, "testing");
  await writeBackup(database, backup);
  await nextSecond();
  await stage.comment(commented, "/trainyard merge");
  await stage.label(labelled, submitLabel);
  await stage.unlabel(removed, submitLabel);
  for (const pr of [commented, labelled]) await stage.until(pr, "testing");
  await stage.until(removed, "cancelled");
  await stage.stopService();
  await restoreBackup(backup, database, new Date());
  await nextSecond();
  await stage.startService(environment());
  await stage.until(removed, "cancelled");
  return { commented, labelled };
}

test("after a restore, commands and labels since the backup are found and carried out again", async () => {
  const { commented, labelled } = await restore(() => ({}));
  expect(await stage.until(commented, "testing")).toMatchObject({ submittedVia: "comment" });
  expect(await stage.until(labelled, "testing")).toMatchObject({ submittedVia: "label" });
});

test("after a restore with TRAINYARD_COMMANDS_SINCE, comments and labels from before that time submit nothing", async () => {
  const { commented, labelled } = await restore(() => ({
    TRAINYARD_COMMANDS_SINCE: new Date().toISOString(),
  }));
  await nextSecond();
  const later = await stage.openPullRequest("later");
  // Polling finds it, and has then looked at the others.
  stage.sandbox.setWebhookUrl(null);
  await stage.comment(later, "/trainyard merge");
  await stage.until(later, "testing");
  expect(await Promise.all([commented, labelled].map((pr) => stage.look(pr)))).toEqual([null, null]);
});
