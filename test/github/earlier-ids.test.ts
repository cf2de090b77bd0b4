import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { AppClient } from "../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../src/github/github-code-host.ts";
import type { CheckRunContent } from "../../src/ports/code-host/checks.ts";
import type { InstalledRepository } from "../../src/ports/code-host/code-host.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { client, type Scene, target } from "../sandbox/scene.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

let sandbox: Sandbox;
let codeHost: GitHubCodeHost;
let repo: InstalledRepository;
let asAlice: Scene["asAlice"];
let pull: { number: number; sha: string };

beforeAll(async () => {
  sandbox = await startSandbox();
  const alice = sandbox.createUser({ login: "alice", permission: "write" });
  const files = { "README.md": "# Widgets\n" };
  await sandbox.createRepository({ owner: "acme", name: "widgets", files, ci: null });
  asAlice = client(sandbox, alice.token);
  const { APP_ID, PRIVATE_KEY = "" } = sandbox.env;
  const credentials = { appId: Number(APP_ID), privateKey: PRIVATE_KEY, apiUrl: `${sandbox.url}/api/v3` };
  codeHost = new GitHubCodeHost(new AppClient(credentials, log), "s/");
  const name = { host: sandbox.host, owner: "acme", name: "widgets" };
  repo = { ...name, installationId: (await codeHost.findInstallation(name)) ?? 0 };
  pull = await openPull(asAlice, "feature", { a: "1" });
});
afterAll(() => sandbox.close());

async function comments() {
  const { data } = await asAlice.rest.issues.listComments({ ...target, issue_number: pull.number });
  return data.map(({ id, node_id, body }) => ({ id: String(id), nodeId: node_id, text: body }));
}

test("a comment that an earlier version stored by number is edited, or written again if it was deleted", async () => {
  await codeHost.putComment(repo, pull.number, null, { body: "First", mark: null, instance: "a1-us" }, false);
  const [first] = await comments();
  const posted = { id: first?.id ?? "", mark: null };
  const edited = await codeHost.putComment(
    repo,
    pull.number,
    posted,
    { body: "Second", mark: null, instance: "a1-us" },
    false,
  );
  expect(edited.id).toBe(first?.nodeId);
  expect(await comments()).toEqual([{ ...first, text: expect.stringContaining("Second") }]);
  await asAlice.rest.issues.deleteComment({ ...target, comment_id: Number(first?.id) });
  const again = await codeHost.putComment(
    repo,
    pull.number,
    posted,
    { body: "Third", mark: null, instance: "a1-us" },
    false,
  );
  expect(await comments()).toEqual([
    {
      id: expect.not.stringMatching(`^${first?.id}$`),
      nodeId: again.id,
      text: expect.stringContaining("Third"),
    },
  ]);
});

test("a check that an earlier version stored by number is updated", async () => {
  const content: CheckRunContent = {
    name: "Trainyard (main)",
    headSha: pull.sha,
    externalId: "entry",
    detailsUrl: null,
    status: "queued",
    conclusion: null,
    title: "pending",
    summary: "It waits.",
  };
  const nodeId = await codeHost.putCheckRun(repo, null, content, false);
  const checks = async () =>
    (await asAlice.rest.checks.listForRef({ ...target, ref: pull.sha })).data.check_runs;
  const [check] = await checks();
  const updated = await codeHost.putCheckRun(
    repo,
    String(check?.id),
    { ...content, title: "testing" },
    false,
  );
  expect(updated).toBe(nodeId);
  expect((await checks()).map(({ output }) => output.title)).toEqual(["testing"]);
});
