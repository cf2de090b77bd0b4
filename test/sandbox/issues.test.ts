import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { openPull } from "./commit-on-branch.ts";
import { inSandbox, refusal, type Scene, target } from "./scene.ts";

test("issues share their numbers with pull requests, and are listed with them", () =>
  inSandbox(async ({ asAlice, asInstallation, sandbox }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const issue = { ...target, title: "Broken", body: "Why?", labels: ["bug", "new"] };
    const { data: own, status } = await asInstallation.rest.issues.create(issue);
    expect({ status, number: own.number }).toEqual({ status: 201, number: number + 1 });
    expect(own).toMatchObject({ state: "open", state_reason: null, user: { type: "Bot" } });
    expect(own.performed_via_github_app?.id).toBe(sandbox.app.id);
    expect(own.labels.map((label) => typeof label === "object" && label.name)).toEqual(["bug", "new"]);
    const next = await openPull(asAlice, "next", { b: "1" });
    expect(next.number).toBe(own.number + 1);
    const list = async (query: object = {}) =>
      (await asAlice.rest.issues.listForRepo({ ...target, ...query })).data;
    expect((await list()).map((one) => one.number)).toEqual([3, 2, 1]);
    expect((await list()).map((one) => "pull_request" in one)).toEqual([true, false, true]);
    const get = (issue_number: number) => asAlice.rest.issues.get({ ...target, issue_number });
    for (const one of await list()) expect((await get(one.number)).data).toEqual(one);
    expect(await refusal(get(9))).toMatchObject({ status: 404 });
    expect(await list({ labels: "bug,new" })).toHaveLength(1);
    expect((await list({ creator: "alice", direction: "asc" })).map((one) => one.number)).toEqual([1, 3]);
    expect(await list({ since: new Date(Date.now() + 60_000).toISOString(), state: "all" })).toEqual([]);
  }));

test("an issue can be closed, reopened, edited and commented on by permitted users", () =>
  inSandbox(async ({ asAlice, asCarol, asInstallation }) => {
    const { data: issue } = await asCarol.rest.issues.create({ ...target, title: "Broken", labels: ["bug"] });
    // A user with read access cannot set labels.
    expect(issue.labels).toEqual([]);
    const one = { ...target, issue_number: issue.number };
    const { data: closed } = await asInstallation.rest.issues.update({ ...one, state: "closed" });
    expect(closed).toMatchObject({ state: "closed", state_reason: "completed" });
    expect((await asAlice.rest.issues.listForRepo(target)).data).toEqual([]);
    const { data: open } = await asAlice.rest.issues.update({ ...one, state: "open", body: "Again" });
    expect(open).toMatchObject({ state: "open", state_reason: "reopened", body: "Again", closed_at: null });
    await asCarol.rest.issues.createComment({ ...one, body: "Thanks" });
    const { data: comments } = await asAlice.rest.issues.listComments(one);
    expect(comments.map(({ body, user }) => [body, user?.login])).toEqual([["Thanks", "carol"]]);
    const { data: foreign } = await asAlice.rest.issues.create({ ...target, title: "Mine" });
    const mine = { ...target, issue_number: foreign.number, title: "Yours" };
    expect(await refusal(asCarol.rest.issues.update(mine))).toMatchObject({ status: 403 });
    expect(await refusal(asAlice.rest.issues.update({ ...mine, issue_number: 99 }))).toMatchObject({
      status: 404,
    });
  }));

test("an issue with a blank title or an overlong text is refused, and every issue where issues are off", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const write = (title: string, body = "") => asAlice.rest.issues.create({ ...target, title, body });
    expect(await refusal(write(" "))).toEqual({ status: 422, message: "Validation Failed" });
    expect(await refusal(write("x".repeat(257)))).toMatchObject({ status: 422 });
    expect(await refusal(write("x", "x".repeat(65_537)))).toMatchObject({ status: 422 });
    await sandbox.createRepository({ owner: "acme", name: "silent", files: {}, hasIssues: false });
    const there = { owner: "acme", repo: "silent", title: "x" };
    expect(await refusal(asAlice.rest.issues.create(there))).toMatchObject({ status: 410 });
  }));

test("an App without the permission cannot open an issue", async () => {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-issues-"));
  const appManifest = join(directory, "app.yml");
  const manifest = await readFile("app.yml", "utf8");
  await writeFile(appManifest, manifest.replace(/^ {2}issues: .*\n/m, ""));
  const create = async ({ asInstallation }: Scene) => {
    const issue = asInstallation.rest.issues.create({ ...target, title: "Broken" });
    expect(await refusal(issue)).toEqual({
      status: 403,
      message: "Resource not accessible by integration",
    });
  };
  await inSandbox(create, { appManifest }).finally(() => rm(directory, { recursive: true }));
});
