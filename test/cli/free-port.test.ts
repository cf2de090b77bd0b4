import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";

const most = 250;

test("no port is returned twice, also by two processes, although nobody listens on it", async () => {
  const script = `
    import { freePort } from ${JSON.stringify(new URL("../../src/cli/free-port.ts", import.meta.url))};
    for (let count = 0; count < ${most}; count++) console.log(await freePort());
    await new Promise((resolve) => process.stdin.once("end", resolve).resume());`;
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script];
  const other = promisify(execFile)(process.execPath, args);
  const ours: number[] = [];
  for (let count = 0; count < most; count++) ours.push(await freePort());
  other.child.stdin?.end();
  const theirs = (await other).stdout.trim().split("\n").map(Number);
  expect(theirs).toHaveLength(most);
  expect(new Set([...ours, ...theirs]).size).toBe(2 * most);
});

test("a server can listen on the port, and again after it has closed", async () => {
  const port = await freePort();
  for (let count = 0; count < 2; count++) {
    const server = createServer().listen(port, "127.0.0.1");
    await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject));
    await new Promise((resolve) => server.close(resolve));
  }
});
