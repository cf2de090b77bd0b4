import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
  await api.post("createQueue", api.queue);
});
afterAll(() => api.close());

test.each([
  ["is cut off", '{"repo":'],
  ["is no JSON", "hello"],
  ["is empty", ""],
  ["has a trailing comma", "[1,]"],
])("a body that %s gets a 400 response", async (_what, body) => {
  const answer = await api.post("getQueue", body);
  expect({ status: answer.status, code: answer.body.code }).toEqual({
    status: 400,
    code: "MALFORMED_JSON",
  });
});

test("a body that is not UTF-8 gets a 400 response", async () => {
  const body = Buffer.concat([
    Buffer.from('{"targetBranch":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}'),
  ]);
  const headers = { "content-type": "application/json", "x-api-token": await api.createToken(["read"]) };
  const { status } = await fetch(`${api.url}/v1/getQueue`, { method: "POST", headers, body });
  expect(status).toBe(400);
});

test("a body with a byte order mark is accepted", async () => {
  expect((await api.post("getQueue", `\uFEFF${JSON.stringify(api.queue)}`)).status).toBe(200);
});

test.each(["null", "[]", "5", '"text"', "true"])(
  "a body that is %s instead of an object is invalid",
  async (body) => {
    const answer = await api.post("getQueue", body);
    expect({ status: answer.status, errors: answer.body.errors }).toEqual({
      status: 400,
      errors: [{ path: "", message: expect.stringMatching(/^must be an object, not /) }],
    });
  },
);

test("a missing body is invalid", async () => {
  const headers = { "x-api-token": await api.createToken(["read"]) };
  const response = await fetch(`${api.url}/v1/getQueue`, { method: "POST", headers });
  expect(await response.json()).toMatchObject({
    status: 400,
    errors: [{ path: "", message: "is required" }],
  });
});

test.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/xml",
  "application/jsonp",
  "nonsense",
])("a body of type %s gets a 415 response", async (type) => {
  const answer = await api.post("getQueue", api.queue, { "content-type": type });
  expect({ status: answer.status, code: answer.body.code }).toEqual({
    status: 415,
    code: "MEDIA_TYPE_NOT_SUPPORTED",
  });
  expect(answer.body.detail).toContain("application/json");
});

test.each(["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"])(
  "a body of type %s is accepted",
  async (type) => {
    expect((await api.post("getQueue", api.queue, { "content-type": type })).status).toBe(200);
  },
);

/** Posts bytes unchanged. */
async function postBytes(endpoint: string, body: Uint8Array<ArrayBuffer>, encoding: string) {
  const headers = {
    "content-type": "application/json",
    "content-encoding": encoding,
    "x-api-token": await api.createToken(["read"]),
  };
  const response = await fetch(`${api.url}/v1/${endpoint}`, { method: "POST", headers, body });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, code: answer.code, branch: answer.branch };
}

test.each([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["GZIP", gzipSync],
  ["zstd", zstdCompressSync],
  ["identity", (text: string) => Buffer.from(text)],
])("a body with the content encoding %s is accepted", async (encoding, encode) => {
  const body = new Uint8Array(encode(JSON.stringify(api.queue)));
  expect(await postBytes("getQueue", body, encoding)).toMatchObject({ status: 200, branch: "main" });
});

test.each(["br", "deflate", "gzip, identity", "gzip, gzip", "__proto__"])(
  "a body with the content encoding %s gets a 415 response",
  async (encoding) => {
    const answer = await api.post("getQueue", api.queue, { "content-encoding": encoding });
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 415,
      code: "ENCODING_NOT_SUPPORTED",
    });
    expect(answer.headers.get("accept-encoding")).toBe("gzip, zstd");
  },
);

test.each(["gzip", "zstd"])(
  "a body labelled %s that is not compressed, or is cut off, gets a 400 response",
  async (encoding) => {
    const plain = new Uint8Array(Buffer.from(JSON.stringify(api.queue)));
    expect(await postBytes("getQueue", plain, encoding)).toMatchObject({
      status: 400,
      code: "MALFORMED_ENCODING",
    });
    const encode = encoding === "gzip" ? gzipSync : zstdCompressSync;
    const half = new Uint8Array(encode(JSON.stringify(api.queue).padEnd(500))).slice(0, -12);
    expect(await postBytes("getQueue", half, encoding)).toMatchObject({
      status: 400,
      code: "MALFORMED_ENCODING",
    });
  },
);

test.each<[path: string, changes: object]>([
  ["repo", { repo: undefined }],
  ["repo", { repo: "acme/widgets" }],
  ["targetBranch", { targetBranch: undefined }],
  ["targetBranch", { targetBranch: "" }],
  ["targetBranch", { targetBranch: "a..b" }],
  ["targetBranch", { targetBranch: "a\0b" }],
  ["targetBranch", { targetBranch: "a\ud800b" }],
  ["targetBranch", { targetBranch: "x".repeat(256) }],
  ["targetBranch", { targetBranch: 5 }],
])("a body is invalid at %s: %p", async (path, changes) => {
  const { status, body } = await api.post("getQueue", { ...api.queue, ...changes });
  expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path }] });
  expect(body.detail).toContain(path);
});

