import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { callThisMachineDirectly } from "../../src/cli/proxies.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { startProxy } from "../action/scripted-service.ts";
import { parseDocumented } from "./documented.ts";
import { Trainyard } from "./run-trainyard.ts";

let directory: string;
let sandbox: Sandbox;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let service: Trainyard;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-proxy-"));
  sandbox = await startSandbox();
  proxy = await startProxy(sandbox.url);
});
afterEach(async () => {
  service.child.kill("SIGKILL");
  await service.finished;
  await proxy.close();
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

async function serve(env: Record<string, string>): Promise<string> {
  const own = { PORT: "0", HOST: "127.0.0.1", LOG_FORMAT: "json" };
  service = new Trainyard(["serve"], { ...sandbox.env, ...own, ...env }, directory);
  const [, url = ""] = await service.says(/"url":"(http:[^"]+)"/);
  // GitHub has answered then.
  await service.says(/Trainyard is ready: the GitHub App/);
  return url;
}

test("the service calls GitHub through the proxy of HTTP_PROXY, and says so without its password", async () => {
  await serve({ HTTP_PROXY: proxy.url.replace("//", "//me:hunter2@") });
  expect(new Set(proxy.asked)).toEqual(new Set([sandbox.host]));
  expect(service.err).toContain("through the proxy that the environment names");
  expect(service.err).not.toContain("hunter2");
});

test("an address of a proxy without a scheme is one of HTTP, as for curl", async () => {
  await serve({ HTTP_PROXY: proxy.url.replace("http://", "") });
  expect(new Set(proxy.asked)).toEqual(new Set([sandbox.host]));
});

test("the service does not start with an address of a proxy that cannot be used", async () => {
  const own = { PORT: "0", HOST: "127.0.0.1", LOG_FORMAT: "json", HTTPS_PROXY: "socks5://127.0.0.1:1080" };
  service = new Trainyard(["serve"], { ...sandbox.env, ...own }, directory);
  const { code, err } = await service.finished;
  expect(code).toBe(1);
  expect(err).toMatch(/"code":"PROXY_INVALID".*HTTPS_PROXY must be an address such as http:/);
});

test("the service calls hosts of NO_PROXY directly", async () => {
  await serve({ HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1" });
  expect(proxy.asked).toEqual([]);
});

test("trainyard health asks the service directly", async () => {
  const url = await serve({ HTTP_PROXY: proxy.url });
  const own = { HOST: "127.0.0.1", PORT: new URL(url).port };
  const env = { ...own, HTTP_PROXY: "http://127.0.0.1:9", NODE_USE_ENV_PROXY: "1" };
  const { code, out, err } = await new Trainyard(["health"], env, directory).finished;
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(parseDocumented("health", out)).toMatchObject({ status: "ok" });
  expect(proxy.asked).not.toContain(new URL(url).host);
});

test("what the demo starts on this machine is never called through a proxy", async () => {
  const env = { no_proxy: "corp.example", HTTP_PROXY: proxy.url };
  callThisMachineDirectly(env);
  expect(env).toMatchObject({
    no_proxy: "corp.example,127.0.0.1,localhost",
    NO_PROXY: "corp.example,127.0.0.1,localhost",
  });
  await serve(env);
  expect(proxy.asked).toEqual([]);
});
