import { expect, test } from "@jest/globals";
import { commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { inSandbox, refusal, type Scene, target } from "./scene.ts";

type Octokit = Scene["asAlice"];

const rebase = (octokit: Octokit, pull_number: number) =>
  octokit.rest.pulls.merge({ ...target, pull_number, merge_method: "rebase" });

const notPossible = { status: 405, message: "This branch can't be rebased" };

/** Opens a pull request with one commit for each change of the files. */
async function openPullOf(octokit: Octokit, ...changes: Record<string, string>[]) {
  const [first = {}, ...others] = changes;
  const { number, sha } = await openPull(octokit, "feature", first);
  let head = sha;
  for (const files of others) head = await commitOn(octokit, head, files);
  if (head !== sha) await octokit.rest.git.updateRef({ ...target, ref: "heads/feature", sha: head });
  return { number, head };
}

async function pushToMain(octokit: Octokit, files: Record<string, string>): Promise<void> {
  const sha = await commitOn(octokit, await tipOf(octokit, "main"), files);
  await octokit.rest.git.updateRef({ ...target, ref: "heads/main", sha });
}

/** The mergeability, once GitHub has computed it. */
async function mergeability({ asAlice, sandbox }: Scene, pull_number: number) {
  await asAlice.rest.pulls.get({ ...target, pull_number });
  await sandbox.settled();
  const { mergeable, rebaseable } = (await asAlice.rest.pulls.get({ ...target, pull_number })).data;
  return { mergeable, rebaseable };
}

test("a pull request with a conflicting commit in the middle can be merged, but not rebased", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number } = await openPullOf(asAlice, { "README.md": "Mine\n" }, { "README.md": "Ours\n" });
    await pushToMain(asAlice, { "README.md": "Ours\n" });
    expect(await mergeability(scene, number)).toEqual({ mergeable: true, rebaseable: false });
    expect(await refusal(rebase(asAlice, number))).toEqual(notPossible);
  }));

test("a rebase whose result would differ from the merge's is refused", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { data: main } = await asAlice.rest.repos.getContent({ ...target, path: "README.md" });
    const readme = Buffer.from("content" in main ? main.content : "", "base64").toString();
    const reverting = await openReverting(asAlice, readme);
    await pushToMain(asAlice, { "README.md": "Changed\n" });
    expect(await mergeability(scene, reverting)).toEqual({ mergeable: true, rebaseable: false });
    expect(await refusal(rebase(asAlice, reverting))).toEqual(notPossible);
  }));

/** The first commit makes the same change as the base, and the second one reverts it. */
async function openReverting(octokit: Octokit, readme: string): Promise<number> {
  const { number, sha } = await openPull(octokit, "reverting", { "README.md": "Changed\n" });
  const back = await commitOn(octokit, sha, { "README.md": readme, c: "1" });
  await octokit.rest.git.updateRef({ ...target, ref: "heads/reverting", sha: back });
  return number;
}

test("a rebase leaves out commits that the base already has, and merges of the base", () =>
  inSandbox(async (scene) => {
    const { asAlice } = scene;
    const { number, head } = await openPullOf(asAlice, { a: "1" }, { b: "1" });
    await pushToMain(asAlice, { a: "1" });
    await asAlice.rest.repos.merge({ ...target, base: "feature", head: "main" });
    const last = await commitOn(asAlice, await tipOf(asAlice, "feature"), { c: "1" }, "Last");
    await asAlice.rest.git.updateRef({ ...target, ref: "heads/feature", sha: last });
    const before = await tipOf(asAlice, "main");
    expect(await mergeability(scene, number)).toEqual({ mergeable: true, rebaseable: true });
    await rebase(asAlice, number);
    const basehead = `${before}...main`;
    const { data } = await asAlice.rest.repos.compareCommitsWithBasehead({ ...target, basehead });
    expect(data.commits.map(({ parents }) => parents.length)).toEqual([1, 1]);
    expect(data.commits.at(-1)?.commit.message).toBe("Last");
    expect(head).not.toBe(data.commits[0]?.sha);
  }));

test("a pull request of more than 100 commits cannot be rebased", () =>
  inSandbox(async (scene) => {
    const changes = Array.from({ length: 101 }, (_, index) => ({ a: `${index}` }));
    const { number } = await openPullOf(scene.asAlice, ...changes);
    expect(await mergeability(scene, number)).toEqual({ mergeable: true, rebaseable: false });
    expect(await refusal(rebase(scene.asAlice, number))).toEqual(notPossible);
  }));
