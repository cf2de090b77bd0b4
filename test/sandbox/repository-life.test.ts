import { expect, test } from "@jest/globals";
import { openPull, tipOf } from "./commit-on-branch.ts";
import { appClient, inSandbox, refusal, target } from "./scene.ts";
import { receiveWebhooks } from "./webhook-receiver.ts";

const gadgets = { owner: "acme", repo: "gadgets" };

test("requests under a repository's old name are redirected to its id", () =>
  inSandbox(async ({ sandbox, repository, alice, asAlice, asApp }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    await sandbox.renameRepository("acme/widgets", "gadgets");
    const headers = { authorization: `token ${alice.token}` };
    const old = `${sandbox.url}/api/v3/repos/acme/widgets/pulls/${number}`;
    const location = `${sandbox.url}/api/v3/repositories/${repository.id}/pulls/${number}`;
    const read = await fetch(old, { headers, redirect: "manual" });
    expect([read.status, read.headers.get("location")]).toEqual([301, location]);
    const write = await fetch(old, { method: "PATCH", headers, body: "{}", redirect: "manual" });
    expect([write.status, write.headers.get("location")]).toEqual([307, location]);
    // A client that follows redirects notices nothing.
    const { data } = await asAlice.rest.pulls.update({ ...target, pull_number: number, title: "Renamed" });
    expect(data).toMatchObject({ title: "Renamed", base: { repo: { full_name: "acme/gadgets" } } });
    expect((await asAlice.rest.pulls.get({ ...gadgets, pull_number: number })).data.title).toBe("Renamed");
    expect((await asApp.rest.apps.getRepoInstallation(target)).status).toBe(200);
    const query = `{ repository(owner: "acme", name: "widgets") { id } }`;
    expect(await asAlice.graphql(query)).toMatchObject({ repository: { id: expect.any(String) } });
  }));

test("a repository's old name belongs to another repository as soon as that takes it", () =>
  inSandbox(async ({ sandbox, repository, asAlice }) => {
    await sandbox.renameRepository("acme/widgets", "gadgets");
    const other = await sandbox.createRepository({ owner: "acme", name: "widgets", ci: null });
    expect((await asAlice.rest.repos.get(target)).data.id).toBe(other.id);
    expect((await asAlice.rest.repos.get(gadgets)).data.id).toBe(repository.id);
  }));

test("a transferred repository is reached by the new owner's installation only", () =>
  inSandbox(async ({ sandbox, asInstallation, asApp, asAlice }) => {
    await sandbox.transferRepository("acme/widgets", "initech");
    expect((await refusal(asInstallation.rest.repos.get(target))).status).toBe(404);
    expect((await refusal(asApp.rest.apps.getRepoInstallation(target))).status).toBe(404);
    expect((await asAlice.rest.repos.get(target)).data.full_name).toBe("initech/widgets");
    const installationId = await sandbox.install("initech");
    expect((await asApp.rest.apps.getRepoInstallation(target)).data.id).toBe(installationId);
    const asNew = appClient(sandbox, { installationId });
    expect((await asNew.rest.repos.get(target)).data.full_name).toBe("initech/widgets");
  }));

test("an archived repository can be read, but not written to", () =>
  inSandbox(async ({ sandbox, asAlice }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    await sandbox.archive("acme/widgets");
    const refused = { status: 403, message: "Repository was archived so is read-only." };
    const comment = { ...target, issue_number: number, body: "Hello" };
    expect(await refusal(asAlice.rest.issues.createComment(comment))).toEqual(refused);
    expect((await asAlice.rest.repos.get(target)).data.archived).toBe(true);
    await sandbox.unarchive("acme/widgets");
    expect((await asAlice.rest.issues.createComment(comment)).status).toBe(201);
  }));

test("a deleted repository is not found under any of its names", () =>
  inSandbox(async ({ sandbox, asAlice, asApp }) => {
    await sandbox.renameRepository("acme/widgets", "gadgets");
    await sandbox.deleteRepository("acme/gadgets");
    expect((await refusal(asAlice.rest.repos.get(target))).status).toBe(404);
    expect((await refusal(asAlice.rest.repos.get(gadgets))).status).toBe(404);
    expect((await refusal(asApp.rest.apps.getRepoInstallation(gadgets))).status).toBe(404);
  }));

test("a renamed branch keeps its pull requests and rules, and branch requests under its old name are redirected", () =>
  inSandbox(
    async ({ sandbox, asAlice }) => {
      const { number } = await openPull(asAlice, "feature", { a: "1" });
      const sha = await tipOf(asAlice, "main");
      await sandbox.renameBranch("acme/widgets", "main", "trunk");
      const { data: pull } = await asAlice.rest.pulls.get({ ...target, pull_number: number });
      expect(pull).toMatchObject({ state: "open", base: { ref: "trunk" } });
      const { data: branch } = await asAlice.rest.repos.getBranch({ ...target, branch: "main" });
      expect(branch).toMatchObject({ name: "trunk", protected: true, commit: { sha } });
      expect((await refusal(asAlice.rest.git.getRef({ ...target, ref: "heads/main" }))).status).toBe(404);
      expect((await asAlice.rest.repos.get(target)).data.default_branch).toBe("trunk");
    },
    {},
    { protection: { requiredChecks: [] } },
  ));

test("the App's webhook reports every change of a repository", async () => {
  const receiver = await receiveWebhooks();
  try {
    await inSandbox(async ({ sandbox }) => {
      sandbox.setWebhookUrl(receiver.url);
      await sandbox.install("initech");
      await sandbox.renameBranch("acme/widgets", "main", "trunk");
      await sandbox.renameRepository("acme/widgets", "gadgets");
      await sandbox.transferRepository("acme/gadgets", "initech");
      await sandbox.archive("initech/gadgets");
      await sandbox.unarchive("initech/gadgets");
      await sandbox.deleteRepository("initech/gadgets");
      await sandbox.settled();
      expect(receiver.names().filter((name) => !name.startsWith("check_"))).toEqual([
        "installation.created",
        "push",
        "push",
        "repository.renamed",
        "installation_repositories.removed",
        "installation_repositories.added",
        "repository.transferred",
        "repository.archived",
        "repository.unarchived",
        "repository.deleted",
      ]);
    });
  } finally {
    await receiver.close();
  }
});
