import { type Claim, needing, type Scene } from "../claim.ts";
import { answerOf, readUntil, untilMergeable } from "../observe.ts";

const readPull = async ({ github, at }: Scene, pull_number: number) =>
  (await github.rest.pulls.get({ ...at, pull_number })).data;

/** Claims about the fields of pull requests, and about refusals to create one. */
export const pullRequestClaims = needing(
  ["pull_requests: write"],
  [
    {
      id: "pulls/clean",
      title: "A pull request without checks or rules is clean once GitHub has looked at it",
      source: 'API "Get a pull request"',
      expected: { mergeable: true, state: "clean" },
      observe: async (scene) => {
        const { mergeable, mergeable_state: state } = await untilMergeable(scene, await scene.scratch.pull());
        return { mergeable, state };
      },
    },
    {
      id: "pulls/dirty",
      title: "A pull request with a conflict is dirty",
      source: 'API "Get a pull request"',
      expected: { mergeable: false, state: "dirty" },
      observe: async (scene) => {
        const { scratch } = scene;
        const base = await scratch.branch(
          "base",
          await scratch.commit(await scratch.root(), { "a.txt": "x\n" }),
        );
        const { mergeable, mergeable_state: state } = await untilMergeable(
          scene,
          await scratch.pull({ base }),
        );
        return { mergeable, state };
      },
    },
    {
      id: "pulls/draft",
      title: "A draft without a conflict is mergeable, in the state draft",
      source: "GraphQL MergeStateStatus",
      expected: { draft: true, mergeable: true, state: "draft" },
      observe: async (scene) => {
        const pull = await untilMergeable(scene, await scene.scratch.pull({ draft: true }));
        return { draft: pull.draft ?? null, mergeable: pull.mergeable, state: pull.mergeable_state };
      },
    },
    {
      id: "pulls/pushed",
      title: "A pull request shows the head that its branch was moved to, and the base's old tip as base.sha",
      source: "observed",
      expected: { headMoved: true, baseStays: true },
      observe: async (scene) => {
        const { github, at, scratch } = scene;
        const { number, head, base, sha } = await scratch.pull();
        const next = await scratch.commit(sha, { "b.txt": "1\n" });
        await github.rest.git.updateRef({ ...at, ref: `heads/${head}`, sha: next });
        const moved = await readUntil(
          scene,
          () => readPull(scene, number),
          (pull) => pull.head.sha === next,
        );
        const tip = await scratch.commit(await scratch.root(), { "c.txt": "1\n" });
        await github.rest.git.updateRef({ ...at, ref: `heads/${base}`, sha: tip });
        const after = await untilMergeable(scene, { number });
        return { headMoved: moved.head.sha === next, baseStays: after.base.sha === (await scratch.root()) };
      },
    },
    {
      id: "pulls/head-deleted",
      title: "A pull request whose head branch is deleted is closed and not merged",
      source: "observed",
      expected: { state: "closed", merged: false },
      observe: async (scene) => {
        const { number, head } = await scene.scratch.pull();
        await scene.github.rest.git.deleteRef({ ...scene.at, ref: `heads/${head}` });
        const { state, merged } = await readUntil(
          scene,
          () => readPull(scene, number),
          (pull) => pull.state === "closed",
        );
        return { state, merged };
      },
    },
    {
      id: "pulls/exists",
      title: "A second pull request for the same branches is refused",
      source: "fork-sync #112",
      expected: "422 Validation Failed: A pull request already exists for OWNER:head.",
      observe: async ({ github, at, scratch }) => {
        const { base, head } = await scratch.pull();
        return answerOf(github.rest.pulls.create({ ...at, title: "Again", base, head }));
      },
    },
    {
      id: "pulls/nothing",
      title: "A pull request without commits is refused",
      source: "octokit.rb #622",
      expected: "422 Validation Failed: No commits between base and head",
      observe: async ({ github, at, scratch }) => {
        const [base, head] = [await scratch.branch("base"), await scratch.branch("head")];
        return answerOf(github.rest.pulls.create({ ...at, title: "Nothing", base, head }));
      },
    },
    {
      id: "pulls/merge-commit",
      title: "GraphQL and the older REST version name the merge commit of a merged pull request",
      source: 'GraphQL "PullRequest"; "Breaking changes"',
      expected: { rest: true, graphql: true },
      observe: async (scene) => {
        const { github, at } = scene;
        const { number } = await scene.scratch.pull();
        await untilMergeable(scene, { number });
        const { data } = await github.rest.pulls.merge({ ...at, pull_number: number });
        const named = await github.graphql<{ repository: { pullRequest: { mergeCommit: { oid: string } } } }>(
          `query ($owner: String!, $repo: String!, $number: Int!) {
          repository(owner: $owner, name: $repo) { pullRequest(number: $number) { mergeCommit { oid } } }
        }`,
          { ...at, number },
        );
        return {
          rest: (await readPull(scene, number)).merge_commit_sha === data.sha,
          graphql: named.repository.pullRequest.mergeCommit.oid === data.sha,
        };
      },
    },
    {
      id: "pulls/referenced",
      title: "A pushed commit that names a pull request is on its timeline, once",
      source: '"Autolinked references and URLs"; API "Issue event types"',
      expected: { events: 1, commit: true },
      observe: async (scene) => {
        const { github, at, scratch } = scene;
        const { number: issue_number } = await scratch.pull();
        const naming = await scratch.commit(
          await scratch.root(),
          { "n.txt": "1\n" },
          `Follows #${issue_number}`,
        );
        await scratch.branch("naming", naming);
        await scratch.branch("again", naming);
        const read = async () =>
          (await github.rest.issues.listEvents({ ...at, issue_number })).data.filter(
            ({ event }) => event === "referenced",
          );
        const events = await readUntil(scene, read, ({ length }) => length > 0);
        return { events: events.length, commit: events[0]?.commit_id === naming };
      },
    },
    {
      id: "pulls/squash-not-referenced",
      title: "The commit that merges a pull request does not refer to it, though it names it",
      source: "memory",
      expected: { events: "merged closed" },
      observe: async (scene) => {
        const { github, at, scratch } = scene;
        const { number } = await scratch.pull();
        await untilMergeable(scene, { number });
        await github.rest.pulls.merge({ ...at, pull_number: number, merge_method: "squash" });
        const read = async () => {
          const { data } = await github.rest.issues.listEvents({ ...at, issue_number: number });
          return data.map(({ event }) => event);
        };
        const events = await readUntil(
          scene,
          read,
          (all) => all.includes("merged") && all.includes("closed"),
        );
        return { events: events.join(" ") };
      },
    },
  ],
);

