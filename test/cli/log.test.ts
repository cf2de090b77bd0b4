import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createLog } from "../../src/cli/log.ts";
import { AppClient } from "../../src/github/client/app-client.ts";
import { toCodeHostError } from "../../src/github/client/code-host-error.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";

let directory: string;
let file: number;
let sandbox: Sandbox;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "trainyard-log-"));
  file = openSync(join(directory, "log"), "w");
  sandbox = await startSandbox({});
  await sandbox.createRepository({ owner: "acme", name: "widgets", files: { "README.md": "# Widgets\n" } });
});
afterEach(async () => {
  await sandbox.close();
  closeSync(file);
  rmSync(directory, { recursive: true });
});

const logged = () => readFileSync(join(directory, "log"), "utf8");

/** Returns a token of about 520 characters, and the error of a request that was made with it. */
async function failWithToken() {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const { id: appId, privateKey } = sandbox.app;
  const client = new AppClient({ appId, privateKey, apiUrl: `${sandbox.url}/api/v3` }, silent);
  const at = { owner: "acme", repo: "widgets" };
  const { data: installation } = await client.app.rest.apps.getRepoInstallation(at);
  const octokit = client.installation(installation.id);
  const { token } = (await octokit.auth({ type: "installation" })) as { token: string };
  const { token: jwt } = (await client.app.auth({ type: "app" })) as { token: string };
  const error: unknown = await octokit.rest.pulls.get({ ...at, pull_number: 404 }).catch((thrown) => thrown);
  return { token, jwt, error };
}

for (const logFormat of ["json", "pretty"] as const) {
  test(`no part of an installation token of about 520 characters is logged as ${logFormat}, wherever it occurs`, async () => {
    const { token, jwt, error } = await failWithToken();
    expect(token.length).toBeGreaterThan(500);
    const log = createLog({ logLevel: "debug", logFormat }, file);
    log.warn({ err: error }, "an error of Octokit");
    log.warn({ err: toCodeHostError(error) }, "a classified error");
    log.warn(
      { err: new Error(`fatal: unable to access https://x-access-token:${token}@h/`) },
      "in a message",
    );
    log.warn({ err: { message: "m", cause: { headers: { authorization: `token ${token}` } } } }, "a cause");
    log.warn({ headers: { authorization: `bearer ${jwt}` }, inner: [token] }, `in a text:\n${token}`);
    log.child({ token }).info("in a field of a child");
    log.warn(`cut off: ${token.slice(0, 300)}`);
    const text = logged();
    expect(text).toMatch(/a classified error[\s\S]*in a field of a child/);
    for (const secret of [...token.split("."), ...jwt.split(".").slice(1)])
      for (const part of [secret.slice(-20), secret.slice(-60, -30)])
        if (part.length >= 20) expect(text).not.toContain(part);
    if (logFormat === "json") for (const line of text.trim().split("\n")) JSON.parse(line);
  });
}

test("text that only resembles a token is logged unchanged", () => {
  const log = createLog({ logLevel: "info", logFormat: "json" }, file);
  const branch = "trainyard-merge/pr-7/ghs_short";
  log.info(
    { branch, sha: "0123456789abcdef0123456789abcdef01234567" },
    "high_speed_rail_through_the_mountains",
  );
  expect(JSON.parse(logged())).toMatchObject({
    branch,
    sha: "0123456789abcdef0123456789abcdef01234567",
    msg: "high_speed_rail_through_the_mountains",
  });
});
