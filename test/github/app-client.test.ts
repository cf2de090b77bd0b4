import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { AppClient } from "../../src/github/client/app-client.ts";
import { readServer } from "../../src/github/doctor/read-fact.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
let sandbox: Sandbox | undefined;
let server: Server | undefined;

afterEach(async () => {
  await sandbox?.close();
  server?.closeAllConnections();
  server?.close();
});

test("the GitHub client still sends requests when its timeout for one answer has passed", async () => {
  sandbox = await startSandbox({});
  const { APP_ID, PRIVATE_KEY } = sandbox.env;
  const credentials = {
    appId: Number(APP_ID),
    privateKey: PRIVATE_KEY ?? "",
    apiUrl: `${sandbox.url}/api/v3`,
  };
  const { app } = new AppClient({ ...credentials, timeoutMs: 5_000 }, log);
  expect((await app.rest.apps.getAuthenticated()).status).toBe(200);
  await sleep(5_500);
  expect((await app.rest.apps.getAuthenticated()).status).toBe(200);
});

test("the GitHub client gives up a request that gets no answer", async () => {
  sandbox = await startSandbox({});
  const { APP_ID, PRIVATE_KEY } = sandbox.env;
  server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { appId: Number(APP_ID), privateKey: PRIVATE_KEY ?? "", apiUrl };
  const { app } = new AppClient({ ...credentials, timeoutMs: 100 }, log);
  await expect(app.rest.apps.getAuthenticated()).rejects.toMatchObject({ status: 500 });
});

test("the facts about the server come from its last answer, also if that is 304 Not Modified", async () => {
  sandbox = await startSandbox({});
  const { APP_ID, PRIVATE_KEY } = sandbox.env;
  const key = { appId: Number(APP_ID), privateKey: PRIVATE_KEY ?? "" };
  const real = new AppClient({ ...key, apiUrl: `${sandbox.url}/api/v3` }, log);
  const { data: ours } = await real.app.rest.apps.getAuthenticated();
  const answers = [
    { status: 200, date: "Sun, 22 Nov 2026 07:00:00 GMT", version: "3.16.0" },
    { status: 304, date: "Sun, 22 Nov 2026 08:00:00 GMT", version: "3.17.0" },
    { status: 304, date: "", version: "3.17.0" },
  ];
  server = createServer((_request, response) => {
    const { status = 500, date, version } = answers.shift() ?? {};
    response.sendDate = false;
    if (date) response.setHeader("date", date);
    response.writeHead(status, {
      etag: '"1"',
      link: '<http://localhost/>; rel="next"',
      "content-type": "application/json",
      "x-github-enterprise-version": version,
    });
    response.end(status === 200 ? JSON.stringify(ours) : undefined);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { app } = new AppClient({ ...key, apiUrl }, log);
  expect(await readServer(app)).toMatchObject({
    date: Date.UTC(2026, 10, 22, 7),
    enterpriseVersion: "3.16.0",
  });
  expect(await readServer(app)).toMatchObject({
    date: Date.UTC(2026, 10, 22, 8),
    enterpriseVersion: "3.17.0",
  });
  const { data, headers } = await app.rest.apps.getAuthenticated();
  expect({ data, link: headers.link, date: headers.date }).toEqual({
    data: ours,
    link: '<http://localhost/>; rel="next"',
    date: undefined,
  });
});

test.each([
  ["https://api.github.com", "https://api.github.com/app", "https://api.github.com/graphql"],
  ["https://api.octo.ghe.com", "https://api.octo.ghe.com/app", "https://api.octo.ghe.com/graphql"],
  ["https://ghe.example/api/v3", "https://ghe.example/api/v3/app", "https://ghe.example/api/graphql"],
])("the GitHub client for %s uses the right addresses of REST and GraphQL", async (apiUrl, rest, graphql) => {
  const { app } = new AppClient({ appId: 1, privateKey: "none", apiUrl }, log);
  const asked: string[] = [];
  app.hook.wrap("request", (_request, options) => {
    asked.push(app.request.endpoint(options).url);
    throw new Error("not sent");
  });
  await expect(app.rest.apps.getAuthenticated()).rejects.toThrow("not sent");
  await expect(app.graphql("{ viewer { login } }")).rejects.toThrow("not sent");
  expect(asked).toEqual([rest, graphql]);
});
