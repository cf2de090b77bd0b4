import { generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { parseSettings } from "../src/settings/settings.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString().trim();
const ecKey = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();
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

describe("the settings", () => {
  test("can be empty: then there is no App, and everything else has a default", () => {
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
    ["in single quotes", { PRIVATE_KEY: `'${pem}'` }],
    ["with the line ends of Windows", { PRIVATE_KEY: pem.replaceAll("\n", "\r\n") }],
    ["in one line, with spaces instead of line ends", { PRIVATE_KEY: pem.replaceAll("\n", " ") }],
    ["in a file", { PRIVATE_KEY: "", PRIVATE_KEY_PATH: "key.pem" }],
  ])("accept a private key %s", (_how, key) => {
    expect(settingsOf({ ...app, ...key }).app).toEqual({
      id: 17,
      privateKey: pem,
      webhookSecrets: ["a long random one"],
      oauth: null,
    });
  });

  test("accept each secret in a file that NAME_FILE names, without its last line break", () => {
    const { PRIVATE_KEY: _key, WEBHOOK_SECRET: _secret, ...rest } = app;
    const files: Record<string, string> = { "/key": `${pem}\n`, "/secret": "a long random one\n" };
    const read = (path: string) => files[path] ?? raise(path);
    const env = { ...rest, PRIVATE_KEY_FILE: "/key", WEBHOOK_SECRET_FILE: "/secret" };
    const parsed = parseSettings(env, read);
    expect("settings" in parsed && parsed.settings.app).toEqual({
      id: 17,
      privateKey: pem,
      webhookSecrets: ["a long random one"],
      oauth: null,
    });
  });

  test("refuse a secret that is set twice, and name a file that cannot be read", () => {
    expect(issuesOf({ ...app, WEBHOOK_SECRET_FILE: "/secret", PRIVATE_KEY_FILE: "" })).toEqual({
      WEBHOOK_SECRET_FILE: "contradicts WEBHOOK_SECRET: set only one of them",
    });
    const missing = issuesOf({ TRAINYARD_ENCRYPTION_KEY_FILE: "/nowhere/key" });
    expect(missing.TRAINYARD_ENCRYPTION_KEY_FILE).toMatch(/^cannot be read: .*\/nowhere\/key/);
  });

  test("accept a second webhook secret during a rotation", () => {
    const { app: read } = settingsOf({ ...app, WEBHOOK_SECRET_PREVIOUS: "the old one" });
    expect(read?.webhookSecrets).toEqual(["a long random one", "the old one"]);
  });

  test("accept workflow tokens of the GitHub host's issuer once the service has a public address", () => {
    expect(settingsOf(app).workflowTokens).toBeNull();
    const TRAINYARD_PUBLIC_URL = "https://trainyard.acme.example/";
    expect(settingsOf({ ...app, TRAINYARD_PUBLIC_URL }).workflowTokens).toEqual({
      issuer: "https://token.actions.githubusercontent.com",
      audience: "https://trainyard.acme.example",
      keysUrl: "https://token.actions.githubusercontent.com/.well-known/jwks",
    });
    const server = { ...app, TRAINYARD_PUBLIC_URL, GHE_HOST: "github.acme.example" };
    expect(settingsOf(server).workflowTokens).toMatchObject({
      issuer: "https://github.acme.example/_services/token",
      keysUrl: "https://github.acme.example/_services/token/.well-known/jwks",
    });
    expect(settingsOf({ ...server, TRAINYARD_OIDC: "off" }).workflowTokens).toBeNull();
    const own = {
      TRAINYARD_OIDC_AUDIENCE: "trainyard",
      TRAINYARD_OIDC_ISSUER: "https://issuer.example/acme",
      TRAINYARD_OIDC_KEYS_URL: "https://keys.example/jwks",
    };
    expect(settingsOf({ ...app, ...own }).workflowTokens).toEqual({
      issuer: "https://issuer.example/acme",
      audience: "trainyard",
      keysUrl: "https://keys.example/jwks",
    });
  });

  test("list trusted proxies by address or network, by default none", () => {
    expect(settingsOf(app).trustedProxies).toEqual([]);
    const TRAINYARD_TRUSTED_PROXIES = "loopback, 10.0.0.0/8,2001:db8::/32";
    expect(settingsOf({ ...app, TRAINYARD_TRUSTED_PROXIES }).trustedProxies).toEqual([
      "loopback",
      "10.0.0.0/8",
      "2001:db8::/32",
    ]);
  });

  test("list the origins whose pages may call the API, by default none", () => {
    expect(settingsOf(app).corsOrigins).toEqual([]);
    const TRAINYARD_CORS_ORIGINS = "https://ci.example.com, http://localhost:8080";
    expect(settingsOf({ ...app, TRAINYARD_CORS_ORIGINS }).corsOrigins).toEqual([
      "https://ci.example.com",
      "http://localhost:8080",
    ]);
    expect(settingsOf({ ...app, TRAINYARD_CORS_ORIGINS: "*" }).corsOrigins).toEqual(["*"]);
    for (const wrong of ["ci.example.com", "https://ci.example.com/", "https://*.example.com"])
      expect(Object.keys(issuesOf({ ...app, TRAINYARD_CORS_ORIGINS: wrong }))).toEqual([
        "TRAINYARD_CORS_ORIGINS",
      ]);
  });

  test("keep the audit log for 400 days by default", () => {
    expect(settingsOf(app).auditMs).toBe(400 * 86_400_000);
    expect(settingsOf({ ...app, TRAINYARD_AUDIT_DAYS: "30" }).auditMs).toBe(30 * 86_400_000);
  });

  test("keep test results for 45 days by default, and never for less than detection needs", () => {
    expect(settingsOf(app).testRetentionMs).toBe(45 * 86_400_000);
    expect(settingsOf({ ...app, TRAINYARD_TEST_RETENTION_DAYS: "90" }).testRetentionMs).toBe(90 * 86_400_000);
    expect(Object.keys(issuesOf({ ...app, TRAINYARD_TEST_RETENTION_DAYS: "14" }))).toEqual([
      "TRAINYARD_TEST_RETENTION_DAYS",
    ]);
  });

  test("include the encryption key for secrets, and the previous key", () => {
    const [key, previous] = [randomBytes(32), randomBytes(32)];
    const settings = settingsOf({
      TRAINYARD_ENCRYPTION_KEY: key.toString("base64"),
      TRAINYARD_ENCRYPTION_KEY_PREVIOUS: previous.toString("base64"),
    });
    expect(settings.encryptionKeys).toEqual([key, previous]);
    expect(settingsOf({})).toMatchObject({ encryptionKeys: [], webhooksAllowPrivate: false });
  });

  test.each([
    [{}, [443]],
    [{ TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "true" }, null],
    [{ TRAINYARD_WEBHOOK_PORTS: "443, 8443" }, [443, 8443]],
    [{ TRAINYARD_WEBHOOK_PORTS: "any" }, null],
    [{ TRAINYARD_WEBHOOK_PORTS: "80", TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "true" }, [80]],
  ])("list the ports of webhooks: %j", (environment, ports) => {
    expect(settingsOf(environment).webhookPorts).toEqual(ports);
  });

  test("derive the addresses of a GitHub Enterprise Server, which has no content limit", () => {
    expect(settingsOf({ ...app, GHE_HOST: "github.acme.example" }).github).toEqual({
      host: "github.acme.example",
      webUrl: "https://github.acme.example",
      apiUrl: "https://github.acme.example/api/v3",
      restVersion: "2022-11-28",
      contentBudget: null,
    });
  });

  test.each([
    ["octocorp.ghe.com", "octocorp"],
    ["OctoCorp.GHE.com", "octocorp"],
  ])(
    "derive the addresses of the tenant %s of ghe.com, with the limits of github.com",
    (GHE_HOST, tenant) => {
      const settings = settingsOf({ ...app, GHE_HOST, TRAINYARD_PUBLIC_URL: "https://yard.example" });
      expect(settings.github).toEqual({
        host: `${tenant}.ghe.com`,
        webUrl: `https://${tenant}.ghe.com`,
        apiUrl: `https://api.${tenant}.ghe.com`,
        restVersion: "2022-11-28",
        contentBudget: { perMinute: 80, perHour: 500 },
      });
      expect(settings.workflowTokens).toMatchObject({
        issuer: `https://token.actions.${tenant}.ghe.com`,
        keysUrl: `https://token.actions.${tenant}.ghe.com/.well-known/jwks`,
      });
    },
  );

  test("treat a host that only resembles a tenant's as an Enterprise Server", () => {
    for (const GHE_HOST of ["notghe.com", "ghe.com.acme.example", "a.b.ghe.com"])
      expect(settingsOf({ ...app, GHE_HOST }).github.apiUrl).toBe(`https://${GHE_HOST}/api/v3`);
  });

  test("treat github.com in GHE_HOST as unset", () => {
    expect(settingsOf({ ...app, GHE_HOST: "github.com" }).github).toEqual(settingsOf(app).github);
  });

  test("apply configured content limits on every host", () => {
    const limits = { TRAINYARD_CONTENT_PER_MINUTE: "10", TRAINYARD_CONTENT_PER_HOUR: "0" };
    const budget = { perMinute: 10, perHour: Number.POSITIVE_INFINITY };
    for (const GHE_HOST of ["", "octocorp.ghe.com", "github.acme.example"])
      expect(settingsOf({ ...app, ...limits, GHE_HOST }).github.contentBudget).toEqual(budget);
  });

  test("set the REST version", () => {
    const TRAINYARD_GITHUB_API_VERSION = "2026-03-10";
    expect(settingsOf({ ...app, TRAINYARD_GITHUB_API_VERSION }).github.restVersion).toBe("2026-03-10");
  });
});

describe("the content limit", () => {
  const budgetOf = (environment: Record<string, string>) => settingsOf(environment).github.contentBudget;

  test("is that of github.com by default", () => {
    expect(budgetOf({})).toEqual({ perMinute: 80, perHour: 500 });
    expect(budgetOf({ TRAINYARD_CONTENT_PER_MINUTE: "30" })).toEqual({ perMinute: 30, perHour: 500 });
    expect(budgetOf({ TRAINYARD_CONTENT_PER_HOUR: "0" })).toEqual({
      perMinute: 80,
      perHour: Number.POSITIVE_INFINITY,
    });
  });

  test("is off on an Enterprise Server by default", () => {
    const GHE_HOST = "github.acme.example";
    expect(budgetOf({ GHE_HOST })).toBeNull();
    expect(budgetOf({ GHE_HOST, TRAINYARD_CONTENT_PER_MINUTE: "20" })).toEqual({
      perMinute: 20,
      perHour: Number.POSITIVE_INFINITY,
    });
  });
});

describe("invalid settings are rejected", () => {
  test("without a webhook secret, and the error says what to set", () => {
    expect(issuesOf({ ...app, WEBHOOK_SECRET: "" })).toEqual({
      WEBHOOK_SECRET: expect.stringContaining(
        "is missing; set it to the webhook secret in the App's settings",
      ),
    });
  });

  test.each(["ftp://yard.example", "javascript:alert(1)", "mailto:yard@example.com", "yard.example"])(
    "with the public address %s, which is not an http or https address",
    (TRAINYARD_PUBLIC_URL) => {
      expect(issuesOf({ ...app, TRAINYARD_PUBLIC_URL })).toEqual({
        TRAINYARD_PUBLIC_URL: "must be an address that begins with https:// or http://",
      });
    },
  );

  test("with plain HTTP for a tenant of ghe.com", () => {
    expect(issuesOf({ ...app, GHE_HOST: "octocorp.ghe.com", GHE_PROTOCOL: "http" })).toEqual({
      GHE_PROTOCOL: "must be https for ghe.com; remove it",
    });
  });

  test("with the API's address instead of the host", () => {
    expect(issuesOf({ ...app, GHE_HOST: "api.octocorp.ghe.com" })).toEqual({
      GHE_HOST:
        "must be the host that people open in a browser, octocorp.ghe.com; the API's address follows from it",
    });
    expect(issuesOf({ ...app, GHE_HOST: "https://octocorp.ghe.com/" })).toEqual({
      GHE_HOST: "must be a host, such as octocorp.ghe.com, without a protocol or path",
    });
  });

  test("with an unknown version of GitHub's API", () => {
    expect(Object.keys(issuesOf({ ...app, TRAINYARD_GITHUB_API_VERSION: "2031-01-01" }))).toEqual([
      "TRAINYARD_GITHUB_API_VERSION",
    ]);
  });

  test("with an issuer of workflow tokens but no audience", () => {
    expect(issuesOf({ ...app, TRAINYARD_OIDC_ISSUER: "https://issuer.example" })).toEqual({
      TRAINYARD_OIDC_AUDIENCE: expect.stringContaining("is missing; it is the audience"),
    });
  });

  test("with a trusted proxy that is not an address", () => {
    expect(issuesOf({ ...app, TRAINYARD_TRUSTED_PROXIES: "10.0.0.1, everybody" })).toEqual({
      TRAINYARD_TRUSTED_PROXIES: expect.stringContaining("must be addresses of proxies"),
    });
  });

  test('with the well-known webhook secret "development"', () => {
    expect(issuesOf({ ...app, WEBHOOK_SECRET: "development" })).toEqual({
      WEBHOOK_SECRET: expect.stringContaining("everybody knows"),
    });
  });

  test("with all errors at once", () => {
    const issues = issuesOf({
      PORT: "http",
      GHE_PROTOCOL: "ftp",
      APP_ID: "17",
      PRIVATE_KEY: "no key",
      TRAINYARD_API_URL: "https://queue.example",
      TRAINYARD_COMMAND_PREFIX: "trainyard",
      TRAINYARD_RECONCILE_MS: "0",
      TRAINYARD_ENCRYPTION_KEY: Buffer.alloc(31).toString("base64"),
      TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "yes",
      TRAINYARD_WEBHOOK_PORTS: "443,65536",
    });
    expect(Object.keys(issues).sort()).toEqual([
      "GHE_PROTOCOL",
      "PORT",
      "PRIVATE_KEY",
      "TRAINYARD_API_TOKEN",
      "TRAINYARD_COMMAND_PREFIX",
      "TRAINYARD_ENCRYPTION_KEY",
      "TRAINYARD_RECONCILE_MS",
      "TRAINYARD_WEBHOOK_ALLOW_PRIVATE",
      "TRAINYARD_WEBHOOK_PORTS",
      "WEBHOOK_SECRET",
    ]);
  });

  test.each([
    ["PORT", "http", "must be a number"],
    ["PORT", "70000", "must be at most 65535"],
    ["TRAINYARD_RECONCILE_MS", "1.5", "must be a whole number"],
    ["LOG_LEVEL", "loud", "must be debug, info, warn, error or silent"],
    ["TRAINYARD_API_URL", "queue", "must be an address, such as https://queue.example.com"],
  ])("with %s=%s, in words that say what it must be", (variable, value, problem) => {
    const issues = issuesOf({
      TRAINYARD_API_TOKEN: "ty_x",
      TRAINYARD_API_URL: "https://a.b",
      [variable]: value,
    });
    expect(issues).toEqual({ [variable]: problem });
  });

  test("with the client ID of the App instead of its ID", () => {
    expect(issuesOf({ ...app, APP_ID: "Iv23liABCdef" })).toEqual({
      APP_ID: "must be the App's ID, which is a number, and not its client ID",
    });
  });

  test.each([
    ["that lacks lines", pem.replace(/\n.*\n/, "\n"), /^is damaged or incomplete; copy the whole file/],
    ["of another type", ecKey, /^is a key of the type ec, but the keys of GitHub Apps are of the type rsa$/],
    ["that is public", pem.replaceAll("PRIVATE", "PUBLIC"), /^is not a private key in PEM format/],
  ])("with a key %s", (_which, key, problem) => {
    expect(issuesOf({ ...app, PRIVATE_KEY: key })).toEqual({ PRIVATE_KEY: expect.stringMatching(problem) });
  });

  test("with a key file that cannot be read", () => {
    const issues = issuesOf({ ...app, PRIVATE_KEY: "", PRIVATE_KEY_PATH: "/nowhere/key.pem" });
    expect(issues).toEqual({ PRIVATE_KEY_PATH: expect.stringContaining("cannot be read") });
  });
});

function raise(message: string): never {
  throw new Error(message);
}
