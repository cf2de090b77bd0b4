import { expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { branchWith, commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { inSandbox, requiredChecks, target } from "./scene.ts";

const nowhere = "0".repeat(40);
const mutation = "mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }";

interface Update {
  name: string;
  afterOid: string;
  beforeOid?: string;
  force?: boolean;
}

async function nodeIdOf(octokit: Octokit): Promise<string> {
  return (await octokit.rest.repos.get(target)).data.node_id;
}

/** Null when the refs were updated, else the type and the message of GitHub's error. */
async function refusalOfUpdate(octokit: Octokit, repositoryId: string, ...refUpdates: Update[]) {
  try {
    await octokit.graphql(mutation, { input: { repositoryId, refUpdates } });
    return null;
  } catch (error) {
    const [first] = (error as { errors: { type: string; message: string }[] }).errors;
    return `${first?.type}: ${first?.message}`;
  }
}

async function branches(octokit: Octokit): Promise<Record<string, string>> {
  const { data } = await octokit.rest.git.listMatchingRefs({ ...target, ref: "heads/" });
  return Object.fromEntries(data.map(({ ref, object }) => [ref.replace("refs/heads/", ""), object.sha]));
}

test("GraphQL finds a repository by its name, with the node id that REST gives", () =>
  inSandbox(async ({ asInstallation }) => {
    const query = "query ($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { id } }";
    const { repository } = await asInstallation.graphql<{ repository: { id: string } }>(query, target);
    expect(repository.id).toBe(await nodeIdOf(asInstallation));
    await expect(asInstallation.graphql(query, { owner: "acme", repo: "gadgets" })).rejects.toMatchObject({
      errors: [{ type: "NOT_FOUND", path: ["repository"] }],
    });
  }));

test("updateRefs creates, moves, and removes branches in one call", () =>
  inSandbox(async ({ asInstallation: app, sandbox }) => {
    const id = await nodeIdOf(app);
    const main = await tipOf(app, "main");
    const old = await branchWith(app, "old", { a: "1" });
    const next = await commitOn(app, main, { b: "1" });
    await app.rest.git.createRef({ ...target, ref: "refs/heads/moving", sha: main });
    await sandbox.settled();
    const refused = await refusalOfUpdate(
      app,
      id,
      { name: "refs/heads/new", beforeOid: nowhere, afterOid: next },
      { name: "refs/heads/moving", beforeOid: main, afterOid: next },
      { name: "refs/heads/old", beforeOid: old, afterOid: nowhere },
    );
    expect(refused).toBeNull();
    expect(await branches(app)).toEqual({ main, new: next, moving: next });
    expect(sandbox.requests.countByOperation()["graphql/updateRefs"]).toBe(1);
  }));

test.each<[string, (at: { main: string; side: string }) => Update, string]>([
  [
    "is not where it was expected",
    ({ main, side }) => ({ name: "refs/heads/side", beforeOid: main, afterOid: side }),
    "UNPROCESSABLE: Expected refs/heads/side to be at",
  ],
  [
    "exists and was expected not to",
    ({ side }) => ({ name: "refs/heads/side", beforeOid: nowhere, afterOid: side }),
    "UNPROCESSABLE: Expected refs/heads/side to be at",
  ],
  [
    "would lose commits without force",
    ({ main }) => ({ name: "refs/heads/side", afterOid: main }),
    "UNPROCESSABLE: refs/heads/side cannot be fast-forwarded",
  ],
  [
    "is to be removed and does not exist",
    () => ({ name: "refs/heads/none", afterOid: nowhere }),
    "UNPROCESSABLE: refs/heads/none does not exist",
  ],
  [
    "would point at nothing",
    () => ({ name: "refs/heads/side", afterOid: "f".repeat(40), force: true }),
    "UNPROCESSABLE: ffff",
  ],
])("updateRefs changes nothing when one of the refs %s", (_, second, message) =>
  inSandbox(async ({ asInstallation: app }) => {
    const id = await nodeIdOf(app);
    const main = await tipOf(app, "main");
    const side = await branchWith(app, "side", { a: "1" });
    const before = await branches(app);
    const first = { name: "refs/heads/new", beforeOid: nowhere, afterOid: main };
    expect(await refusalOfUpdate(app, id, first, second({ main, side }))).toContain(message);
    expect(await branches(app)).toEqual(before);
  }),
);

test("updateRefs moves a protected branch only to a commit whose checks are green", () =>
  inSandbox(
    async ({ asInstallation: app, sandbox }) => {
      const id = await nodeIdOf(app);
      const main = await tipOf(app, "main");
      const commit = await commitOn(app, main, { a: "1" });
      const advance = { name: "refs/heads/main", beforeOid: main, afterOid: commit };
      expect(await refusalOfUpdate(app, id, advance)).toContain(
        "UNPROCESSABLE: 2 of 2 required status checks",
      );
      await app.rest.git.createRef({ ...target, ref: "refs/heads/trainyard-merge/pr-1/x", sha: commit });
      await sandbox.settled();
      expect(await refusalOfUpdate(app, id, advance)).toBeNull();
      expect(await tipOf(app, "main")).toBe(commit);
    },
    {},
    { protection: { requiredChecks } },
  ));

test("updateRefs is refused for a caller without write access", () =>
  inSandbox(async ({ asInstallation, asCarol, sandbox, asApp }) => {
    const id = await nodeIdOf(asInstallation);
    const update = { name: "refs/heads/new", afterOid: await tipOf(asInstallation, "main") };
    expect(await refusalOfUpdate(asCarol, id, update)).toContain("FORBIDDEN");
    const { data: installation } = await asApp.rest.apps.getRepoInstallation(target);
    const { data } = await asApp.rest.apps.createInstallationAccessToken({
      installation_id: installation.id,
      permissions: { contents: "read" },
    });
    const anonymous = await fetch(`${sandbox.url}/api/graphql`, { method: "POST", body: "{}" });
    expect(anonymous.status).toBe(401);
    const reader = await fetch(`${sandbox.url}/api/graphql`, {
      method: "POST",
      headers: { authorization: `Bearer ${data.token}` },
      body: JSON.stringify({
        query: mutation,
        variables: { input: { repositoryId: id, refUpdates: [update] } },
      }),
    });
    expect(await reader.json()).toMatchObject({ errors: [{ type: "FORBIDDEN", path: ["updateRefs"] }] });
  }));

test("a GraphQL field that the sandbox lacks is an error, and is reported", () =>
  inSandbox(async ({ asAlice, expectedViolations }) => {
    await expect(asAlice.graphql("{ viewer { login } }")).rejects.toThrow('Cannot query field "viewer"');
    expectedViolations.push({ kind: "unimplemented", subject: "graphql" });
  }));

test("addReaction adds each reaction to a comment once, and is refused without a comment", () =>
  inSandbox(async ({ asInstallation: app, asAlice }) => {
    const react = (subjectId: string, content: string) =>
      app.graphql(
        "mutation ($input: AddReactionInput!) { addReaction(input: $input) { clientMutationId } }",
        {
          input: { subjectId, content },
        },
      );
    await branchWith(app, "topic", { a: "1" });
    const { data: pull } = await asAlice.rest.pulls.create({
      ...target,
      head: "topic",
      base: "main",
      title: "T",
    });
    const { data } = await asAlice.rest.issues.createComment({
      ...target,
      issue_number: pull.number,
      body: "Hm.",
    });
    for (const content of ["THUMBS_UP", "CONFUSED", "THUMBS_UP"]) await react(data.node_id, content);
    const { data: reactions } = await asAlice.rest.reactions.listForIssueComment({
      ...target,
      comment_id: data.id,
    });
    expect(reactions.map(({ content, user }) => [content, user?.type])).toEqual([
      ["+1", "Bot"],
      ["confused", "Bot"],
    ]);
    await expect(react("nothing", "EYES")).rejects.toMatchObject({ errors: [{ type: "NOT_FOUND" }] });
  }));

test("GraphQL finds the object at a path of a commit, and null when there is none", () =>
  inSandbox(async ({ asInstallation }) => {
    await branchWith(asInstallation, "files", { "docs/a.md": "1" });
    const query = `query ($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) {
      file: object(expression: "files:docs/a.md") { oid }
      nothing: object(expression: "files:docs/b.md") { oid }
      nowhere: object(expression: "gone:docs/a.md") { oid }
      tip: object(expression: "refs/heads/files") { __typename oid ... on Commit { tree { oid } } }
      gone: object(expression: "refs/heads/gone") { oid }
    } }`;
    const { repository } = await asInstallation.graphql<{ repository: Record<string, { oid: string }> }>(
      query,
      target,
    );
    const { data } = await asInstallation.rest.repos.getContent({
      ...target,
      path: "docs/a.md",
      ref: "files",
    });
    const tip = await asInstallation.rest.repos.getBranch({ ...target, branch: "files" });
    expect(repository).toEqual({
      file: { oid: "sha" in data ? data.sha : "" },
      nothing: null,
      nowhere: null,
      tip: { __typename: "Commit", oid: tip.data.commit.sha, tree: { oid: tip.data.commit.commit.tree.sha } },
      gone: null,
    });
  }));

test("several mutations in one request are carried out in order, and fail separately", () =>
  inSandbox(async ({ asInstallation, asAlice }) => {
    const { number: pull_number } = await openPull(asAlice, "feature", { a: "1" });
    const { node_id: subjectId } = (await asAlice.rest.pulls.get({ ...target, pull_number })).data;
    const add = (key: string, subject: string, body: string) =>
      `${key}: addComment(input: {subjectId: "${subject}", body: "${body}"}) { commentEdge { node { id } } }`;
    const asked = asInstallation.graphql(
      `mutation { ${add("a", subjectId, "One")} ${add("b", "nothing", "Two")} ${add("c", subjectId, "")} ${add("d", subjectId, "Three")} }`,
    );
    await expect(asked).rejects.toMatchObject({
      data: {
        a: { commentEdge: expect.anything() },
        b: null,
        c: null,
        d: { commentEdge: expect.anything() },
      },
      errors: [
        { type: "NOT_FOUND", path: ["b"] },
        { type: "UNPROCESSABLE", path: ["c"] },
      ],
    });
    const { data } = await asAlice.rest.issues.listComments({ ...target, issue_number: pull_number });
    expect(data.map(({ body }) => body)).toEqual(["One", "Three"]);
  }));
