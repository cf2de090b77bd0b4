import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { createClient } from "../../src/client/client.ts";
import { Tokens } from "../../src/service/access/tokens.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { ServiceProcess } from "../../tools/lab/service/service-process.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { client as octokit } from "../sandbox/scene.ts";
import { eventually } from "./eventually.ts";
import { GitHubProxy } from "./github-proxy.ts";

const target = { owner: "acme", repo: "widgets" };

async function issueToken(databaseUrl: string): Promise<string> {
  const store = await openStore(databaseUrl);
  const tokens = new Tokens(store.tokens, { now: () => Date.now() });
  const { token } = await tokens.create({
    ...{ organisation: "acme", name: "ci", scopes: ["admin"], expiresAt: null },
  });
  await store.close();
  return token;
}

test("a service that is killed after GitHub has opened an issue, but before it is stored, leaves only one issue", async () => {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-issues-"));
  const sandbox = await startSandbox();
  const alice = octokit(sandbox, sandbox.createUser({ login: "alice", permission: "write" }).token);
  await sandbox.createRepository({ owner: "acme", name: "widgets", files: { "README.md": "#\n" } });
  const proxy = await GitHubProxy.start(sandbox.url);
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  const service = new ServiceProcess(
    {
      ...sandbox.env,
      ...{ GHE_HOST: proxy.host, DATABASE_URL: databaseUrl, PORT: String(await freePort()) },
      ...{ LOG_LEVEL: "info", TRAINYARD_LEASE_MS: "1000" },
    },
    join(directory, "service.log"),
  );
  try {
    const token = await issueToken(databaseUrl);
    await service.start();
    const trainyard = createClient({ baseUrl: service.url, token, timeoutMs: 180_000 });
    const repo = { host: proxy.host, owner: "acme", name: "widgets" };
    await trainyard.updateTestSettings({ repo, issues: true });
    let kills = 0;
    let killed: Promise<void> = Promise.resolve();
    proxy.rewrite("POST", /\/issues$/, (body) => {
      // GitHub has answered, but the service never receives the answer.
      if (kills++ === 0) killed = service.kill();
      return body;
    });
    const failed = '<testcase name="turns"><failure message="no"/></testcase><testcase name="turns"/>';
    await trainyard.uploadTestResults({
      ...{ repo, head_sha: "a".repeat(40), tree_sha: "b".repeat(40), branch: "main", kind: "stable" },
      ...{ run_id: "1", run_attempt: 1, job: "test", step_failed: false },
      reports: [{ path: "a.xml", content: `<testsuite name="w">${failed}</testsuite>` }],
    });
    await eventually(async () => (kills > 0 ? true : null), "the issue to be opened");
    await killed;
    await service.start();
    const ticket = await eventually(async () => {
      const { quarantines } = await trainyard.exportQuarantines({ repo });
      return quarantines[0]?.ticket_url ?? null;
    }, "the issue to be known");
    const { data: issues } = await alice.rest.issues.listForRepo({ ...target, state: "all" });
    expect(issues.map(({ html_url }) => html_url)).toEqual([ticket]);
    expect(kills).toBe(1);
  } finally {
    await service.kill();
    await proxy.close();
    await sandbox.close();
    await rm(directory, { recursive: true, force: true });
  }
});