test.each<[path: string, changes: object]>([
  ["repo.host", { host: "" }],
  ["repo.host", { host: "https://github.com" }],
  ["repo.owner", { owner: undefined }],
  ["repo.owner", { owner: "acme/widgets" }],
  ["repo.owner", { owner: ".." }],
  ["repo.name", { name: null }],
  ["repo.name", { name: "../x" }],
  ["repo.name", { name: "a b" }],
])("a body is invalid at %s: %p", async (path, changes) => {
  const { status, body } = await api.post("getQueue", {
    ...api.queue,
    repo: { ...api.queue.repo, ...changes },
  });
  expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path }] });
});

test.each<[path: string, endpoint: string, changes: object]>([
  ["pr", "submitPullRequest", {}],
  ["pr.number", "submitPullRequest", { pr: {} }],
  ["pr.number", "submitPullRequest", { pr: { number: 0 } }],
  ["pr.number", "submitPullRequest", { pr: { number: "0x10" } }],
  ["pr.number", "submitPullRequest", { pr: { number: "4294967296" } }],
  ["pr.number", "submitPullRequest", { pr: { number: 1.5 } }],
  ["pr.sha", "submitPullRequest", { pr: { number: 1, sha: "abc" } }],
  ["noBatch", "submitPullRequest", { pr: { number: 1 }, noBatch: "yes" }],
  ["via", "submitPullRequest", { pr: { number: 1 }, via: "telepathy" }],
  ["actor.login", "cancelPullRequest", { pr: { number: 1 }, actor: {} }],
  ["pr", "getSubmittedPullRequest", { pr: {} }],
  ["pr", "getSubmittedPullRequest", { pr: { number: 1, branch: "feature" } }],
  ["pr.branch", "getSubmittedPullRequest", { pr: { branch: "" } }],
  ["pr.sha", "setImpactedTargets", { pr: { number: 1, sha: "abcdef0" }, impactedTargets: [] }],
])("a body is invalid at %s: %s %p", async (path, endpoint, changes) => {
  const { status, body } = await api.post(endpoint, { ...api.queue, ...changes });
  expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path }] });
});

/** Nested lists in an unknown field. */
/** A valid body for getSubmittedPullRequest, whose field includeTimeline accepts any value. */
const withIgnored = (value: string) =>
  `${JSON.stringify({ ...api.queue, pr: { number: 1 } }).slice(0, -1)},"includeTimeline":${value}}`;

const nested = (levels: number) => withIgnored(`${"[".repeat(levels)}${"]".repeat(levels)}`);

describe.each([
  ["a small body", (text: string) => text],
  ["a large body", (text: string) => text.padEnd(100_000)],
])("%s", (_what, sized) => {
  test("is accepted with 60 levels of nesting, and rejected with 65", async () => {
    const accepted = await api.post("getSubmittedPullRequest", sized(nested(60)));
    expect(accepted.body.code).toBe("NEVER_SUBMITTED");
    const { status, body } = await api.post("getSubmittedPullRequest", sized(nested(65)));
    expect({ status, code: body.code }).toEqual({ status: 400, code: "BODY_TOO_COMPLEX" });
  });

  test("may contain any number of brackets in its strings", async () => {
    const brackets = `${"[".repeat(500)}\\"${"{".repeat(500)}\\\\`;
    const text = sized(withIgnored(JSON.stringify(brackets)));
    expect((await api.post("getSubmittedPullRequest", text)).body.code).toBe("NEVER_SUBMITTED");
  });

  test("that is invalid gets the same error messages", async () => {
    const text = sized(JSON.stringify({ ...api.queue, targetBranch: 5 }));
    const { status, body } = await api.post("getQueue", text);
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [{ path: "targetBranch", message: "must be a string, not a number" }],
    });
    expect((await api.post("getQueue", sized("{"))).body.code).toBe("MALFORMED_JSON");
  });
});

test("a body with far too many values is rejected", async () => {
  const text = withIgnored(`[${Array(1_200_000).fill("{}").join(",")}]`);
  const { status, body } = await api.post("getSubmittedPullRequest", text);
  expect({ status, code: body.code }).toEqual({ status: 400, code: "BODY_TOO_COMPLEX" });
});

test("a body with very many errors gets a response with only 20 of them", async () => {
  const faults = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, 1]));
  const { status, body } = await api.post("updateQueue", { ...api.queue, ...faults });
  expect(status).toBe(400);
  expect(body.errors).toHaveLength(20);
  expect(JSON.stringify(body).length).toBeLessThan(20_000);
});
