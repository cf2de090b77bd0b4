import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { client } from "../sandbox/scene.ts";
import { type Api, startApi } from "./api-harness.ts";

const limit = 20 * 1024 * 1024;

let api: Api;
/** The head SHA of #1. */
let sha: string;
let token: string;

beforeAll(async () => {
  api = await startApi();
  token = await api.createToken(["admin"]);
  await api.post("createQueue", api.queue);
  const alice = api.sandbox.createUser({ login: "alice", permission: "write" });
  ({ sha } = await openPull(client(api.sandbox, alice.token), "feature", { "a.txt": "1" }));
});
afterAll(() => api.close());

/** The body of an upload with exactly the given number of bytes, most of which are targets. */
function uploadOf(bytes: number): string {
  const targets = Array.from({ length: 300_000 }, (_, index) => `//some/package/with/a/path:target_${index}`);
  return JSON.stringify({ ...api.queue, pr: { number: 1, sha }, impactedTargets: targets }).padEnd(bytes);
}

/** A body of the given size that every endpoint accepts. */
function padded(bytes: number): string {
  return JSON.stringify(api.queue).padEnd(bytes);
}

const send = (body: RequestInit["body"], more: object = {}) =>
  fetch(`${api.url}/v1/setImpactedTargets`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-token": token },
    body: body ?? null,
    ...more,
  });

/** Sends the body in chunks, without a content length. */
const inPieces = (text: string) => send(ReadableStream.from([Buffer.from(text)]), { duplex: "half" });

describe("a body of exactly 20 MiB", () => {
  test.each([
    ["sent at once", send],
    ["sent in pieces", inPieces],
  ])("is accepted when it is %s", async (_how, sendIt) => {
    const body = uploadOf(limit);
    expect(Buffer.byteLength(body)).toBe(limit);
    const response = await sendIt(body);
    expect({ status: response.status, ...((await response.json()) as object) }).toEqual({
      status: 200,
      prNumber: 1,
      prSha: sha,
      targetsCount: 300_000,
    });
  });
});

describe("a body of 20 MiB and one byte", () => {
  test.each([
    ["sent at once", send],
    ["sent in pieces", inPieces],
  ])("gets 413 with advice when it is %s", async (_how, sendIt) => {
    const response = await sendIt(uploadOf(limit + 1));
    expect(await response.json()).toMatchObject({
      status: 413,
      code: "BODY_TOO_LARGE",
      detail: expect.stringMatching(/20971520.*impactedTargets: "ALL"/),
    });
    expect(response.status).toBe(413);
  });
});

describe.each([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
] as const)("a body compressed with %s", (encoding, encode) => {
  const sendEncoded = (body: Buffer) =>
    fetch(`${api.url}/v1/getQueue`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": encoding, "x-api-token": token },
      body: new Uint8Array(body),
    });

  test("is accepted if it decompresses to exactly 20 MiB, and rejected with one byte more", async () => {
    expect((await sendEncoded(encode(padded(limit)))).status).toBe(200);
    const more = await sendEncoded(encode(padded(limit + 1)));
    expect(await more.json()).toMatchObject({
      status: 413,
      code: "BODY_TOO_LARGE",
      detail: expect.stringMatching(/20971520.*impactedTargets: "ALL"/),
    });
  });

  test("is not decompressed beyond the limit", async () => {
    // Both formats allow a sequence of compressed parts. This one decompresses to 10 GiB of zeros.
    const bomb = Buffer.concat(Array(640).fill(encode(Buffer.alloc(16 * 1024 * 1024))));
    const before = process.memoryUsage.rss();
    let most = before;
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 5);
    const response = await sendEncoded(bomb);
    clearInterval(watching);
    expect(response.status).toBe(413);
    expect(most - before).toBeLessThan(100_000_000);
  });
});

test("the size limit of a body counts bytes, not characters", async () => {
  const text = JSON.stringify({
    ...api.queue,
    pr: { number: 1, sha },
    impactedTargets: ["é".repeat(1_000)],
  });
  const body = text.padEnd(limit);
  expect(body.length).toBe(limit);
  expect((await send(body)).status).toBe(413);
});

test("a body that does not end gets a response as soon as it is too large", async () => {
  const piece = Buffer.alloc(1024 * 1024, " ");
  const headers = { "content-type": "application/json", "x-api-token": token };
  const sending = request(`${api.url}/v1/setImpactedTargets`, { method: "POST", headers });
  const answered = once(sending, "response");
  let status = 0;
  void answered.then(([response]: IncomingMessage[]) => {
    status = response?.statusCode ?? 0;
  });
  let pieces = 0;
  for (; status === 0 && pieces < 200; pieces++) {
    if (!sending.write(piece)) await Promise.race([once(sending, "drain"), answered]);
  }
  expect(status).toBe(413);
  sending.on("error", () => {}).destroy();
});

test("a client that sends its whole body before it reads still receives the 413 response", async () => {
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1").pause();
  const head = [
    "POST /v1/setImpactedTargets HTTP/1.1",
    "host: trainyard",
    "content-type: application/json",
    `x-api-token: ${token}`,
    `content-length: ${2 * limit}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const sent = Promise.withResolvers<void>();
  socket.on("error", sent.reject).write(Buffer.alloc(2 * limit, " "), () => sent.resolve());
  await sent.promise;
  const [answer] = await once(socket.resume(), "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});

test("getQueue has the same size limit as uploads", async () => {
  expect((await api.post("getQueue", padded(limit))).status).toBe(200);
  expect((await api.post("getQueue", padded(limit + 1))).status).toBe(413);
});

describe("impacted targets", () => {
  const upload = (impactedTargets: unknown) =>
    api.post("setImpactedTargets", { ...api.queue, pr: { number: "1", sha }, impactedTargets });

  test.each<[what: string, targets: unknown, count: number | "ALL"]>([
    ["ALL", "ALL", "ALL"],
    ["IMPACTS_ALL", "IMPACTS_ALL", "ALL"],
    ["none", [], 0],
    ["some, one of them twice", ["//a:b", "//a:b", "", "ünïcode"], 3],
    ["one of 4,096 bytes", ["x".repeat(4_096)], 1],
  ])("given as %s are stored", async (_what, targets, targetsCount) => {
    expect(await upload(targets)).toMatchObject({ status: 200, body: { targetsCount } });
  });

  test.each<[what: string, targets: unknown, path: string]>([
    ["that are missing", undefined, "impactedTargets"],
    ["that are a word but ALL", "all", "impactedTargets"],
    ["that are an object", {}, "impactedTargets"],
    ["with a number", ["a", 1], "impactedTargets[1]"],
    ["with null", ["a", "b", null], "impactedTargets[2]"],
    ["with a NUL", ["a\0b"], "impactedTargets[0]"],
    ["with one of 4,097 bytes", ["a", "x".repeat(4_097)], "impactedTargets[1]"],
    ["with one of 4,098 bytes in 2,049 characters", ["é".repeat(2_049)], "impactedTargets[0]"],
  ])("%s are rejected with the path of the error", async (_what, targets, path) => {
    const { status, body } = await upload(targets);
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path }] });
  });

  test("of the wrong type are rejected with at most ten errors", async () => {
    const { status, body } = await upload(Array(2_000_000).fill(1));
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(10);
  });
});
