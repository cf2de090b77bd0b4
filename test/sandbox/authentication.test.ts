import { createPrivateKey } from "node:crypto";
import { expect, test } from "@jest/globals";
import { importPKCS8, SignJWT } from "jose";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { openPull } from "./commit-on-branch.ts";
import { appClient, client, inSandbox, refusal, target } from "./scene.ts";

async function jwt(
  sandbox: Sandbox,
  { issuer, lifetime }: { issuer?: number; lifetime: number },
): Promise<string> {
  const pkcs8 = createPrivateKey(sandbox.app.privateKey).export({ type: "pkcs8", format: "pem" }).toString();
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: "RS256" })
    .setIssuer(String(issuer ?? sandbox.app.id))
    .setIssuedAt(now - 700)
    .setExpirationTime(now + lifetime)
    .sign(await importPKCS8(pkcs8, "RS256"));
}

const getApp = async (sandbox: Sandbox, authorization?: string) => {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const response = await fetch(`${sandbox.url}/app`, { headers });
  const { message } = (await response.json()) as { message?: string };
  return { status: response.status, message };
};

test("an App authenticates by a JWT of at most ten minutes, signed with its key and issued in its name", () =>
  inSandbox(async ({ sandbox }) => {
    expect((await getApp(sandbox, `Bearer ${await jwt(sandbox, { lifetime: 500 })}`)).status).toBe(200);
    expect(await getApp(sandbox, `Bearer ${await jwt(sandbox, { lifetime: 900 })}`)).toEqual({
      status: 401,
      message: "'Expiration time' claim ('exp') is too far in the future",
    });
    expect((await getApp(sandbox, `Bearer ${await jwt(sandbox, { lifetime: -100 })}`)).status).toBe(401);
    expect(await getApp(sandbox, `Bearer ${await jwt(sandbox, { issuer: 1, lifetime: 500 })}`)).toEqual({
      status: 401,
      message: "Integration not found",
    });
    expect((await getApp(sandbox, "Bearer a.b.c")).message).toBe("A JSON web token could not be decoded");
  }));

test("a request without valid credentials gets 401", () =>
  inSandbox(async ({ sandbox, alice }) => {
    const user = async (authorization?: string) => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      return (await fetch(`${sandbox.url}/api/v3/user`, { headers })).status;
    };
    expect(await user()).toBe(401);
    expect(await user("token ghp_wrong")).toBe(401);
    expect(await user("Digest x")).toBe(401);
    expect(await user(`token ${alice.token}`)).toBe(200);
    expect(await user(`Basic ${Buffer.from(`alice:${alice.token}`).toString("base64")}`)).toBe(200);
    expect((await getApp(sandbox, `token ${alice.token}`)).status).toBe(401);
  }));

test("an installation token has the manifest's permissions and expires after an hour", () =>
  inSandbox(async ({ asApp, asInstallation }) => {
    const { data: app } = await asApp.rest.apps.getAuthenticated();
    expect(app).toMatchObject({ slug: "trainyard", permissions: { contents: "write", statuses: "read" } });
    const { data: installations } = await asApp.rest.apps.listInstallations();
    const installation_id = installations[0]?.id ?? 0;
    const { data: token } = await asApp.rest.apps.createInstallationAccessToken({ installation_id });
    expect(token.permissions).toEqual(app?.permissions);
    expect(Date.parse(token.expires_at) - Date.now()).toBeGreaterThan(3_590_000);
    const { data } = await asInstallation.rest.apps.listReposAccessibleToInstallation();
    expect(data.repositories.map(({ full_name }) => full_name)).toEqual(["acme/widgets"]);
    expect(await refusal(asInstallation.rest.users.getAuthenticated())).toEqual({
      status: 403,
      message: "Resource not accessible by integration",
    });
  }));

test("a token narrowed to some permissions is refused all other operations", () =>
  inSandbox(async ({ sandbox, asApp, asAlice }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const { data: installation } = await asApp.rest.apps.getRepoInstallation(target);
    const mint = (permissions: Record<string, "read" | "write">) =>
      asApp.rest.apps.createInstallationAccessToken({ installation_id: installation.id, permissions });
    const { data: token } = await mint({ contents: "read" });
    const narrowed = client(sandbox, token.token);
    expect((await narrowed.rest.repos.getBranch({ ...target, branch: "main" })).status).toBe(200);
    const comment = narrowed.rest.issues.createComment({ ...target, issue_number: number, body: "Hi" });
    expect(await refusal(comment)).toEqual({
      status: 403,
      message: "Resource not accessible by integration",
    });
    expect(await refusal(narrowed.rest.git.deleteRef({ ...target, ref: "heads/feature" }))).toMatchObject({
      status: 403,
    });
    expect(await refusal(mint({ administration: "write" }))).toMatchObject({ status: 422 });
  }));

