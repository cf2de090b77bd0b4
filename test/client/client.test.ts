import { afterEach, describe, expect, test } from "@jest/globals";
import { build } from "esbuild";
import { freePort } from "../../src/cli/free-port.ts";
import { ApiError, type ClientOptions, createClient, NetworkError } from "../../src/client/client.ts";
import { type Reaction, type ScriptedServer, startScripted } from "./scripted-server.ts";

const queue = { repo: { host: "github.com", owner: "acme", name: "widgets" }, targetBranch: "main" };
const problem = {
  type: "/problems/QUEUE_NOT_FOUND",
  title: "No such queue",
  status: 404,
  detail: "There is no queue.",
  instance: "request-1",
  code: "QUEUE_NOT_FOUND",
};
const busy = {
  status: 503,
  headers: { "retry-after": "2" },
  body: { ...problem, status: 503, code: "NOT_READY" },
};
const done: Reaction = { status: 200, body: { deleted: true } };

let server: ScriptedServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function serving(...reactions: Reaction[]): Promise<ScriptedServer> {
  server = await startScripted(...reactions);
  return server;
}

/** A client that records its delays instead of sleeping. */
function clientOf(url: string, options: Partial<ClientOptions> & { attempts?: number } = {}) {
  const slept: number[] = [];
  const { attempts = 1, ...rest } = options;
  const sleep = async (ms: number) => void slept.push(ms);
  const retry = { attempts, sleep, random: () => 0.5 };
  return { client: createClient({ baseUrl: url, token: "ty_token", retry, ...rest }), slept };
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (error: unknown) => error,
  );
}

describe("a call of the client", () => {
  test("posts JSON with the token to the endpoint of its name, and returns the response", async () => {
    const { url, requests } = await serving(done);
    const { client } = clientOf(url, { userAgent: "trainyard-action/1", forkedWorkflowRunId: "17" });
    expect(await client.deleteQueue(queue)).toEqual({ deleted: true });
    expect(requests).toMatchObject([
      {
        method: "POST",
        path: "/v1/deleteQueue",
        headers: {
          "content-type": "application/json",
          "x-api-token": "ty_token",
          "user-agent": "trainyard-action/1",
          "x-forked-workflow-run-id": "17",
        },
        body: JSON.stringify(queue),
      },
    ]);
  });

  test("sends no token if there is none", async () => {
    const { url, requests } = await serving(done);
    await createClient({ baseUrl: url }).deleteQueue(queue);
    expect(Object.keys(requests[0]?.headers ?? {})).not.toContain("x-api-token");
  });

  test.each(["", "/", "/v1", "/v1/"])("finds the endpoint when the base URL ends with %p", async (end) => {
    const { url, requests } = await serving(done);
    await clientOf(url + end).client.deleteQueue(queue);
    expect(requests[0]?.path).toBe("/v1/deleteQueue");
  });

  test.each([
    "submitPullRequest",
    "cancelPullRequest",
    "tryPullRequest",
    "cancelTry",
    "restartTestsOnPullRequest",
    "getSubmittedPullRequest",
    "setImpactedTargets",
    "createQueue",
    "deleteQueue",
    "getQueue",
    "updateQueue",
  ] as const)("of %s goes to the endpoint of that name", async (name) => {
    const { url, requests } = await serving(done);
    const pr = { number: 1, sha: "a".repeat(40) };
    await clientOf(url).client[name]({ ...queue, pr, impactedTargets: "ALL" });
    expect(requests[0]?.path).toBe(`/v1/${name}`);
  });
});

describe("an error response", () => {
  test("becomes an ApiError with all details of the problem", async () => {
    const errors = [{ path: "repo.owner", message: "is required" }];
    const { url } = await serving({
      status: 400,
      headers: { "retry-after": "7" },
      body: { ...problem, errors },
    });
    const error = await failureOf(clientOf(url).client.getQueue(queue));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      message: problem.detail,
      status: 400,
      code: "QUEUE_NOT_FOUND",
      detail: problem.detail,
      errors,
      retryAfterMs: 7_000,
      requestId: "request-1",
    });
  });

  test("from another server becomes an ApiError that suggests checking the address", async () => {
    const { url } = await serving({ status: 502, body: "<html>Bad gateway</html>" });
    const error = await failureOf(clientOf(url).client.getQueue(queue));
    expect(error).toMatchObject({ name: "ApiError", status: 502, code: null, errors: [], requestId: null });
    expect(error).toMatchObject({ detail: expect.stringMatching(/getQueue answered 502.*address/) });
  });

  test("includes a 200 response that is not JSON", async () => {
    const { url } = await serving({ status: 200, body: "<html>Welcome</html>" });
    expect(await failureOf(clientOf(url).client.getQueue(queue))).toMatchObject({
      name: "ApiError",
      code: null,
    });
  });

  test("includes a redirect, to which the token is not sent", async () => {
    const { url, requests } = await serving({
      status: 307,
      headers: { location: "https://elsewhere.example/" },
    });
    expect(await failureOf(clientOf(url).client.getQueue(queue))).toMatchObject({
      name: "ApiError",
      status: 307,
      detail: expect.stringContaining("https://elsewhere.example/"),
    });
    expect(requests).toHaveLength(1);
  });
});

