import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { parseSettings } from "../src/settings.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString().trim();
const app = { APP_ID: "17", PRIVATE_KEY: pem, WEBHOOK_SECRET: "a long random one" };

function issuesOf(env: Record<string, string>) {
  const parsed = parseSettings(env);
  return "issues" in parsed
    ? Object.fromEntries(parsed.issues.map((issue) => [issue.variable, issue.problem]))
    : {};
}

function settingsOf(env: Record<string, string>) {
  const parsed = parseSettings(env, (path) => (path === "key.pem" ? pem : raise(path)));
  return "settings" in parsed ? parsed.settings : raise(JSON.stringify(parsed.issues));
}

describe("the environment", () => {
  test("may be empty: then there is no App yet, and everything else has a default", () => {
    expect(settingsOf({})).toMatchObject({
      app: null,
      port: 3000,
      dashboard: "token",
      github: { host: "github.com", apiUrl: "https://api.github.com" },
    });
  });

  test.each([
    ["as it is", { PRIVATE_KEY: pem }],
    ["with escaped line ends", { PRIVATE_KEY: pem.replaceAll("\n", "\\n") }],
    ["in quotes, as Probot writes it", { PRIVATE_KEY: `"${pem.replaceAll("\n", "\\n")}"` }],
    ["in base64", { PRIVATE_KEY: Buffer.from(pem).toString("base64") }],
    ["in a file", { PRIVATE_KEY: "", PRIVATE_KEY_PATH: "key.pem" }],
  ])("takes a private key %s", (_how, key) => {
    expect(settingsOf({ ...app, ...key }).app).toEqual({
      id: 17,
      privateKey: pem,
      webhookSecrets: ["a long random one"],
    });
  });

  test("takes a second webhook secret while the first is being rotated", () => {
    const { app: read } = settingsOf({ ...app, WEBHOOK_SECRET_PREVIOUS: "the old one" });
    expect(read?.webhookSecrets).toEqual(["a long random one", "the old one"]);
  });

  test("names a GitHub Enterprise Server as Probot does", () => {
    expect(settingsOf({ ...app, GHE_HOST: "github.acme.example" }).github).toEqual({
      host: "github.acme.example",
      webUrl: "https://github.acme.example",
      apiUrl: "https://github.acme.example/api/v3",
    });
  });
});

describe("a faulty environment is refused", () => {
  test("without a webhook secret, saying what to set", () => {
    expect(issuesOf({ ...app, WEBHOOK_SECRET: "" })).toEqual({
      WEBHOOK_SECRET: expect.stringContaining("is missing; set the secret that the App's settings page"),
    });
  });

  test('with the webhook secret "development", which everybody knows', () => {
    expect(issuesOf({ ...app, WEBHOOK_SECRET: "development" })).toEqual({
      WEBHOOK_SECRET: expect.stringContaining("everybody knows"),
    });
  });

  test("with everything that is wrong, at once", () => {
    const issues = issuesOf({
      PORT: "http",
      GHE_PROTOCOL: "ftp",
      APP_ID: "17",
      PRIVATE_KEY: "no key",
      TRAINYARD_API_URL: "https://queue.example",
      TRAINYARD_COMMAND_PREFIX: "trainyard",
      TRAINYARD_RECONCILE_MS: "0",
    });
    expect(Object.keys(issues).sort()).toEqual([
      "GHE_PROTOCOL",
      "PORT",
      "PRIVATE_KEY",
      "TRAINYARD_API_TOKEN",
      "TRAINYARD_COMMAND_PREFIX",
      "TRAINYARD_RECONCILE_MS",
      "WEBHOOK_SECRET",
    ]);
  });

  test("with a key file that cannot be read", () => {
    const issues = issuesOf({ ...app, PRIVATE_KEY: "", PRIVATE_KEY_PATH: "/nowhere/key.pem" });
    expect(issues).toEqual({ PRIVATE_KEY_PATH: expect.stringContaining("cannot be read") });
  });
});

function raise(message: string): never {
  throw new Error(message);
}
