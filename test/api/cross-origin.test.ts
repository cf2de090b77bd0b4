import { afterEach, expect, test } from "@jest/globals";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;

afterEach(() => api.close());

const page = "https://ci.example.com";

function preflight(origin: string, path = "/v1/getQueue"): Promise<Response> {
  const headers = {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,x-api-token",
  };
  return fetch(api.url + path, { method: "OPTIONS", headers });
}

test("pages of configured origins may call the API", async () => {
  api = await startApi({ corsOrigins: [page] });
  const asked = await preflight(page);
  expect(asked.status).toBe(204);
  expect(asked.headers.get("access-control-allow-origin")).toBe(page);
  expect(asked.headers.get("access-control-allow-methods")).toContain("POST");
  expect(asked.headers.get("access-control-allow-headers")).toMatch(/content-type.*x-api-token/);
  const { status, headers } = await api.post("createQueue", api.queue, { origin: page });
  expect([status, headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([
    200,
    page,
    "origin",
  ]);
  const refused = await api.post("getQueue", {}, { origin: page });
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([400, page]);
});

test("pages of other origins may not call the API, and only the API is open to configured origins", async () => {
  api = await startApi({ corsOrigins: [page] });
  for (const [origin, path] of [
    ["https://evil.example", "/v1/getQueue"],
    [page, "/healthz"],
  ] as const) {
    const asked = await preflight(origin, path);
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  }
});

test("no page of another origin may call the API unless an origin is configured", async () => {
  api = await startApi();
  const asked = await preflight(page);
  expect([asked.status, asked.headers.get("access-control-allow-origin"), asked.headers.get("vary")]).toEqual(
    [405, null, null],
  );
});