test("a token narrowed to one repository does not see the others", () =>
  inSandbox(async ({ sandbox, asApp }) => {
    await sandbox.createRepository({ owner: "acme", name: "gadgets", files: { a: "1" } });
    const { data: installation } = await asApp.rest.apps.getRepoInstallation(target);
    const token = await asApp.rest.apps.createInstallationAccessToken({
      installation_id: installation.id,
      repositories: ["gadgets"],
    });
    const narrowed = client(sandbox, token.data.token);
    const all = appClient(sandbox, { installationId: installation.id });
    expect((await all.rest.repos.get(target)).status).toBe(200);
    expect(await refusal(narrowed.rest.repos.get(target))).toMatchObject({ status: 404 });
    const { data } = await narrowed.rest.apps.listReposAccessibleToInstallation();
    expect(data.repositories.map(({ name }) => name)).toEqual(["gadgets"]);
  }));

test("an App does not see a repository in which it is not installed", () =>
  inSandbox(async ({ sandbox, asApp }) => {
    await sandbox.createRepository({
      owner: "elsewhere",
      name: "hidden",
      files: { a: "1" },
      installed: false,
    });
    expect(
      await refusal(asApp.rest.apps.getRepoInstallation({ owner: "elsewhere", repo: "hidden" })),
    ).toMatchObject({
      status: 404,
    });
  }));

test("users without a role get 404, readers may not write, and only administrators read protection", () =>
  inSandbox(
    async ({ sandbox, asCarol, asAdmin, asAlice, asInstallation }) => {
      const stranger = client(sandbox, sandbox.createUser({ login: "mallory" }).token);
      expect(await refusal(stranger.rest.repos.get(target))).toEqual({ status: 404, message: "Not Found" });
      const { data } = await asCarol.rest.repos.get(target);
      expect(data.permissions).toEqual({
        admin: false,
        maintain: false,
        push: false,
        triage: false,
        pull: true,
      });
      const sha = "0".repeat(40);
      expect(
        await refusal(asCarol.rest.git.createRef({ ...target, ref: "refs/heads/x", sha })),
      ).toMatchObject({
        status: 403,
      });
      const protection = { ...target, branch: "main" };
      expect((await asAdmin.rest.repos.getBranchProtection(protection)).data.enforce_admins?.enabled).toBe(
        true,
      );
      expect(await refusal(asAlice.rest.repos.getBranchProtection(protection))).toMatchObject({
        status: 404,
      });
      expect(await refusal(asInstallation.rest.repos.getBranchProtection(protection))).toMatchObject({
        status: 403,
      });
      const check = { ...target, name: "x", head_sha: sha };
      expect(await refusal(asAlice.rest.checks.create(check))).toMatchObject({ status: 403 });
    },
    {},
    { protection: {} },
  ));

test("a collaborator's permission is one of the four old names, with the actual role beside it", () =>
  inSandbox(async ({ sandbox, asInstallation }) => {
    const roles = { mia: "maintain", theo: "triage", walt: "write", rita: "read", nobody: "none" } as const;
    for (const login of Object.keys(roles)) sandbox.createUser({ login });
    await sandbox.createRepository({
      owner: "acme",
      name: "gadgets",
      files: { a: "1" },
      collaborators: roles,
    });
    const found: Record<string, string> = {};
    for (const username of Object.keys(roles)) {
      const { data } = await asInstallation.rest.repos.getCollaboratorPermissionLevel({
        ...target,
        repo: "gadgets",
        username,
      });
      found[username] = `${data.permission} ${data.role_name}`;
    }
    expect(found).toEqual({
      mia: "write maintain",
      theo: "read triage",
      walt: "write write",
      rita: "read read",
      nobody: "none none",
    });
    const missing = asInstallation.rest.repos.getCollaboratorPermissionLevel({
      ...target,
      username: "ghost",
    });
    expect(await refusal(missing)).toMatchObject({ status: 404 });
  }));
