import { expect, test } from "@jest/globals";
import type * as z from "zod";
import type { Endpoints } from "../../src/api/endpoints.ts";
import { openApiDocument } from "../../src/api/openapi/document.ts";
import { createClient, type TrainyardClient } from "../../src/client/client.ts";
import type { Api } from "../../src/client/generated/api.ts";
import { startScripted } from "./scripted-server.ts";

const { paths } = openApiDocument() as {
  paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
};
const documented = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({
    method: method.toUpperCase(),
    path,
    operationId,
  })),
);

test("the client has exactly one method for each documented operation, which calls its path", async () => {
  const server = await startScripted({ status: 200, headers: { "content-type": "text/plain" }, body: "{}" });
  const client = createClient({ baseUrl: server.url, token: "t" });
  const names = Object.keys(client) as (keyof TrainyardClient)[];
  expect(names.toSorted()).toEqual(documented.map(({ operationId }) => operationId).toSorted());
  for (const { method, path, operationId } of documented) {
    await (client[operationId as keyof TrainyardClient] as (request: object) => Promise<unknown>)({});
    expect(server.requests.at(-1)).toMatchObject({ method, path: expect.stringMatching(`^${path}\\??$`) });
  }
  await server.close();
});

test("metrics are requested with a query and returned as text, and a response of another type is an error", async () => {
  const text = { status: 200, headers: { "content-type": "text/plain; version=0.0.4" }, body: "up 1\n" };
  const page = { status: 200, headers: { "content-type": "text/html" }, body: "<html>" };
  const server = await startScripted(text, page);
  const client = createClient({ baseUrl: server.url, token: "t" });
  expect(await client.getMergeQueueMetrics({ repo: "acme/widgets", repoHost: "github.com" })).toBe("up 1\n");
  expect(server.requests[0]).toMatchObject({
    method: "GET",
    path: "/v1/getMergeQueueMetrics?repo=acme%2Fwidgets&repoHost=github.com",
    headers: { "x-api-token": "t" },
  });
  await expect(client.getMergeQueueMetrics()).rejects.toMatchObject({ name: "ApiError", code: null });
  await server.close();
});

/** The schemas that the service validates requests with and creates responses from. */
type Served = {
  [Name in keyof Endpoints]: {
    request: z.input<Endpoints[Name]["body"]>;
    answer: z.output<Endpoints[Name]["answer"]>;
  };
};

/** Ignores the difference between mutable and readonly lists. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [Key in keyof T]: Plain<T[Key]> }
    : T;

test("the client's types equal those of the service", () => {
  // The compiler checks this: each type must be assignable to the other.
  const asClient = (served: Plain<Served>): Plain<Api> => served;
  const asServed = (api: Plain<Api>): Plain<Served> => api;
  expect([asClient, asServed]).toHaveLength(2);
});
