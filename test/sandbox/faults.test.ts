import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { canHit, type FaultKind, faultKinds } from "../../tools/sandbox/faults/fault-plan.ts";
import { openPull, tipOf } from "./commit-on-branch.ts";
import { inSandbox, type Scene, target } from "./scene.ts";

/** The outcome of a call: its status and body, or the error's status (Octokit reports a lost connection as 500, too). */
async function outcome(call: Promise<{ status: number; data: unknown }>) {
  try {
    const { status, data } = await call;
    return { status, data };
  } catch (error) {
    const { status, message } = error as { status: number; message: string };
    return { status, message };
  }
}

/** Makes a first call, for which Octokit creates its token. */
const warm = ({ asInstallation }: Scene) => asInstallation.rest.repos.get(target);
const getMain = ({ asInstallation }: Scene) =>
  outcome(asInstallation.rest.repos.getBranch({ ...target, branch: "main" }));
const createBranch = async ({ asInstallation, asAlice }: Scene, name: string) =>
  outcome(
    asInstallation.rest.git.createRef({
      ...target,
      ref: `refs/heads/${name}`,
      sha: await tipOf(asAlice, "main"),
    }),
  );
const hasBranch = async ({ asAlice }: Scene, name: string) =>
  (await outcome(asAlice.rest.repos.getBranch({ ...target, branch: name }))).status === 200;

test("a body that is cut off with the connection reaches Octokit as an empty text", () =>
  inSandbox(async (scene) => {
    await warm(scene);
    scene.sandbox.faults.next({ operation: "repos/get-branch", kind: "cut", variant: "connection" });
    expect(await getMain(scene)).toEqual({ status: 200, data: "" });
    expect(await getMain(scene)).toMatchObject({ status: 200, data: { name: "main" } });
  }));

test("a body that is cut off with a matching length reaches Octokit as a text, with the ETag of the whole body", () =>
  inSandbox(async (scene) => {
    const { sandbox, asInstallation } = scene;
    const whole = await asInstallation.rest.repos.getBranch({ ...target, branch: "main" });
    sandbox.faults.next({ operation: "repos/get-branch", kind: "cut", variant: "length" });
    // The fault ignores the matching ETag, because a 304 has no body to damage.
    const cut = await asInstallation.request("GET /repos/{owner}/{repo}/branches/main", {
      ...target,
      headers: { "if-none-match": whole.headers.etag },
    });
    expect(typeof cut.data).toBe("string");
    expect(cut.headers.etag).toBe(whole.headers.etag);
    const text = cut.data as unknown as string;
    expect(JSON.stringify(whole.data).startsWith(text)).toBe(true);
    expect(text.length).toBeLessThan(JSON.stringify(whole.data).length);
  }));

test.each([
  ["{}", {}],
  ["[]", []],
  ["null", null],
  ["html", expect.stringContaining("Sign in to continue")],
  ["wrapped", [expect.objectContaining({ name: "main" })]],
])("an answer of the shape %s is well-formed, but not as described", (variant, data) =>
  inSandbox(async (scene) => {
    await warm(scene);
    scene.sandbox.faults.next({ operation: "repos/get-branch", kind: "shape", variant });
    expect(await getMain(scene)).toEqual({ status: 200, data });
  }),
);

test.each(["missing", "null_field"])(
  "an answer can lack fields that the description requires: %s",
  (variant) =>
    inSandbox(async (scene) => {
      await warm(scene);
      const whole = await getMain(scene);
      scene.sandbox.faults.next({ operation: "repos/get-branch", kind: "shape", variant });
      const changed = await getMain(scene);
      expect(changed.status).toBe(200);
      expect(changed).not.toEqual(whole);
      const count = (body: unknown) => JSON.stringify(body).length;
      expect(count(changed)).toBeLessThan(count(whole));
    }),
);

test.each([
  { kind: "500", side: "before", status: 500, happened: false },
  { kind: "500", side: "after", status: 500, happened: true },
  { kind: "502", side: "before", status: 502, happened: false },
  { kind: "502", side: "after", status: 502, happened: true },
  { kind: "reset", side: "before", status: 500, happened: false },
  { kind: "reset", side: "after", status: 500, happened: true },
] as const)("the fault $kind can occur $side the effect of a call", ({ kind, side, status, happened }) =>
  inSandbox(async (scene) => {
    await warm(scene);
    scene.sandbox.faults.next({ operation: "git/create-ref", kind, side });
    expect(await createBranch(scene, "x")).toMatchObject({ status });
    expect(await hasBranch(scene, "x")).toBe(happened);
    expect(scene.sandbox.faults.count()).toEqual({ [`${kind}_${side}`]: 1 });
    expect(scene.sandbox.requests.entries.filter(({ fault }) => fault)).toMatchObject([
      { operationId: "git/create-ref", fault: `${kind}_${side}`, status: kind === "reset" ? 0 : status },
    ]);
  }),
);

