import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { tipOf } from "./commit-on-branch.ts";
import { inSandbox, refusal, target } from "./scene.ts";
import { receiveWebhooks } from "./webhook-receiver.ts";

test("a suspended installation is refused everything until it is unsuspended", () =>
  inSandbox(async ({ sandbox, asApp, asInstallation }) => {
    await asInstallation.rest.repos.get(target);
    await sandbox.suspend("acme");
    const refused = { status: 403, message: "This installation has been suspended" };
    expect(await refusal(asInstallation.rest.repos.get(target))).toEqual(refused);
    const { data: installation } = await asApp.rest.apps.getRepoInstallation(target);
    expect(installation.suspended_at).not.toBeNull();
    const installation_id = installation.id;
    expect(await refusal(asApp.rest.apps.createInstallationAccessToken({ installation_id }))).toEqual(
      refused,
    );
    await sandbox.unsuspend("acme");
    expect((await asInstallation.rest.repos.get(target)).status).toBe(200);
  }));

test("the tokens of a removed installation are invalid, and a new installation has a new id", () =>
  inSandbox(async ({ sandbox, asApp, asInstallation }) => {
    const { data: before } = await asApp.rest.apps.getRepoInstallation(target);
    await asInstallation.rest.repos.get(target);
    await sandbox.uninstall("acme");
    expect((await refusal(asInstallation.rest.repos.get(target))).status).toBe(401);
    expect((await refusal(asApp.rest.apps.getRepoInstallation(target))).status).toBe(404);
    const installation_id = before.id;
    expect((await refusal(asApp.rest.apps.createInstallationAccessToken({ installation_id }))).status).toBe(
      404,
    );
    const id = await sandbox.install("acme");
    expect(id).not.toBe(before.id);
    expect((await asApp.rest.apps.getRepoInstallation(target)).data.id).toBe(id);
  }));

test("an installation on selected repositories does not see the others", () =>
  inSandbox(async ({ sandbox, asApp, asInstallation }) => {
    await sandbox.createRepository({ owner: "acme", name: "gadgets", ci: null });
    await sandbox.select("acme", { removed: ["acme/widgets"] });
    expect((await refusal(asInstallation.rest.repos.get(target))).status).toBe(404);
    expect((await refusal(asApp.rest.apps.getRepoInstallation(target))).status).toBe(404);
    const gadgets = { owner: "acme", repo: "gadgets" };
    expect((await asApp.rest.apps.getRepoInstallation(gadgets)).data.repository_selection).toBe("selected");
    await sandbox.select("acme", { added: ["acme/widgets"] });
    expect((await asInstallation.rest.repos.get(target)).status).toBe(200);
  }));

test("the membership of an organisation is told to its members and to an App that may read members", () =>
  inSandbox(async ({ sandbox, asInstallation, asAlice, asCarol }) => {
    sandbox.setMembership("acme", "alice", { role: "admin", state: "active" });
    sandbox.setMembership("acme", "carol", { role: "member", state: "pending" });
    const of = (username: string, org = "acme") => ({ org, username });
    const { data } = await asInstallation.rest.orgs.getMembershipForUser(of("alice"));
    expect(data).toMatchObject({ state: "active", role: "admin", user: { login: "alice" } });
    const { data: told } = await asAlice.rest.orgs.getMembershipForUser(of("carol"));
    expect(told).toMatchObject({ state: "pending", role: "member", organization: { login: "acme" } });
    const statusOf = async (asked: Promise<unknown>) => (await refusal(asked)).status;
    expect(await statusOf(asCarol.rest.orgs.getMembershipForUser(of("alice")))).toBe(403);
    sandbox.setMembership("acme", "carol", null);
    expect(await statusOf(asInstallation.rest.orgs.getMembershipForUser(of("carol")))).toBe(404);
    await sandbox.createRepository({ owner: "globex", name: "gadgets", ci: null });
    expect(await statusOf(asInstallation.rest.orgs.getMembershipForUser(of("alice", "globex")))).toBe(403);
    expect(await statusOf(asInstallation.rest.orgs.getMembershipForUser(of("alice", "nosuch")))).toBe(404);
    expect(
      (await asAlice.rest.repos.getCollaboratorPermissionLevel({ ...target, username: "alice" })).data,
    ).toMatchObject({ permission: "admin" });
  }));

test("an installation keeps its permissions until its owner accepts new ones", () =>
  inSandbox(async ({ sandbox, asApp }) => {
    const directory = await mkdtemp(join(tmpdir(), "sandbox-manifest-"));
    const manifest = join(directory, "app.yml");
    await writeFile(
      manifest,
      (await readFile("app.yml", "utf8")).replace("contents: write", "contents: read"),
    );
    sandbox.updateApp(manifest, { accepted: false });
    await rm(directory, { recursive: true });
    const { data: installation } = await asApp.rest.apps.getRepoInstallation(target);
    expect(installation.permissions.contents).toBe("write");
    expect((await asApp.rest.apps.getAuthenticated()).data?.permissions.contents).toBe("read");
    await sandbox.acceptPermissions("acme");
    expect((await asApp.rest.apps.getRepoInstallation(target)).data.permissions.contents).toBe("read");
  }));

test("the App's webhook reports every change of an installation, and nothing else while it is suspended", async () => {
  const receiver = await receiveWebhooks();
  try {
    await inSandbox(async ({ sandbox, asAlice }) => {
      sandbox.setWebhookUrl(receiver.url);
      await sandbox.suspend("acme");
      await asAlice.rest.git.createRef({
        ...target,
        ref: "refs/heads/unheard",
        sha: await tipOf(asAlice, "main"),
      });
      await sandbox.unsuspend("acme");
      await sandbox.select("acme", { removed: ["acme/widgets"] });
      await sandbox.select("acme", { added: ["acme/widgets"] });
      await sandbox.acceptPermissions("acme");
      await sandbox.uninstall("acme");
      await sandbox.settled();
      expect(
        sandbox.deliveries.map(({ event, action }) => [event, action].filter(Boolean).join(".")),
      ).toEqual([
        "installation.suspend",
        "installation.unsuspend",
        "installation_repositories.removed",
        "installation_repositories.added",
        "installation.new_permissions_accepted",
        "installation.deleted",
      ]);
    });
  } finally {
    await receiver.close();
  }
});

test("the token of an installation is about 520 characters with dots and underscores", () =>
  inSandbox(async ({ sandbox, asApp }) => {
    const { data: installation } = await asApp.rest.apps.getRepoInstallation(target);
    const { data } = await asApp.rest.apps.createInstallationAccessToken({
      installation_id: installation.id,
    });
    expect(data.token).toMatch(new RegExp(`^ghs_${sandbox.app.id}_eyJ[\\w-]+\\.eyJ_[\\w-]+\\.[\\w-]+$`));
    expect(data.token.length).toBeGreaterThan(500);
  }));