const comments = ["pull_requests: write", "issues: write"] as const;

/** Claims about comments on pull requests, and reactions to them. */
export const commentClaims: readonly Claim[] = [
  {
    id: "comments/edited",
    title: "An edited comment keeps its id and when it was created",
    source: "API",
    needs: comments,
    expected: { body: "After", same: true, created: true, byBot: true },
    observe: async ({ github, at, scratch, app }) => {
      const { number: issue_number } = await scratch.pull();
      const before = await scratch.comment(issue_number, "Before");
      const edit = { ...at, comment_id: before.id, body: "After" };
      const { data: after } = await github.rest.issues.updateComment(edit);
      return {
        body: after.body ?? null,
        same: after.id === before.id,
        created: after.created_at === before.created_at,
        byBot: after.user?.login === `${app.slug}[bot]`,
      };
    },
  },
  {
    id: "comments/deleted",
    title: "A deleted comment is not found, neither to read nor to edit",
    source: "API",
    needs: comments,
    expected: { read: "404 Not Found", edit: "404 Not Found" },
    observe: async ({ github, at, scratch }) => {
      const { number: issue_number } = await scratch.pull();
      const { id: comment_id } = await scratch.comment(issue_number, "Soon gone");
      const comment = { ...at, comment_id };
      await github.rest.issues.deleteComment(comment);
      return {
        read: await answerOf(github.rest.issues.getComment(comment)),
        edit: await answerOf(github.rest.issues.updateComment({ ...comment, body: "Here?" })),
      };
    },
  },
  {
    id: "comments/reaction",
    title: "A reaction that is there is answered 200 and not made again",
    source: "API",
    needs: comments,
    expected: { first: "201", second: "200", reactions: 1 },
    observe: async ({ github, at, scratch }) => {
      const { number: issue_number } = await scratch.pull();
      const { id: comment_id } = await scratch.comment(issue_number, "Hello");
      const comment = { ...at, comment_id };
      const react = () =>
        answerOf(github.rest.reactions.createForIssueComment({ ...comment, content: "eyes" }));
      const [first, second] = [await react(), await react()];
      const { data: reactions } = await github.rest.reactions.listForIssueComment(comment);
      return { first, second, reactions: reactions.length };
    },
  },
];
