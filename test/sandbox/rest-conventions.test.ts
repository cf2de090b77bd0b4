import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { allOperations } from "../../tools/sandbox/rest/operations/all-operations.ts";
import { apiDescription } from "../../tools/sandbox/schema/api-description.ts";
import { operationAccess } from "../../tools/sandbox/schema/operations.ts";
import { openPull } from "./commit-on-branch.ts";
import { inSandbox, refusal, target } from "./scene.ts";

test("every operation of the vendored description has a handler and a rule of access", () => {
  const described = Object.keys(apiDescription().operations).sort();
  expect(Object.keys(allOperations).sort()).toEqual(described);
  expect(Object.keys(operationAccess).sort()).toEqual(described);
});

test("a GitHub operation that the sandbox lacks is answered 501 with its name, and is reported", () =>
  inSandbox(async ({ asAlice, expectedViolations }) => {
    expect(await refusal(asAlice.rest.repos.listTags(target))).toEqual({
      status: 501,
      message: "The sandbox does not implement repos/list-tags.",
    });
    const diff = asAlice.rest.repos.getCommit({ ...target, ref: "main", mediaType: { format: "diff" } });
    expect(await refusal(diff.then())).toMatchObject({ status: 501 });
    expect(await refusal(asAlice.request("GET /no/such/route"))).toMatchObject({ status: 404 });
    expectedViolations.push(
      { kind: "unimplemented", subject: "repos/list-tags" },
      { kind: "unimplemented", subject: "repos/get-commit" },
    );
  }));

test("a request that GitHub's description does not allow is answered 422, and counts as a violation", () =>
  inSandbox(async ({ asAlice, expectedViolations }) => {
    const unknown = asAlice.request("GET /repos/{owner}/{repo}/pulls", { ...target, stat: "all" });
    expect(await refusal(unknown)).toEqual({
      status: 422,
      message: 'Invalid request.\n\nunknown query parameter "stat"',
    });
    const wrongValue = asAlice.request("GET /repos/acme/widgets/pulls?state=merged");
    expect(await refusal(wrongValue)).toMatchObject({ status: 422 });
    const noNumber = asAlice.request("GET /repos/{owner}/{repo}/pulls/abc", target);
    expect(await refusal(noNumber)).toMatchObject({ status: 422 });
    const noBody = asAlice.request("POST /repos/acme/widgets/git/refs", { ref: "refs/heads/x" });
    expect(await refusal(noBody)).toEqual({
      status: 422,
      message: "Invalid request.\n\nbody must have required property 'sha'",
    });
    for (const subject of ["pulls/list", "pulls/list", "pulls/get", "git/create-ref"]) {
      expectedViolations.push({ kind: "request", subject });
    }
  }));

test("a body that is not JSON is answered 400", () =>
  inSandbox(async ({ sandbox, alice }) => {
    const response = await fetch(`${sandbox.url}/repos/acme/widgets/merges`, {
      method: "POST",
      headers: { authorization: `token ${alice.token}` },
      body: "{",
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: "Problems parsing JSON" });
  }));

test("both GitHub's own address and an Enterprise server's serve the same API", () =>
  inSandbox(async ({ sandbox, alice }) => {
    const headers = { authorization: `token ${alice.token}` };
    const [plain, enterprise] = await Promise.all(
      ["", "/api/v3"].map(async (prefix) =>
        (await fetch(`${sandbox.url}${prefix}/user`, { headers })).text(),
      ),
    );
    expect(plain).toBe(enterprise);
  }));

test("an unchanged answer is 304, which does not use up the rate limit", () =>
  inSandbox(async ({ sandbox, alice }) => {
    const get = (etag = "") =>
      fetch(`${sandbox.url}/repos/acme/widgets/branches/main`, {
        headers: { authorization: `token ${alice.token}`, "if-none-match": etag },
      });
    const first = await get();
    const second = await get(first.headers.get("etag") ?? "");
    expect(first.headers.get("etag")).toMatch(/^W\/"/);
    expect(second.status).toBe(304);
    expect(second.headers.get("x-ratelimit-used")).toBe(first.headers.get("x-ratelimit-used"));
    expect(second.headers.get("x-github-request-id")).toMatch(/^[0-9A-F]{16}$/);
    expect(sandbox.requests.notModified).toBe(1);
    expect(sandbox.requests.countByOperation()).toMatchObject({ "repos/get-branch": 1 });
  }));

test("lists come in pages that link to each other", () =>
  inSandbox(async ({ asAlice }) => {
    for (const branch of ["a", "b", "c"]) await openPull(asAlice, branch, { [branch]: "1" });
    const all = await asAlice.paginate(asAlice.rest.pulls.list, { ...target, per_page: 2 });
    expect(all.map(({ number }) => number)).toEqual([3, 2, 1]);
    const { headers } = await asAlice.rest.pulls.list({ ...target, per_page: 1, page: 2 });
    const relations = [...(headers.link ?? "").matchAll(/page=(\d+)>; rel="(\w+)"/g)].map(([, page, rel]) => [
      rel,
      page,
    ]);
    expect(Object.fromEntries(relations)).toEqual({ prev: "1", first: "1", next: "3", last: "3" });
  }));

test("the meta, rate limit, and user operations are answered", () =>
  inSandbox(async ({ asAlice }) => {
    expect((await asAlice.rest.meta.get()).data.verifiable_password_authentication).toBe(false);
    expect((await asAlice.rest.rateLimit.get()).data.rate.remaining).toBeGreaterThan(900_000);
    expect((await asAlice.rest.users.getAuthenticated()).data.login).toBe("alice");
    expect((await asAlice.rest.users.getByUsername({ username: "trainyard[bot]" })).data.type).toBe("Bot");
    expect(await refusal(asAlice.rest.users.getByUsername({ username: "ghost" }))).toMatchObject({
      status: 404,
    });
  }));

test("a client that dies in the middle of its request changes nothing and is no violation", () =>
  inSandbox(async ({ sandbox, asAlice }) => {
    const { port, hostname } = new URL(sandbox.url);
    for (const path of ["/api/v3/repos/acme/widgets/labels", "/acme/widgets.git/git-receive-pack"]) {
      const socket = connect(Number(port), hostname);
      await once(socket, "connect");
      socket.write(`POST ${path} HTTP/1.1\r\nHost: sandbox\r\nContent-Length: 100\r\n\r\n{"name":`);
      await setTimeout(20);
      socket.destroy();
    }
    await setTimeout(50);
    await asAlice.rest.repos.get(target);
  }));
