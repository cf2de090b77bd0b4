import { afterEach, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { pino } from "pino";
import { AppClient } from "../../src/github/client/app-client.ts";
import { CallLimiter, MemoryCallLimits } from "../../src/github/client/call-limiter.ts";
import { appClient, client, inSandbox, type Scene, target } from "../sandbox/scene.ts";
import { GitHubProxy } from "../scenarios/github-proxy.ts";

/** A store with slow reads, like a busy database. */
class SlowReading extends MemoryCallLimits {
  override async get(installationId: number) {
    const limits = await super.get(installationId);
    await new Promise((resolve) => setTimeout(resolve, 400));
    return limits;
  }
}

let proxy: GitHubProxy | null = null;
afterEach(async () => {
  await proxy?.close();
  proxy = null;
});

const read = (octokit: Octokit) =>
  octokit.rest.repos.get(target).then(
    () => "answered",
    (error: { kind?: string; status?: number }) => error.kind ?? error.status,
  );

function limit({ sandbox }: Scene): void {
  sandbox.faults.next({
    operation: "repos/get",
    kind: "rate_limited",
    variant: "403",
    retryAfterSeconds: 60,
  });
}

test("a slow read of stored rate limits does not discard a limit that is met during the read", () =>
  inSandbox(async (scene) => {
    const { asInstallation } = scene;
    await read(asInstallation);
    const limiter = new CallLimiter(new SlowReading(), null);
    limiter.guard(asInstallation, 1);
    limit(scene);
    expect(await read(asInstallation)).toBe(403);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    // The cached limits are stale, so both calls read the store, which contains the earlier stop.
    expect(await Promise.all([read(asInstallation), read(asInstallation)])).toEqual([
      "rate_limited",
      "rate_limited",
    ]);
  }));

test("a rate limit that one process meets stops the other processes", () =>
  inSandbox(async (scene) => {
    const { asApp, sandbox } = scene;
    const { data } = await asApp.rest.apps.getRepoInstallation(target);
    const store = new MemoryCallLimits();
    const [one, other] = [1, 2].map(() => appClient(sandbox, { installationId: data.id })) as [
      Octokit,
      Octokit,
    ];
    for (const octokit of [one, other]) {
      await read(octokit);
      new CallLimiter(store, null).guard(octokit, data.id);
    }
    limit(scene);
    expect(await read(one)).toBe(403);
    expect(await read(other)).toBe("rate_limited");
  }));

test("a request that waits for a token while a rate limit is met is not sent", () =>
  inSandbox(async ({ asApp, sandbox }) => {
    const { data } = await asApp.rest.apps.getRepoInstallation(target);
    const { id: appId, privateKey } = sandbox.app;
    proxy = await GitHubProxy.start(sandbox.url);
    const apiUrl = `http://${proxy.host}/api/v3`;
    const app = new AppClient({ appId, privateKey, apiUrl }, pino({ level: "silent" }));
    const waiting = app.installation(data.id);
    // This client already has its token.
    const made = await asApp.rest.apps.createInstallationAccessToken({ installation_id: data.id });
    const other = client(sandbox, made.data.token);
    app.limiter.guard(other, data.id);
    const [asked, limited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    proxy.beforeNext("POST", /\/access_tokens$/, () => {
      asked.resolve();
      return limited.promise;
    });
    const answer = read(waiting);
    await asked.promise;
    sandbox.faults.next({
      operation: "repos/get",
      kind: "rate_limited",
      variant: "403",
      retryAfterSeconds: 20,
    });
    expect(await read(other)).toBe(403);
    limited.resolve();
    expect(await answer).toBe("rate_limited");
  }));
