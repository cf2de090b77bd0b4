import { expect, test } from "@jest/globals";
import { readPullRequest } from "../../src/github/pull-requests/pull-request.ts";
import { readPullRequestGroup } from "../../src/github/pull-requests/pull-request-group.ts";
import { commitOn, openPull } from "../sandbox/commit-on-branch.ts";
import { apiOf, inSandbox, type Scene, target } from "../sandbox/scene.ts";

/** Two pull requests, the second into the head branch of the first. */
async function onTopOfEachOther({ asAlice }: Scene) {
  const low = await openPull(asAlice, "low", { a: "1" });
  const sha = await commitOn(asAlice, low.sha, { b: "1" });
  await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/high", sha });
  const { data } = await asAlice.rest.pulls.create({ ...target, base: "low", head: "high", title: "High" });
  return [low.number, data.number] as const;
}

test("a pull request is read with its place in its stack, by GraphQL and by REST", () =>
  inSandbox(async (scene) => {
    const [low, high] = await onTopOfEachOther(scene);
    expect((await readPullRequestGroup(apiOf(scene.asInstallation), [low]))?.get(low)?.stack).toBeUndefined();
    const { number: stack } = scene.sandbox.stack("acme/widgets", [low, high]);
    const place = { stack, position: 2, size: 2, baseBranch: "main" };
    const group = await readPullRequestGroup(apiOf(scene.asInstallation), [low, high]);
    expect(group?.get(high)?.stack).toEqual(place);
    expect((await readPullRequest(apiOf(scene.asInstallation), high))?.stack).toEqual(place);
  }));

test("an Enterprise Server without stacks is asked for them only once", () =>
  inSandbox(
    async (scene) => {
      const { number } = await openPull(scene.asAlice, "one", { a: "1" });
      const queries = () => scene.sandbox.requests.countByOperation()["graphql/repository"];
      for (const asked of [2, 3]) {
        const group = await readPullRequestGroup(apiOf(scene.asInstallation), [number]);
        expect(group?.get(number)).toMatchObject({ number, objections: [] });
        expect(queries()).toBe(asked);
      }
    },
    { enterpriseVersion: "3.17.0" },
  ));
