import { expect, test } from "@jest/globals";
import { openPull } from "./commit-on-branch.ts";
import { inSandbox, refusal, target } from "./scene.ts";

test("comments can be written, edited by permitted users, and deleted", () =>
  inSandbox(async ({ asAlice, asCarol, asInstallation, sandbox }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const { data: comment } = await asCarol.rest.issues.createComment({
      ...target,
      issue_number: number,
      body: "Nice",
    });
    expect(comment).toMatchObject({ user: { login: "carol" }, body: "Nice", performed_via_github_app: null });
    const one = { ...target, comment_id: comment.id };
    const { data: own } = await asInstallation.rest.issues.createComment({
      ...target,
      issue_number: number,
      body: "Queued",
    });
    expect(own.user?.login).toBe(`${sandbox.app.slug}[bot]`);
    expect(own.performed_via_github_app?.id).toBe(sandbox.app.id);
    const foreign = asCarol.rest.issues.updateComment({ ...target, comment_id: own.id, body: "Mine" });
    expect(await refusal(foreign)).toMatchObject({ status: 403 });
    const { data: edited } = await asAlice.rest.issues.updateComment({ ...one, body: "Nicer" });
    expect(edited.body).toBe("Nicer");
    expect((await asAlice.rest.issues.getComment(one)).data.body).toBe("Nicer");
    await asCarol.rest.issues.deleteComment(one);
    expect(await refusal(asAlice.rest.issues.getComment(one))).toMatchObject({ status: 404 });
    const { data: pull } = await asAlice.rest.pulls.get({ ...target, pull_number: number });
    expect(pull.comments).toBe(1);
  }));

test("comments are refused when they are blank or too long, or when their issue does not exist", () =>
  inSandbox(async ({ asAlice }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const write = (body: string, issue_number = number) =>
      asAlice.rest.issues.createComment({ ...target, issue_number, body });
    expect(await refusal(write(" "))).toEqual({ status: 422, message: "Validation Failed" });
    expect(await refusal(write("x".repeat(65_537)))).toMatchObject({ status: 422 });
    expect((await write("x".repeat(65_536))).status).toBe(201);
    expect(await refusal(write("Hi", 99))).toMatchObject({ status: 404 });
  }));

test("comments are listed by pull request and by repository, since a time and in either order", () =>
  inSandbox(async ({ asAlice }) => {
    const one = await openPull(asAlice, "one", { a: "1" });
    const two = await openPull(asAlice, "two", { b: "1" });
    for (const [issue_number, body] of [
      [one.number, "1"],
      [two.number, "2"],
      [one.number, "3"],
    ] as const) {
      await asAlice.rest.issues.createComment({ ...target, issue_number, body });
    }
    const { data: ofOne } = await asAlice.rest.issues.listComments({ ...target, issue_number: one.number });
    expect(ofOne.map(({ body }) => body)).toEqual(["1", "3"]);
    const list = async (query: object) =>
      (await asAlice.rest.issues.listCommentsForRepo({ ...target, ...query })).data.map(({ body }) => body);
    expect(await list({})).toEqual(["1", "2", "3"]);
    expect(await list({ sort: "updated", direction: "desc", per_page: 2 })).toEqual(["3", "2"]);
    expect(await list({ sort: "created", direction: "asc" })).toEqual(["1", "2", "3"]);
    expect(await list({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
    expect(await list({ since: "2020-01-01T00:00:00Z" })).toHaveLength(3);
  }));

test("a reaction counts once for each user", () =>
  inSandbox(async ({ asAlice, asInstallation }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const { data: comment } = await asAlice.rest.issues.createComment({
      ...target,
      issue_number: number,
      body: "Go",
    });
    const one = { ...target, comment_id: comment.id };
    const react = () => asInstallation.rest.reactions.createForIssueComment({ ...one, content: "rocket" });
    expect((await react()).status).toBe(201);
    expect((await react()).status).toBe(200);
    await asAlice.rest.reactions.createForIssueComment({ ...one, content: "+1" });
    const { data } = await asAlice.rest.issues.getComment(one);
    expect(data.reactions).toMatchObject({ total_count: 2, rocket: 1, "+1": 1, eyes: 0 });
    const { data: rockets } = await asAlice.rest.reactions.listForIssueComment({ ...one, content: "rocket" });
    expect(rockets.map(({ user }) => user?.type)).toEqual(["Bot"]);
  }));

test("a new comment notifies the people that it mentions and those of the conversation, an edit nobody", () =>
  inSandbox(async ({ asAlice, asCarol, asInstallation, sandbox }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const write = (octokit: typeof asAlice, body: string) =>
      octokit.rest.issues.createComment({ ...target, issue_number: number, body });
    const { data: first } = await write(
      asInstallation,
      "Queued by @nobody-there, see `@carol` and mail@carol",
    );
    await asInstallation.rest.issues.updateComment({
      ...target,
      comment_id: first.id,
      body: "Failed, @carol",
    });
    await write(asCarol, "Why?");
    await write(asInstallation, "<!-- @carol --> Removed, @Alice");
    const by = `${sandbox.app.slug}[bot]`;
    expect(sandbox.toldOn("acme/widgets", number)).toEqual([
      { by, body: "Failed, @carol", mentioned: [], others: ["alice"] },
      { by: "carol", body: "Why?", mentioned: [], others: ["alice"] },
      { by, body: "<!-- @carol --> Removed, @Alice", mentioned: ["alice"], others: ["carol"] },
    ]);
  }));

test("a comment is minimised by its author, which the API shows", () =>
  inSandbox(async ({ asAlice, asCarol, asInstallation }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const { data: own } = await asInstallation.rest.issues.createComment({
      ...target,
      issue_number: number,
      body: "Queued",
    });
    expect(own).toMatchObject({ minimized: null });
    const minimize = (octokit: typeof asAlice) =>
      octokit.graphql(
        "mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { clientMutationId } }",
        { id: own.node_id },
      );
    await expect(minimize(asCarol)).rejects.toMatchObject({ errors: [{ type: "FORBIDDEN" }] });
    await minimize(asInstallation);
    const { data } = await asAlice.rest.issues.listComments({ ...target, issue_number: number });
    expect(data).toMatchObject([{ body: "Queued", minimized: { reason: "outdated" } }]);
  }));
