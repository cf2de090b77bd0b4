import { expect, test } from "@jest/globals";
import { commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { inSandbox, type Scene, target } from "./scene.ts";

type Octokit = Scene["asAlice"];

const route = "/repos/{owner}/{repo}/pulls/{pull_number}/merge-async";

/** The answer, whatever its status. */
async function request(octokit: Octokit, pull_number: number, options: object = {}) {
  const asked = octokit.request(`PUT ${route}`, { ...target, pull_number, ...options });
  const { status, data } = await asked.catch((error) => error.response);
  return { status, ...data };
}

const result = async (octokit: Octokit, pull_number: number, uuid: string) =>
  (await octokit.request(`GET ${route}/{uuid}`, { ...target, pull_number, uuid })).data;

/** Longer than a call on a busy machine. */
const slow = { delays: { asyncMerge: 1_500 } };

test("an asynchronous merge is answered at once, is pending while it runs, and then shows the merged commit", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const { number, sha } = await openPull(asAlice, "one", { a: "1" });
    const begun = await request(asAlice, number, { merge_method: "squash", commit_title: "Title" });
    expect(begun).toMatchObject({
      status: "pending",
      details: { expected_head_sha: sha, merge_method: "squash", merge_action: "direct_merge" },
    });
    const { uuid } = begun.details;
    expect((await result(asAlice, number, uuid)).status).toBe("pending");
    await sandbox.settled();
    const tip = await tipOf(asAlice, "main");
    expect(await result(asAlice, number, uuid)).toMatchObject({ status: "merged", details: { sha: tip } });
    expect(await request(asAlice, number)).toMatchObject({ status: "merged", details: { sha: tip } });
  }, slow));

test("a second asynchronous merge request gets the first one as its answer while that is pending", () =>
  inSandbox(async ({ asAlice }) => {
    const { number, sha } = await openPull(asAlice, "one", { a: "1" });
    const first = await request(asAlice, number, { merge_method: "squash" });
    const second = await request(asAlice, number, { sha: await tipOf(asAlice, "main") });
    expect(second.details).toMatchObject({ uuid: first.details.uuid, expected_head_sha: sha });
  }, slow));

test("an asynchronous merge fails when the head has moved before it runs", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const { number, sha } = await openPull(asAlice, "one", { a: "1" });
    const pushed = await commitOn(asAlice, sha, { b: "1" });
    const { details } = await request(asAlice, number);
    await asAlice.rest.git.updateRef({ ...target, ref: "heads/one", sha: pushed });
    await sandbox.settled();
    expect(await result(asAlice, number, details.uuid)).toEqual({
      status: "failed",
      details: { message: "Head branch was modified. Review and try the merge again." },
    });
  }, slow));

test("an asynchronous merge of a draft or closed pull request fails at once", () =>
  inSandbox(async ({ asAlice }) => {
    const { number } = await openPull(asAlice, "one", { a: "1" }, { draft: true });
    expect(await request(asAlice, number)).toMatchObject({ status: "failed" });
    await asAlice.rest.pulls.update({ ...target, pull_number: number, state: "closed" });
    expect(await request(asAlice, number)).toMatchObject({ status: "failed" });
  }));

test("an asynchronous merge is bound by the rules, except in the bypass mode exempt", () =>
  inSandbox(async ({ asAlice, asInstallation, sandbox }) => {
    const { number } = await openPull(asAlice, "one", { a: "1" });
    const restrict = (mode: "always" | "exempt") =>
      sandbox.setRulesets("acme/widgets", [
        { rules: ["update"], bypass: [{ actor: sandbox.app.slug, mode }] },
      ]);
    const ended = async () => {
      const { details } = await request(asInstallation, number);
      await sandbox.settled();
      return result(asInstallation, number, details.uuid);
    };
    restrict("always");
    expect(await ended()).toMatchObject({
      status: "failed",
      details: { message: expect.stringMatching(/Cannot update/) },
    });
    restrict("exempt");
    expect(await ended()).toMatchObject({ status: "merged" });
  }));
