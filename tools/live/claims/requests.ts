import { GraphqlResponseError } from "@octokit/graphql";
import type { Claim } from "../claim.ts";
import { answerOf, readUntil } from "../observe.ts";

const practices = 'REST "Best practices"';

/** Claims that hold for every request: ETags, redirects and versions. */
export const requestClaims: readonly Claim[] = [
  {
    id: "conditional/unchanged",
    title: "A reading has a weak ETag, and is answered 304 with it",
    source: practices,
    expected: { isWeak: true, again: "304" },
    observe: async ({ github, at, scratch }) => {
      const branch = await scratch.branch("still");
      const { headers } = await github.rest.repos.getBranch({ ...at, branch });
      const { etag = "" } = headers;
      const again = github.rest.repos.getBranch({ ...at, branch, headers: { "if-none-match": etag } });
      return { isWeak: etag.startsWith('W/"'), again: (await answerOf(again)).split(" ")[0] ?? "" };
    },
  },
  {
    id: "conditional/changed",
    title: "After a change the old ETag is answered in full at once",
    source: `${practices}; that ETags lag: Mergify #781`,
    expected: { again: "200", isNew: true },
    observe: async ({ github, at, scratch }) => {
      const branch = await scratch.branch("moving");
      const { headers } = await github.rest.repos.getBranch({ ...at, branch });
      const sha = await scratch.commit(await scratch.root(), { a: "1\n" });
      await github.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha });
      const request = { ...at, branch, headers: { "if-none-match": headers.etag ?? "" } };
      let seen = "";
      const again = github.rest.repos.getBranch(request).then((answer) => {
        seen = answer.data.commit.sha;
        return answer;
      });
      return { again: (await answerOf(again)).split(" ")[0] ?? "", isNew: seen === sha };
    },
  },
  {
    id: "versions/older",
    title: "REST version 2022-11-28 is known, and answers name it",
    source: '"API Versions"',
    expected: "2022-11-28",
    observe: async ({ github, at }) => {
      const { headers } = await github.rest.repos.get({ ...at });
      return String(headers["x-github-api-version-selected"] ?? "");
    },
  },
  {
    id: "versions/newer",
    title: "REST version 2026-03-10 is known, and leaves merge_commit_sha out of pull requests",
    source: '"API Versions", "Breaking changes"',
    needs: ["pull_requests: write"],
    expected: { selected: "2026-03-10", hasMergeCommit: false },
    observe: async ({ github, at, scratch }) => {
      const { number: pull_number } = await scratch.pull();
      const headers = { "x-github-api-version": "2026-03-10" };
      const answer = await github.rest.pulls.get({ ...at, pull_number, headers });
      return {
        selected: String(answer.headers["x-github-api-version-selected"] ?? ""),
        hasMergeCommit: "merge_commit_sha" in answer.data,
      };
    },
  },
  {
    id: "versions/unknown",
    title: "An unknown REST version is answered 400",
    source: '"API Versions"',
    expected: "400",
    observe: async ({ github, at }) => {
      const headers = { "x-github-api-version": "1999-01-01" };
      return (await answerOf(github.rest.repos.get({ ...at, headers }))).split(" ")[0] ?? "";
    },
  },
  {
    id: "renamed/branch",
    title: "A renamed branch is redirected to by its old name, and git/ref does not know that name",
    source: '"Renaming a branch"',
    expected: { branch: 301, ref: "404 Not Found", found: true },
    observe: async ({ github, at, scratch, patienceMs }) => {
      const before = await scratch.branch("before");
      const after = scratch.name("after");
      await github.rest.repos.renameBranch({ ...at, branch: before, new_name: after });
      const unfollowed = { ...at, branch: before, request: { redirect: "manual" as const } };
      const read = async () => Number((await github.rest.repos.getBranch(unfollowed)).status);
      const branch = await readUntil({ patienceMs }, read, (status) => status === 301);
      const { data } = await github.rest.repos.getBranch({ ...at, branch: before });
      return {
        branch,
        ref: await answerOf(github.rest.git.getRef({ ...at, ref: `heads/${before}` })),
        found: data.name === after,
      };
    },
  },
  {
    id: "renamed/base",
    title: "A pull request into a renamed branch goes into the new name",
    source: '"Renaming a branch"',
    needs: ["pull_requests: write"],
    expected: "after",
    observe: async (scene) => {
      const { github, at, scratch } = scene;
      const { number: pull_number, base } = await scratch.pull();
      const new_name = scratch.name("after");
      await github.rest.repos.renameBranch({ ...at, branch: base, new_name });
      const read = async () => (await github.rest.pulls.get({ ...at, pull_number })).data.base.ref;
      return readUntil(scene, read, (ref) => ref !== base);
    },
  },
  {
    id: "graphql/not-found",
    title: "GraphQL answers what it does not find with 200 and an error of the type NOT_FOUND",
    source: "GraphQL; observed",
    expected: "NOT_FOUND",
    observe: async ({ github, at }) => {
      const query = `query ($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { id } }`;
      try {
        await github.graphql(query, { owner: at.owner, repo: `${at.repo}-that-does-not-exist` });
        return "found";
      } catch (error) {
        if (!(error instanceof GraphqlResponseError)) throw error;
        return (error.errors ?? []).map(({ type }) => type ?? "no type").join(", ");
      }
    },
  },
];
