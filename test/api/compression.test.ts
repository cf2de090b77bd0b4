import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodingFor } from "../../src/api/send-answer.ts";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;
let token: string;

beforeAll(async () => {
  api = await startApi();
  await api.post("createQueue", api.queue);
  token = await api.createToken(["read"]);
});
afterAll(() => api.close());

/** Requests with node:http, because `fetch` would decompress the response. */
async function get(path: string, accepted: string | null) {
  const { request } = await import("node:http");
  const headers = { "x-api-token": token, ...(accepted === null ? {} : { "accept-encoding": accepted }) };
  const { promise, resolve, reject } = Promise.withResolvers<{
    headers: Record<string, unknown>;
    body: Buffer;
  }>();
  const sending = request(api.url + path, { headers }, async (response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    resolve({ headers: response.headers, body: Buffer.concat(chunks) });
  });
  sending.on("error", reject).end();
  return promise;
}

describe("a large response", () => {
  test.each([
    ["/v1/getMergeQueueMetrics", "gzip, deflate", "gzip"],
    ["/openapi.json", "gzip", "gzip"],
    ["/openapi.json", "zstd, gzip", "zstd"],
  ])("of %s is compressed for a client that accepts %s", async (path, accepted, encoding) => {
    const plain = await get(path, null);
    expect(plain.headers).toMatchObject({ vary: "accept-encoding" });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const { headers, body } = await get(path, accepted);
    expect(headers).toMatchObject({
      "content-encoding": encoding,
      vary: "accept-encoding",
      "content-type": plain.headers["content-type"],
    });
    const text = (encoding === "gzip" ? gunzipSync(body) : zstdDecompressSync(body)).toString();
    if (path === "/openapi.json") expect(text).toBe(plain.body.toString());
    expect(text.length).toBeGreaterThan(4 * body.length);
  });

  test("of the metrics endpoint keeps its content type when compressed", async () => {
    const { headers } = await get("/v1/getMergeQueueMetrics", "gzip");
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  });
});

test("a small response is not compressed", async () => {
  const { headers } = await get("/healthz", "gzip");
  expect(headers["content-encoding"]).toBeUndefined();
});

test.each([
  [undefined, null],
  ["", null],
  ["identity", null],
  ["br", null],
  ["gzip;q=0", null],
  ["gzip;q=0, *", "zstd"],
  ["GZIP", "gzip"],
  ["zstd;q=0.1, gzip;q=0.9", "gzip"],
  ["*", "zstd"],
])("for the header accept-encoding %s, the encoding %s is used", (accepted, encoding) => {
  expect(encodingFor(accepted)).toBe(encoding);
});
