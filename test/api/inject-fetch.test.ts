import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { acceptJson } from "../../src/api/bodies/accept-json.ts";
import { botBudget } from "../../src/api/bodies/body-budget.ts";
import { createHttpServer } from "../../src/api/http-server.ts";
import { injectFetch } from "../../src/api/inject-fetch.ts";
import { createClient, type TrainyardClient } from "../../src/client/client.ts";

const queue = { repo: { host: "github.com", owner: "acme", name: "widgets" }, targetBranch: "main" };

let app: FastifyInstance;
let client: TrainyardClient;

beforeEach(() => {
  app = createHttpServer({ log: pino({ level: "silent" }) });
  acceptJson(app, {
    limit: 1_000,
    optionsOf: () => ({ budget: botBudget() }),
    read: (_request, body) => JSON.parse(Buffer.from(body).toString()),
  });
  client = clientWith({});
});
afterEach(() => app.close());

function clientWith(options: { timeoutMs?: number }): TrainyardClient {
  return createClient({ baseUrl: "http://trainyard", token: "t", fetch: injectFetch(app), ...options });
}

test("a client in the same process reaches the server without a socket", async () => {
  app.post("/v1/deleteQueue", async ({ headers, body }) => ({ token: headers["x-api-token"], body }));
  expect(await client.deleteQueue(queue)).toEqual({ token: "t", body: queue });
  expect(app.server.listening).toBe(false);
});

test("a rejected request is an error of the client, as over the network", async () => {
  await expect(client.getQueue(queue)).rejects.toMatchObject({ status: 404, code: "PATH_NOT_FOUND" });
});

test("a response that takes longer than the timeout is an error", async () => {
  app.post("/v1/getQueue", () => new Promise(() => {}));
  await expect(clientWith({ timeoutMs: 50 }).getQueue(queue)).rejects.toMatchObject({
    name: "NetworkError",
    kind: "timeout",
  });
});

test("a closed server is a network error", async () => {
  await app.ready();
  await app.close();
  await expect(client.getQueue(queue)).rejects.toMatchObject({ name: "NetworkError", kind: "network" });
});