test.each(["before", "after"] as const)("an answer can be delayed %s the effect of its call", (side) =>
  inSandbox(async (scene) => {
    await warm(scene);
    const latencyMs = 5_000;
    scene.sandbox.faults.next({ operation: "git/create-ref", kind: "latency", side, latencyMs });
    const began = performance.now();
    let isAnswered = false;
    const created = createBranch(scene, "x").finally(() => {
      isAnswered = true;
    });
    while (side === "after" && !(await hasBranch(scene, "x"))) await pause(20);
    if (side === "before") await pause(150);
    expect([await hasBranch(scene, "x"), isAnswered]).toEqual([side === "after", false]);
    expect(await created).toMatchObject({ status: 201 });
    expect(performance.now() - began).toBeGreaterThan(latencyMs - 10);
  }),
);

test("temporary errors have GitHub's messages", () =>
  inSandbox(async (scene) => {
    await warm(scene);
    const { faults } = scene.sandbox;
    const told = async (kind: FaultKind, variant?: string) => {
      const response = await failing(scene, () => faults.next({ kind, ...(variant ? { variant } : {}) }));
      return { status: response.status, message: response.data.message, headers: response.headers };
    };
    expect(await told("forbidden")).toMatchObject({
      status: 403,
      message: "Resource not accessible by integration",
    });
    expect(await told("not_found")).toMatchObject({ status: 404, message: "Not Found" });
    const limitOver = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    const limited = { message: expect.stringContaining("secondary rate limit") };
    const tooMany = await told("rate_limited", "429");
    expect(tooMany).toMatchObject({ status: 429, ...limited });
    await limitOver(Number(tooMany.headers["retry-after"]));
    const secondary = await told("rate_limited", "403");
    expect(secondary).toMatchObject({
      ...{ status: 403, ...limited },
      headers: { "retry-after": expect.stringMatching(/^[12]$/) },
    });
    await limitOver(Number(secondary.headers["retry-after"]));
    const askedAt = Date.now() / 1000;
    const primary = await told("rate_limited", "primary");
    expect(primary).toMatchObject({ status: 403, headers: { "x-ratelimit-remaining": "0" } });
    const reset = Number(primary.headers["x-ratelimit-reset"]) - Date.now() / 1000;
    expect(Number(primary.headers["x-ratelimit-reset"])).toBeGreaterThan(askedAt);
    expect(reset).toBeLessThan(4);
    await limitOver(reset);
    expect((await getMain(scene)).status).toBe(200);
  }));

async function failing({ asInstallation }: Scene, arrange: () => void) {
  arrange();
  try {
    await asInstallation.rest.repos.get(target);
  } catch (error) {
    return (
      error as {
        response: { status: number; data: { message: string }; headers: Record<string, string> };
      }
    ).response;
  }
  throw new Error("the call succeeded");
}

test("the creation of a token can fail like any other call", () =>
  inSandbox(async (scene) => {
    const { sandbox } = scene;
    sandbox.faults.next({ operation: "apps/create-installation-access-token", kind: "unauthorized" });
    expect(await getMain(scene)).toMatchObject({
      status: 401,
      message: expect.stringContaining("Bad credentials"),
    });
    expect((await getMain(scene)).status).toBe(200);
  }));

test("a fault can last for a time, or for several calls", () =>
  inSandbox(async (scene) => {
    await warm(scene);
    const { faults } = scene.sandbox;
    faults.next({ operation: "repos/*", kind: "not_found", lastsMs: 4_000 });
    await expectStatuses(scene, [404, 404, 404]);
    await new Promise((resolve) => setTimeout(resolve, 4_020));
    await expectStatuses(scene, [200]);
    faults.next({ kind: "500", side: "before", count: 2 });
    await expectStatuses(scene, [500, 500, 200]);
  }));

async function expectStatuses(scene: Scene, statuses: number[]): Promise<void> {
  for (const status of statuses) expect((await getMain(scene)).status).toBe(status);
}

test("an outage fails every call of the App, and no call of a user", () =>
  inSandbox(async (scene) => {
    const { sandbox, asAlice } = scene;
    await warm(scene);
    sandbox.faults.outage(true);
    for (let call = 0; call < 6; call++) expect([500, 503]).toContain((await getMain(scene)).status);
    expect((await asAlice.rest.repos.get(target)).status).toBe(200);
    sandbox.faults.outage(false);
    expect((await getMain(scene)).status).toBe(200);
    expect(sandbox.faults.count()).toEqual({ outage: 6 });
    expect(new Set(sandbox.faults.injected.map(({ variant }) => variant))).toEqual(new Set(["reset", "503"]));
  }));

