import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AppClient } from "../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../src/github/github-code-host.ts";
import type { Sandbox, SandboxUser } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { manifestWith } from "../app-manifest.ts";

let sandbox: Sandbox;
let codeHost: GitHubCodeHost;
let olga: SandboxUser;
/** The App's installations on an organisation, on another one, and on a personal account. */
let [acme, globex, personal] = [0, 0, 0];

const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };

function newCodeHost(): GitHubCodeHost {
  const { app, url } = sandbox;
  const credentials = { appId: app.id, privateKey: app.privateKey, apiUrl: `${url}/api/v3` };
  return new GitHubCodeHost(new AppClient(credentials, log), "trainyard-temp/");
}

async function installationOn(owner: string): Promise<number> {
  await sandbox.createRepository({ owner, name: "widgets", ci: null });
  return (await codeHost.findInstallation({ host: sandbox.host, owner, name: "widgets" })) ?? 0;
}

beforeAll(async () => {
  sandbox = await startSandbox();
  codeHost = newCodeHost();
  olga = sandbox.createUser({ login: "olga" });
  [acme, globex] = [await installationOn("acme"), await installationOn("globex")];
  personal = await installationOn("olga");
});
afterAll(async () => {
  expect(sandbox.violations).toEqual([]);
  await sandbox.close();
});

async function isOwner(...asked: Parameters<GitHubCodeHost["readOwnership"]>): Promise<boolean> {
  return (await codeHost.readOwnership(...asked))?.isOwner ?? false;
}

const memberships = [
  ["an owner", { role: "admin", state: "active" }, true],
  ["somebody who was invited as an owner", { role: "admin", state: "pending" }, false],
  ["a member", { role: "member", state: "active" }, false],
  ["a stranger", null, false],
] as const;

describe("the owner of an organisation", () => {
  test.each(memberships)("%s is %j: %s", async (_who, membership, isOne) => {
    sandbox.setMembership("acme", "olga", membership);
    expect(await isOwner(acme, "acme", olga)).toBe(isOne);
    expect(await isOwner(acme, "ACME", olga)).toBe(isOne);
    expect(await isOwner(globex, "globex", olga)).toBe(false);
  });

  test("is recognised by the id of the account, not by its login, and only in the organisation of the installation", async () => {
    sandbox.setMembership("acme", "olga", { role: "admin", state: "active" });
    expect(await isOwner(acme, "acme", { ...olga, id: olga.id + 1 })).toBe(false);
    expect(await isOwner(acme, "acme", { ...olga, login: "nobody" })).toBe(false);
    // As if acme had another name when the queue was created.
    expect(await isOwner(acme, "globex", olga)).toBe(false);
    expect(await isOwner(globex, "acme", olga)).toBe(false);
    expect(await isOwner(4_711, "acme", olga)).toBe(false);
  });

  test("of a personal account is the account itself", async () => {
    expect(await isOwner(personal, "olga", olga)).toBe(true);
    expect(await isOwner(personal, "olga", { ...olga, id: olga.id + 1 })).toBe(false);
    await sandbox.suspend("olga");
    expect(await isOwner(personal, "olga", olga)).toBe(false);
  });

  test("is not known without the permission, which is used as soon as it is accepted", async () => {
    sandbox.setMembership("acme", "olga", { role: "admin", state: "active" });
    sandbox.updateApp(manifestWith("members", null));
    codeHost = newCodeHost();
    expect(await isOwner(acme, "acme", olga)).toBe(false);
    // From now on, there is a token without the permission.
    const repo = { host: sandbox.host, owner: "acme", name: "widgets", installationId: acme };
    await codeHost.permissionOf(repo, "olga");
    sandbox.updateApp("app.yml");
    expect(await isOwner(acme, "acme", olga)).toBe(true);
    await sandbox.suspend("acme");
    expect(await isOwner(acme, "acme", olga)).toBe(false);
    await sandbox.uninstall("acme");
    expect(await isOwner(acme, "acme", olga)).toBe(false);
  });
});
