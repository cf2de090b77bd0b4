import { NotAsked, needing, type Scene } from "../claim.ts";
import { untilMergeable } from "../observe.ts";

const about = '"About pull request merges"';

/** Merges a pull request of two commits. Returns the message and the parents of the resulting commit. */
async function mergePair(scene: Scene, options: object): Promise<{ message: string; parents: string[] }> {
  const { scratch } = scene;
  const base = await scratch.branch("base");
  const first = await scratch.commit(await scratch.root(), { "a.txt": "1\n" }, "First\n\nWhy");
  const second = await scratch.commit(first, { "b.txt": "1\n" }, "Second");
  const head = await scratch.branch("head", second);
  const { number } = await scratch.open({ base, head, title: "The title" });
  return merge(scene, number, options);
}

async function mergeSingle(scene: Scene, message: string, options: object) {
  const { number } = await scene.scratch.pull({ title: "The title", message });
  return merge(scene, number, options);
}

async function merge(scene: Scene, pull_number: number, options: object) {
  const { github, at } = scene;
  await untilMergeable(scene, { number: pull_number });
  const { data } = await github.rest.pulls.merge({ ...at, pull_number, ...options });
  const { data: commit } = await github.rest.git.getCommit({ ...at, commit_sha: data.sha });
  return { message: commit.message, parents: commit.parents.map(({ sha }) => sha) };
}

/** @throws NotAsked when the repository's settings choose other messages than GitHub's defaults */
async function requireUsualMessages({ github, at }: Scene): Promise<void> {
  const { data } = await github.rest.repos.get({ ...at });
  const usual = {
    squash_merge_commit_title: "COMMIT_OR_PR_TITLE",
    squash_merge_commit_message: "COMMIT_MESSAGES",
    merge_commit_title: "MERGE_MESSAGE",
    merge_commit_message: "PR_TITLE",
  } as const;
  for (const [setting, value] of Object.entries(usual)) {
    const chosen = data[setting as keyof typeof usual] ?? value;
    if (chosen !== value) throw new NotAsked(`the repository's ${setting} is ${chosen}, not ${value}`);
  }
}

/** Claims about the messages of merges, and about what a rebase keeps. */
export const mergeMessageClaims = needing(
  ["pull_requests: write"],
  [
    {
      id: "messages/squash-of-several",
      title: "A squash of several commits has the title, and lists their messages",
      source: about,
      expected: { message: "The title (#N)\n\n* First\n\nWhy\n\n* Second", parents: 1 },
      observe: async (scene) => {
        await requireUsualMessages(scene);
        const { message, parents } = await mergePair(scene, { merge_method: "squash" });
        return { message, parents: parents.length };
      },
    },
    {
      id: "messages/squash-of-one",
      title: "A squash of one commit has that commit's message",
      source: about,
      expected: "Only (#N)\n\nBecause",
      observe: async (scene) => {
        await requireUsualMessages(scene);
        return (await mergeSingle(scene, "Only\n\nBecause", { merge_method: "squash" })).message;
      },
    },
    {
      id: "messages/merge",
      title: "A merge commit names the pull request and its branch, and has its title as the body",
      source: about,
      expected: "Merge pull request #N from OWNER/head\n\nThe title",
      observe: async (scene) => {
        await requireUsualMessages(scene);
        return (await mergeSingle(scene, "Only", {})).message;
      },
    },
    {
      id: "messages/own",
      title: "A title and message in the request are the commit's, without more",
      source: "API",
      expected: "My title\n\nMy message",
      observe: async (scene) => {
        const own = { merge_method: "squash", commit_title: "My title", commit_message: "My message" };
        return (await mergeSingle(scene, "Only", own)).message;
      },
    },
    {
      id: "messages/rebase",
      title: "A rebase makes a commit for each, in their order, with their messages and one parent",
      source: about,
      expected: { message: "Second", before: "First\n\nWhy", parents: 1 },
      observe: async (scene) => {
        const { message, parents } = await mergePair(scene, { merge_method: "rebase" });
        const [parent = ""] = parents;
        const { data } = await scene.github.rest.git.getCommit({ ...scene.at, commit_sha: parent });
        return { message, before: data.message, parents: parents.length };
      },
    },
  ],
);