test("an outage can be planned", () =>
  inSandbox(async (scene) => {
    await warm(scene);
    scene.sandbox.faults.use({ outage: { afterMs: 0, lastsMs: 3_000 } });
    expect((await getMain(scene)).status).not.toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 3_020));
    expect((await getMain(scene)).status).toBe(200);
  }));

test("a fault skips a call that it cannot hit, and hits the next one", () =>
  inSandbox(async (scene) => {
    await warm(scene);
    scene.sandbox.faults.next({ operation: "repos/get-branch", kind: "cut" });
    const missing = scene.asInstallation.rest.repos.getBranch({ ...target, branch: "no-such" });
    expect((await outcome(missing)).status).toBe(404);
    expect(scene.sandbox.faults.injected).toEqual([]);
    expect(typeof (await getMain(scene)).data).toBe("string");
  }));

test("faults hit GraphQL calls, too, some with errors of GraphQL's own", () =>
  inSandbox(async (scene) => {
    await warm(scene);
    const { sandbox, asInstallation, asAlice } = scene;
    const ask = async () => {
      const query = `query { repository(owner: "acme", name: "widgets") { id } }`;
      try {
        return await asInstallation.graphql(query);
      } catch (error) {
        return error as { status?: number; errors?: { type: string }[] };
      }
    };
    const operation = "graphql:repository";
    sandbox.faults.next({ operation, kind: "502" });
    expect(await ask()).toMatchObject({ status: 502 });
    sandbox.faults.next({ operation, kind: "rate_limited", variant: "primary" });
    expect(await ask()).toMatchObject({ errors: [{ type: "RATE_LIMITED" }] });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    sandbox.faults.next({ operation, kind: "not_found" });
    expect(await ask()).toMatchObject({ errors: [{ type: "NOT_FOUND" }] });
    sandbox.faults.next({ operation, kind: "query_errors", variant: "went_wrong" });
    expect(await ask()).toMatchObject({
      errors: [{ message: expect.stringMatching(/^Something went wrong/) }],
    });
    sandbox.faults.next({ operation, kind: "query_errors", variant: "unknown_field" });
    expect(await ask()).toMatchObject({
      errors: [{ message: expect.stringMatching(/doesn't exist on type/) }],
    });
    sandbox.faults.next({ operation, kind: "shape", variant: "null_field" });
    expect(await ask()).toBeNull();
    expect(await ask()).toMatchObject({ repository: { id: expect.any(String) } });
    // After the effect: the branch has moved although the answer is lost.
    const { sha } = await openPull(asAlice, "feature", { a: "1" });
    const { repository } = (await ask()) as unknown as { repository: { id: string } };
    sandbox.faults.next({ operation: "graphql/updateRefs", kind: "reset", side: "after" });
    const mutation = `mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;
    const refUpdates = [{ name: "refs/heads/moved", afterOid: sha, beforeOid: "0".repeat(40) }];
    const input = { repositoryId: repository.id, refUpdates };
    await expect(asInstallation.graphql(mutation, { input })).rejects.toThrow();
    expect(await tipOf(asAlice, "moved")).toBe(sha);
    expect(sandbox.faults.count("operation")).toEqual({ "graphql/repository": 6, "graphql/updateRefs": 1 });
  }));

test("a fault plan hits its share of the calls with every kind, and only the seed decides which", async () => {
  const play = async (order: "one by one" | "at once") => {
    let injected: string[] = [];
    await inSandbox(
      async ({ sandbox, asApp }) => {
        const calls = Array.from({ length: 150 }, () => () => outcome(asApp.rest.apps.getAuthenticated()));
        if (order === "at once") await Promise.all(calls.map((call) => call()));
        else for (const call of calls) await call();
        injected = sandbox.faults.injected
          .map(({ call, label, variant }) => `${call} ${label} ${variant}`)
          .sort();
      },
      { seed: 11, faults: { rates: { "apps/get-authenticated": 0.5 }, latencyMs: [1, 10] } },
    );
    return injected;
  };
  const [first, second] = [await play("one by one"), await play("at once")];
  expect(second).toEqual(first);
  expect(first.length).toBeGreaterThan(50);
  expect(first.length).toBeLessThan(100);
  const kinds = first.map((line) => line.split(" ")[1]?.replace(/_(before|after)$/, ""));
  const possible = faultKinds.filter((kind) => canHit(kind, "apps/get-authenticated"));
  expect(new Set(kinds)).toEqual(new Set(possible));
});
