import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { ServiceProcess, serviceEnvironment } from "../../tools/lab/service/service-process.ts";

import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";

let sandbox: Sandbox;
let directory: string;
let other: Server;

beforeEach(async () => {
  sandbox = await startSandbox();
  directory = await mkdtemp(join(tmpdir(), "trainyard-process-"));
  other = createServer((_, response) => response.end("ready"));
});

afterEach(async () => {
  other.close();
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

test("a service whose port is taken by another one fails to start instead of treating that one as itself", async () => {
  const port = await freePort();
  await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
  const environment = serviceEnvironment(sandbox, port, `sqlite:${join(directory, "trainyard.db")}`);
  const service = new ServiceProcess(environment, join(directory, "service.log"));
  try {
    await expect(service.start()).rejects.toThrow(/EADDRINUSE/);
  } finally {
    await service.stop();
  }
});
