import { expect, test } from "@jest/globals";
import { openPull } from "./commit-on-branch.ts";
import { inSandbox, refusal, target } from "./scene.ts";

const newer = { headers: { "x-github-api-version": "2026-03-10" } };

test("version 2026-03-10 shows no merge commit of a pull request, no single assignee, and no rate", () =>
  inSandbox(async ({ asAlice, asInstallation }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const address = { ...target, pull_number: number };
    const usual = await asAlice.rest.pulls.get(address);
    expect(usual.headers).toMatchObject({ "x-github-api-version-selected": "2022-11-28" });
    expect(usual.data).toHaveProperty("merge_commit_sha");
    const { data: merged } = await asInstallation.rest.pulls.merge({ ...address, ...newer });
    expect(merged).toMatchObject({ merged: true, sha: expect.stringMatching(/^[0-9a-f]{40}$/) });
    const { data, headers } = await asAlice.rest.pulls.get({ ...address, ...newer });
    expect(headers).toMatchObject({ "x-github-api-version-selected": "2026-03-10" });
    expect(data.merged).toBe(true);
    expect(data).not.toHaveProperty("merge_commit_sha");
    expect(data).not.toHaveProperty("assignee");
    expect(data).toHaveProperty("assignees");
    const { data: limits } = await asAlice.rest.rateLimit.get(newer);
    expect(limits).not.toHaveProperty("rate");
    expect(limits).toHaveProperty("resources");
  }));

test("an unknown API version is refused with 400", () =>
  inSandbox(async ({ asAlice }) => {
    const headers = { "x-github-api-version": "2031-01-01" };
    expect((await refusal(asAlice.rest.repos.get({ ...target, headers }))).status).toBe(400);
  }));

test("a GitHub Enterprise Server names its version and knows only the first version of the API", () =>
  inSandbox(
    async ({ asAlice }) => {
      const { headers } = await asAlice.rest.repos.get(target);
      expect(headers).toMatchObject({ "x-github-enterprise-version": "3.17.0" });
      expect((await refusal(asAlice.rest.repos.get({ ...target, ...newer }))).status).toBe(400);
    },
    { enterpriseVersion: "3.17.0" },
  ));