describe("a missing response", () => {
  test("becomes a NetworkError with the address and the cause, without the token", async () => {
    const { url } = await serving("drop");
    const error = await failureOf(clientOf(url).client.getQueue(queue));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({
      kind: "network",
      message: expect.stringContaining(`${url} did not answer: `),
    });
    expect(String(error)).not.toContain("ty_token");
  });

  test("from a port where no server listens becomes a NetworkError, too", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const error = await failureOf(clientOf(url).client.getQueue(queue));
    expect(error).toMatchObject({ kind: "network", message: expect.stringContaining("ECONNREFUSED") });
  });

  test("within the timeout becomes a NetworkError of the kind timeout", async () => {
    const { url } = await serving("hang");
    const error = await failureOf(clientOf(url, { timeoutMs: 50 }).client.getQueue(queue));
    expect(error).toMatchObject({
      name: "NetworkError",
      kind: "timeout",
      message: `${url} did not answer within 0.05 s.`,
    });
  });
});

describe("retries", () => {
  test("are off by default", async () => {
    const { url, requests } = await serving(busy, done);
    await failureOf(createClient({ baseUrl: url }).deleteQueue(queue));
    expect(requests).toHaveLength(1);
  });

  test("follow 5xx, 429 and lost connections while attempts are left", async () => {
    const { url, requests } = await serving({ status: 500 }, { status: 429 }, "drop", done);
    const { client, slept } = clientOf(url, { attempts: 4 });
    expect(await client.deleteQueue(queue)).toEqual({ deleted: true });
    expect(requests).toHaveLength(4);
    expect(slept).toEqual([375, 750, 1_500]);
  });

  test("end with the last error", async () => {
    const { url, requests } = await serving({ status: 500 }, { status: 502 }, { status: 503 });
    const { client } = clientOf(url, { attempts: 3 });
    expect(await failureOf(client.deleteQueue(queue))).toMatchObject({ status: 503 });
    expect(requests).toHaveLength(3);
  });

  test.each([400, 401, 403, 404, 409, 413])("do not follow the status %d", async (status) => {
    const { url, requests } = await serving({ status, body: { ...problem, status } }, done);
    const { client } = clientOf(url, { attempts: 5 });
    expect(await failureOf(client.deleteQueue(queue))).toMatchObject({ status });
    expect(requests).toHaveLength(1);
  });

  test("wait as long as the service asks, but give up when that is too long", async () => {
    const { url } = await serving(busy, { ...busy, headers: inSeconds(90) }, done);
    const { client, slept } = clientOf(url, { attempts: 3 });
    await failureOf(client.deleteQueue(queue));
    expect(slept).toEqual([2_000]);
  });

  test("accept a date in Retry-After, relative to the server's clock", async () => {
    const { url } = await serving({ ...busy, headers: inSeconds(30) }, done);
    const { client, slept } = clientOf(url, { attempts: 2 });
    await client.deleteQueue(queue);
    expect(slept).toEqual([30_000]);
  });

  test("wait longer each time up to a maximum, with a random part", async () => {
    const { url } = await serving({ status: 500 });
    const slept: number[] = [];
    const sleep = async (ms: number) => void slept.push(ms);
    const retry = { attempts: 7, firstDelayMs: 100, maxDelayMs: 1_000, sleep };
    await failureOf(clientOf(url, { retry }).client.deleteQueue(queue));
    const most = [100, 200, 400, 800, 1_000, 1_000];
    expect(slept).toHaveLength(most.length);
    for (const [index, ms] of slept.entries()) {
      expect(ms).toBeLessThanOrEqual(most[index] ?? 0);
      expect(ms).toBeGreaterThanOrEqual((most[index] ?? 0) / 2);
    }
  });
});

test("the bundled client contains only its own code", async () => {
  server = await startScripted(done);
  const { metafile } = await build({
    entryPoints: [`${import.meta.dirname}/../../src/client/client.ts`],
    bundle: true,
    write: false,
    metafile: true,
    platform: "neutral",
  });
  expect(Object.keys(metafile.inputs).every((path) => path.startsWith("src/client/"))).toBe(true);
});

/** `Retry-After` as a date of a server whose clock is years behind. */
function inSeconds(seconds: number): Record<string, string> {
  const now = Date.parse("2020-01-01T00:00:00Z");
  return { date: new Date(now).toUTCString(), "retry-after": new Date(now + seconds * 1_000).toUTCString() };
}
