import { expect, test } from "@jest/globals";
import { createClient } from "../../src/client/client.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

test("the audit log shows commands by comment and label with their authors, and refused ones", async () => {
  const stage = await Stage.open({ queue: { state: "paused" } });
  try {
    const pr = await stage.openPullRequest("a");
    const entries = async (actor: string) => (await stage.client.listAuditLog({ actor })).entries;
    await stage.comment(pr, "/trainyard merge", "carol");
    const refused = await eventually(async () => (await entries("carol"))[0] ?? null, "carol's refusal");
    const about = { repo: stage.queue.repo, prNumber: pr, address: null };
    expect(refused).toMatchObject({
      ...about,
      action: "submitPullRequest",
      outcome: "refused",
      code: "PERMISSION_TOO_LOW",
      actor: { kind: "user", id: "carol" },
      via: "comment",
    });
    await stage.label(pr, "trainyard:merge", "alice");
    await stage.until(pr, "not_ready", "pending");
    await stage.comment(pr, "/trainyard cancel", "bob");
    await stage.until(pr, "cancelled");
    expect(await entries("alice")).toMatchObject([
      { ...about, action: "submitPullRequest", outcome: "done", via: "label", actor: { kind: "user" } },
    ]);
    expect(await entries("bob")).toMatchObject([
      { ...about, action: "cancelPullRequest", outcome: "done", via: "comment", targetBranch: "main" },
    ]);
    const foreign = await stage.issueToken({ organisation: "evil", scopes: ["admin"] });
    const evil = createClient({ baseUrl: stage.url, token: foreign });
    expect((await evil.listAuditLog({ actor: "alice" })).entries).toEqual([]);
  } finally {
    await stage.close();
  }
});
