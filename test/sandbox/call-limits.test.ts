import { expect, test } from "@jest/globals";
import { openPull } from "./commit-on-branch.ts";
import { inSandbox, type Scene, target } from "./scene.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function comment({ asInstallation }: Scene, issue_number: number) {
  try {
    return (await asInstallation.rest.issues.createComment({ ...target, issue_number, body: "Hello" }))
      .status;
  } catch (error) {
    const { status, message, response } = error as {
      status: number;
      message: string;
      response: { headers: Record<string, string> };
    };
    return { status, message, retryAfter: response.headers["retry-after"] };
  }
}

test("an installation that exceeds its content limit is blocked, which counts as a violation", () =>
  inSandbox(
    async (scene) => {
      const { asAlice } = scene;
      const { number } = await openPull(asAlice, "feature", { a: "1" });
      for (let sent = 0; sent < 3; sent += 1) expect(await comment(scene, number)).toBe(201);
      expect(await comment(scene, number)).toMatchObject({
        status: 403,
        message: expect.stringContaining("temporarily blocked from content creation"),
        retryAfter: "60",
      });
      scene.expectedViolations.push({ kind: "request", subject: "issues/create-comment" });
      // Users have limits of their own.
      await asAlice.rest.issues.createComment({ ...target, issue_number: number, body: "Hello" });
    },
    { contentLimits: { perMinute: 3, perHour: 100 } },
  ));

test("several comments in one GraphQL request count as several contents", () =>
  inSandbox(
    async ({ asAlice, asInstallation, expectedViolations }) => {
      const { number: pull_number } = await openPull(asAlice, "feature", { a: "1" });
      const { node_id } = (await asAlice.rest.pulls.get({ ...target, pull_number })).data;
      const add = (key: string) =>
        `${key}: addComment(input: {subjectId: "${node_id}", body: "Hello"}) { commentEdge { node { id } } }`;
      await asInstallation.graphql(`mutation { ${add("a")} ${add("b")} }`);
      await expect(asInstallation.graphql(`mutation { ${add("a")} ${add("b")} }`)).rejects.toMatchObject({
        status: 403,
      });
      expectedViolations.push({ kind: "request", subject: "graphql/addComment" });
    },
    { contentLimits: { perMinute: 3, perHour: 100 } },
  ));

test("an installation has at most a hundred calls in flight; one more is refused, and counts as a violation", () =>
  inSandbox(async (scene) => {
    const { sandbox, asInstallation, expectedViolations } = scene;
    sandbox.faults.use({ rate: 1, kinds: { latency: 1 }, latencyMs: [5_000, 5_000] });
    const read = () =>
      asInstallation.rest.repos.get(target).then(
        ({ status }) => status,
        ({ status }: { status: number }) => status,
      );
    const statuses = await Promise.all(Array.from({ length: 101 }, read));
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 403)).toHaveLength(1);
    expectedViolations.push({ kind: "request", subject: "repos/get" });
  }));

test("a request during a secondary rate limit is refused, and counts as a violation", () =>
  inSandbox(async (scene) => {
    const { sandbox, asInstallation } = scene;
    const read = () =>
      asInstallation.rest.repos.get(target).then(
        ({ status }) => status,
        ({ status }: { status: number }) => status,
      );
    expect(await read()).toBe(200);
    sandbox.faults.next({ kind: "rate_limited", variant: "403", retryAfterSeconds: 10 });
    expect(await read()).toBe(403);
    // Directly after the limit, a request may have been on its way already.
    expect(await read()).toBe(403);
    expect(sandbox.violations).toEqual([]);
    await pause(7_000);
    expect(await read()).toBe(403);
    scene.expectedViolations.push({ kind: "request", subject: "repos/get" });
    await pause(3_500);
    expect(await read()).toBe(200);
  }));

test("a primary rate limit of GraphQL does not affect REST", () =>
  inSandbox(async ({ sandbox, asInstallation, expectedViolations }) => {
    await asInstallation.rest.repos.get(target);
    sandbox.faults.next({
      operation: "graphql/repository",
      kind: "rate_limited",
      variant: "primary",
      retryAfterSeconds: 10,
    });
    const ask = () => asInstallation.graphql(`query { repository(owner: "acme", name: "widgets") { id } }`);
    await expect(ask()).rejects.toMatchObject({ errors: [{ type: "RATE_LIMITED" }] });
    await pause(7_000);
    expect((await asInstallation.rest.repos.get(target)).status).toBe(200);
    expect(sandbox.violations).toEqual([]);
    await expect(ask()).rejects.toMatchObject({ status: 403 });
    expectedViolations.push({ kind: "request", subject: "graphql/repository" });
  }));
