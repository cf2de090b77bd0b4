import { expect, test } from "@jest/globals";
import { openPull, tipOf } from "./commit-on-branch.ts";
import { cloneRepository, runGit, withCredentials } from "./git-client.ts";
import { inSandbox, requiredChecks, type Scene, target } from "./scene.ts";

const cloneAs = ({ repository }: Scene, login: string, token: string) =>
  cloneRepository(withCredentials(repository.gitUrl, login, token));

test("git clones and pushes with a user's name and token", () =>
  inSandbox(async (scene) => {
    const clone = await cloneAs(scene, "alice", scene.alice.token);
    const sha = await clone.commit({ "src/a.txt": "1\n" }, "Add a");
    await clone.git("push", "--quiet", "origin", "HEAD:main");
    expect(await tipOf(scene.asAlice, "main")).toBe(sha);
    await clone.git("fetch", "--quiet", "origin");
    expect(await clone.git("rev-parse", "origin/main")).toBe(sha);
    await clone.remove();
  }));

test("git works with an installation token as x-access-token, and not without credentials", () =>
  inSandbox(async (scene) => {
    const { data: installation } = await scene.asApp.rest.apps.getRepoInstallation(target);
    const { data } = await scene.asApp.rest.apps.createInstallationAccessToken({
      installation_id: installation.id,
    });
    const clone = await cloneAs(scene, "x-access-token", data.token);
    await clone.commit({ a: "1" }, "Add a");
    await clone.git("push", "--quiet", "origin", "HEAD:from-app");
    expect(await tipOf(scene.asAlice, "from-app")).toBe(await clone.git("rev-parse", "HEAD"));
    expect(await clone.failure("ls-remote", scene.repository.gitUrl)).toMatch(
      /could not read Username|terminal prompts/,
    );
    const wrong = withCredentials(scene.repository.gitUrl, "alice", "ghp_wrong");
    expect(await clone.failure("ls-remote", wrong)).toMatch(/Authentication failed/);
    await clone.remove();
  }));

test("a reader can clone but not push, and a stranger finds no repository", () =>
  inSandbox(async (scene) => {
    const clone = await cloneAs(scene, "carol", scene.carol.token);
    await clone.commit({ a: "1" }, "Add a");
    expect(await clone.failure("push", "origin", "HEAD:mine")).toMatch(/error: 403/);
    const stranger = scene.sandbox.createUser({ login: "mallory" });
    const url = withCredentials(scene.repository.gitUrl, "mallory", stranger.token);
    expect(await clone.failure("ls-remote", url)).toMatch(/not found/);
    await clone.remove();
  }));

test("a push to a protected branch is refused with GitHub's message, and the rest of the push succeeds", () =>
  inSandbox(
    async (scene) => {
      const clone = await cloneAs(scene, "alice", scene.alice.token);
      const sha = await clone.commit({ a: "1" }, "Add a");
      const said = await clone.failure("push", "origin", "HEAD:main", "HEAD:topic");
      expect(said).toMatch(/remote: error: GH006: Protected branch update failed for refs\/heads\/main\./);
      expect(said).toMatch(/remote: - 2 of 2 required status checks are expected\./);
      expect(said).toMatch(/HEAD -> main \(protected branch hook declined\)/);
      expect(await tipOf(scene.asAlice, "topic")).toBe(sha);
      expect(await tipOf(scene.asAlice, "main")).not.toBe(sha);
      expect(await clone.failure("push", "origin", ":main")).toMatch(/Cannot delete this branch/);
      await clone.remove();
    },
    {},
    { protection: { requiredChecks } },
  ));

test("a protected branch cannot be rewritten, but another branch can be rewritten and deleted", () =>
  inSandbox(
    async (scene) => {
      const clone = await cloneAs(scene, "alice", scene.alice.token);
      await clone.commit({ a: "1" }, "Add a");
      await clone.git("push", "--quiet", "origin", "HEAD:main", "HEAD:topic");
      await clone.git("commit", "--quiet", "--amend", "--message", "Another");
      expect(await clone.failure("push", "--force", "origin", "HEAD:main")).toMatch(
        /Cannot force-push to this branch/,
      );
      expect(await clone.failure("push", "origin", "HEAD:topic")).toMatch(/non-fast-forward/);
      await clone.git("push", "--quiet", "--force", "origin", "HEAD:topic");
      expect(await tipOf(scene.asAlice, "topic")).toBe(await clone.git("rev-parse", "HEAD"));
      await clone.git("push", "--quiet", "origin", ":topic");
      expect(await clone.git("ls-remote", "--heads", "origin", "topic")).toBe("");
      await clone.remove();
    },
    {},
    { protection: {} },
  ));

test("pull request refs can be fetched, but not pushed", () =>
  inSandbox(async (scene) => {
    const { number, sha } = await openPull(scene.asAlice, "feature", { a: "1" });
    await scene.sandbox.settled();
    const clone = await cloneAs(scene, "alice", scene.alice.token);
    await clone.git("fetch", "--quiet", "origin", `pull/${number}/head:head`, `pull/${number}/merge:merge`);
    expect(await clone.git("rev-parse", "head")).toBe(sha);
    expect(await clone.git("rev-parse", "merge^2")).toBe(sha);
    expect(await clone.failure("push", "origin", "head:refs/pull/1/head")).toMatch(
      /deny updating a hidden ref/,
    );
    await clone.remove();
  }));

test("tags, a partial clone, and a push of many objects work", () =>
  inSandbox(async (scene) => {
    const clone = await cloneAs(scene, "alice", scene.alice.token);
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`many/${index}.txt`, `${index}\n`]),
    );
    await clone.commit(files, "Add many");
    await clone.git("tag", "--annotate", "v1", "--message", "One");
    await clone.git("push", "--quiet", "origin", "HEAD:many", "v1");
    const { data: tag } = await scene.asAlice.rest.git.getRef({ ...target, ref: "tags/v1" });
    expect(tag.object.type).toBe("tag");
    const url = withCredentials(scene.repository.gitUrl, "alice", scene.alice.token);
    await clone.git("clone", "--quiet", "--filter=blob:none", "--branch", "many", url, "partial");
    expect(await runGit(`${clone.directory}/partial`, "ls-files", "many")).toContain("many/149.txt");
    await runGit(scene.repository.directory, "fsck", "--connectivity-only");
    await clone.remove();
  }));
