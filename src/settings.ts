import { readFileSync } from "node:fs";
import * as z from "zod";

/** Everything that the environment decides. */
export interface Settings extends WebhookSettings {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  readonly logFormat: "json" | "pretty";
  /** Where people and GitHub reach this service; null = only locally. */
  readonly publicUrl: string | null;
  readonly webhookPath: string;
  readonly github: { readonly host: string; readonly apiUrl: string; readonly webUrl: string };
  readonly app: AppSettings | null;
  readonly commandPrefix: string;
  readonly submitLabel: string;
  readonly testBranchPrefix: string;
  readonly scratchBranchPrefix: string;
  /** `token`: the dashboard asks for an API token; `public`: anybody who reaches it may look. */
  readonly dashboard: "token" | "public";
  /** The queue that the bot serves when it runs elsewhere; null = this process. */
  readonly remoteApi: { readonly url: string; readonly token: string } | null;
  /** Whether lost commands are looked for here; not where another process serves them (`remoteApi`). */
  readonly pollCommands: boolean;
  /** Requests a second that an organisation may send to the API; null = as many as it likes. */
  readonly requestsPerSecond: number | null;
  /** The tokens of GitHub Actions that are accepted in place of an API token; null = none are. */
  readonly workflowTokens: WorkflowTokenSettings | null;
  /** Addresses of proxies that are believed about where a request comes from. */
  readonly trustedProxies: readonly string[];
  /** How long it is kept who did what. */
  readonly auditMs: number;
  /** How long it is kept what tests came to. */
  readonly testRetentionMs: number;
  readonly reconcileMs: number;
  readonly publishMs: number;
  readonly mergeabilityMs: number;
  readonly leaseMs: number;
}

export interface WebhookSettings {
  /** Keys that secrets are kept under in the database, the current one first. */
  readonly encryptionKeys: readonly Buffer[];
  /** Whether webhooks may go to private addresses, and by plain HTTP. */
  readonly webhooksAllowPrivate: boolean;
  /** How long a delivered one is remembered. */
  readonly webhookRetentionMs: number;
}

export interface AppSettings {
  readonly id: number;
  /** PEM. */
  readonly privateKey: string;
  /** The current webhook secret first, then the previous one while it is being rotated. */
  readonly webhookSecrets: readonly [string, ...string[]];
}

export interface WorkflowTokenSettings {
  readonly issuer: string;
  /** For whom such a token has to be issued: for this service, not for any other. */
  readonly audience: string;
  /** Where the issuer's public keys are. */
  readonly keysUrl: string;
}

/** A fault of the environment, and what to set. */
export interface SettingsIssue {
  readonly variable: string;
  readonly problem: string;
}

const text = z.string().trim().min(1);
const dayMs = 86_400_000;
const proxies = text.transform((list) => list.split(",").map((address) => address.trim()));
const proxyAddress =
  /^(loopback|linklocal|uniquelocal|[\d.]+(\/\d{1,2})?|[\da-fA-F:.]*:[\da-fA-F:.]*(\/\d{1,3})?)$/;
const milliseconds = z.coerce.number().int().min(1).max(dayMs);

const encryptionKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/, "must be 32 random bytes in base64, as openssl rand -base64 32 makes them")
  .transform((encoded) => Buffer.from(encoded, "base64"));

const webhookEnvironment = z.object({
  TRAINYARD_ENCRYPTION_KEY: encryptionKey.optional(),
  TRAINYARD_ENCRYPTION_KEY_PREVIOUS: encryptionKey.optional(),
  TRAINYARD_WEBHOOK_ALLOW_PRIVATE: z.enum(["true", "false"]).default("false"),
  TRAINYARD_WEBHOOK_RETENTION_DAYS: z.coerce.number().int().min(1).max(365).default(7),
});

const environment = webhookEnvironment.extend({
  HOST: text.default("localhost"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  DATABASE_URL: text.default("sqlite:trainyard.db"),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  LOG_FORMAT: z.enum(["json", "pretty"]).default("json"),
  TRAINYARD_PUBLIC_URL: z.url().optional(),
  WEBHOOK_PATH: text.startsWith("/", "must begin with /").default("/api/github/webhooks"),
  GHE_HOST: text.optional(),
  GHE_PROTOCOL: z.enum(["https", "http"]).default("https"),
  APP_ID: z.coerce.number().int().positive().optional(),
  PRIVATE_KEY: text.optional(),
  PRIVATE_KEY_PATH: text.optional(),
  WEBHOOK_SECRET: text.optional(),
  WEBHOOK_SECRET_PREVIOUS: text.optional(),
  TRAINYARD_COMMAND_PREFIX: text
    .regex(/^\/[\w-]+$/, "must be a slash and a word, such as /trainyard")
    .default("/trainyard"),
  TRAINYARD_SUBMIT_LABEL: text.default("trainyard:merge"),
  TRAINYARD_TEST_BRANCH_PREFIX: text.default("trainyard-merge/"),
  TRAINYARD_SCRATCH_BRANCH_PREFIX: text.default("trainyard-temp/"),
  TRAINYARD_DASHBOARD: z.enum(["token", "public"]).default("token"),
  TRAINYARD_COMMANDS: z.enum(["here", "elsewhere"]).default("here"),
  TRAINYARD_API_URL: z.url().optional(),
  TRAINYARD_API_TOKEN: text.optional(),
  TRAINYARD_RATE_LIMIT: z.coerce.number().int().min(0).max(1_000_000).default(100),
  TRAINYARD_OIDC: z.enum(["on", "off"]).default("on"),
  TRAINYARD_OIDC_ISSUER: z.url().optional(),
  TRAINYARD_OIDC_KEYS_URL: z.url().optional(),
  TRAINYARD_OIDC_AUDIENCE: text.optional(),
  TRAINYARD_TRUSTED_PROXIES: proxies
    .refine((list) => list.every((address) => proxyAddress.test(address)), {
      error: "must be addresses of proxies, such as 10.0.0.7 or 10.0.0.0/8, separated by commas",
    })
    .default([]),
  TRAINYARD_AUDIT_DAYS: z.coerce.number().min(1).max(36_500).default(400),
  // Detection looks back 14 days.
  TRAINYARD_TEST_RETENTION_DAYS: z.coerce.number().int().min(15).max(3_650).default(45),
  TRAINYARD_RECONCILE_MS: milliseconds.default(60_000),
  TRAINYARD_PUBLISH_MS: milliseconds.default(3_000),
  TRAINYARD_MERGEABILITY_MS: milliseconds.default(1_000),
  TRAINYARD_LEASE_MS: milliseconds.default(15_000),
});

type Environment = z.infer<typeof environment>;

/** The environment as typed settings, or every fault of it at once. An empty variable counts as absent. */
export function parseSettings(
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string = (path) => readFileSync(path, "utf8"),
): { settings: Settings } | { issues: readonly SettingsIssue[] } {
  const set = withoutEmpty(env);
  const parsed = environment.safeParse(set);
  const issues = parsed.success ? [] : parsed.error.issues.map(toIssue);
  // The App's credentials are looked at even if something else is wrong, so that one start shows every fault.
  const credentials = appSettings(set, readFile);
  issues.push(...credentials.issues, ...remoteIssues(set), ...audienceIssues(set));
  if (!parsed.success || issues.length > 0) return { issues };
  return { settings: toSettings(parsed.data, credentials.app) };
}

/** The part of the environment that webhooks are made with. */
export function parseWebhookSettings(
  env: Readonly<Record<string, string | undefined>>,
): WebhookSettings | { issues: readonly SettingsIssue[] } {
  const parsed = webhookEnvironment.safeParse(withoutEmpty(env));
  return parsed.success ? toWebhookSettings(parsed.data) : { issues: parsed.error.issues.map(toIssue) };
}

function withoutEmpty(env: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
}

function toWebhookSettings(env: z.infer<typeof webhookEnvironment>): WebhookSettings {
  const keys = [env.TRAINYARD_ENCRYPTION_KEY, env.TRAINYARD_ENCRYPTION_KEY_PREVIOUS];
  return {
    encryptionKeys: keys.filter((key) => key !== undefined),
    webhooksAllowPrivate: env.TRAINYARD_WEBHOOK_ALLOW_PRIVATE === "true",
    webhookRetentionMs: env.TRAINYARD_WEBHOOK_RETENTION_DAYS * dayMs,
  };
}

function toSettings(env: Environment, app: AppSettings | null): Settings {
  const host = env.GHE_HOST ?? "github.com";
  const webUrl = `${env.GHE_HOST ? env.GHE_PROTOCOL : "https"}://${host}`;
  const { TRAINYARD_API_URL: url, TRAINYARD_API_TOKEN: token } = env;
  return {
    host: env.HOST,
    port: env.PORT,
    databaseUrl: env.DATABASE_URL,
    logLevel: env.LOG_LEVEL,
    logFormat: env.LOG_FORMAT,
    publicUrl: env.TRAINYARD_PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    webhookPath: env.WEBHOOK_PATH,
    github: { host, webUrl, apiUrl: env.GHE_HOST ? `${webUrl}/api/v3` : "https://api.github.com" },
    app,
    commandPrefix: env.TRAINYARD_COMMAND_PREFIX,
    submitLabel: env.TRAINYARD_SUBMIT_LABEL,
    testBranchPrefix: env.TRAINYARD_TEST_BRANCH_PREFIX,
    scratchBranchPrefix: env.TRAINYARD_SCRATCH_BRANCH_PREFIX,
    dashboard: env.TRAINYARD_DASHBOARD,
    remoteApi: url && token ? { url, token } : null,
    pollCommands: env.TRAINYARD_COMMANDS === "here",
    requestsPerSecond: env.TRAINYARD_RATE_LIMIT || null,
    workflowTokens: workflowTokenSettings(env),
    trustedProxies: env.TRAINYARD_TRUSTED_PROXIES,
    auditMs: env.TRAINYARD_AUDIT_DAYS * dayMs,
    testRetentionMs: env.TRAINYARD_TEST_RETENTION_DAYS * dayMs,
    reconcileMs: env.TRAINYARD_RECONCILE_MS,
    publishMs: env.TRAINYARD_PUBLISH_MS,
    mergeabilityMs: env.TRAINYARD_MERGEABILITY_MS,
    leaseMs: env.TRAINYARD_LEASE_MS,
    ...toWebhookSettings(env),
  };
}

/**
 * On by default, where the service knows its own address: without an audience of its own it would accept what was issued for
 * somebody else. Source: GitHub, "OpenID Connect reference", for both issuers.
 */
function workflowTokenSettings(env: Environment): WorkflowTokenSettings | null {
  const audience = env.TRAINYARD_OIDC_AUDIENCE ?? env.TRAINYARD_PUBLIC_URL?.replace(/\/+$/, "");
  if (env.TRAINYARD_OIDC === "off" || audience === undefined) return null;
  const { GHE_HOST: host, GHE_PROTOCOL: protocol } = env;
  const ofHost = host
    ? `${protocol}://${host}/_services/token`
    : "https://token.actions.githubusercontent.com";
  const issuer = env.TRAINYARD_OIDC_ISSUER ?? ofHost;
  const keysUrl = env.TRAINYARD_OIDC_KEYS_URL ?? `${issuer.replace(/\/+$/, "")}/.well-known/jwks`;
  return { issuer, audience, keysUrl };
}

/** The App's credentials; null when none are set at all, which is how a first start looks. */
function appSettings(
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): { app: AppSettings | null; issues: SettingsIssue[] } {
  const { APP_ID, PRIVATE_KEY, PRIVATE_KEY_PATH, WEBHOOK_SECRET, WEBHOOK_SECRET_PREVIOUS } = env;
  if (!APP_ID && !PRIVATE_KEY && !PRIVATE_KEY_PATH && !WEBHOOK_SECRET) return { app: null, issues: [] };
  const issues: SettingsIssue[] = [];
  const fault = (variable: string, problem: string) => issues.push({ variable, problem });
  if (!APP_ID) fault("APP_ID", "is missing; it stands on the App's settings page on GitHub");
  if (!WEBHOOK_SECRET)
    fault("WEBHOOK_SECRET", "is missing; set the secret that the App's settings page on GitHub has");
  for (const variable of ["WEBHOOK_SECRET", "WEBHOOK_SECRET_PREVIOUS"] as const) {
    if (env[variable] !== "development") continue;
    fault(
      variable,
      'is "development", which everybody knows; set a random one here and on the App\'s settings page',
    );
  }
  const key = privateKey(PRIVATE_KEY, PRIVATE_KEY_PATH, readFile);
  if ("problem" in key)
    fault(PRIVATE_KEY || !PRIVATE_KEY_PATH ? "PRIVATE_KEY" : "PRIVATE_KEY_PATH", key.problem);
  if (issues.length > 0 || "problem" in key || !WEBHOOK_SECRET) return { app: null, issues };
  const previous = WEBHOOK_SECRET_PREVIOUS ? [WEBHOOK_SECRET_PREVIOUS] : [];
  return {
    app: { id: Number(APP_ID), privateKey: key.pem, webhookSecrets: [WEBHOOK_SECRET, ...previous] },
    issues,
  };
}

/** A PEM as Probot takes it: with real or escaped line ends, base64-encoded, or in a file. */
function privateKey(
  value: string | undefined,
  path: string | undefined,
  readFile: (path: string) => string,
): { pem: string } | { problem: string } {
  if (!value && !path) {
    return {
      problem: "is missing; generate a key on the App's settings page, or set PRIVATE_KEY_PATH to its file",
    };
  }
  let pem = value ?? "";
  if (!value && path) {
    try {
      pem = readFile(path);
    } catch (error) {
      return { problem: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
    }
  }
  if (!pem.includes("-----BEGIN")) pem = Buffer.from(pem, "base64").toString("utf8");
  pem = pem.replaceAll("\\n", "\n").replace(/^"|"$/g, "").trim();
  const isPem = /^-----BEGIN [A-Z ]*PRIVATE KEY-----\n[\s\S]+\n-----END [A-Z ]*PRIVATE KEY-----$/.test(pem);
  return isPem ? { pem } : { problem: "is not a private key in PEM format" };
}

function remoteIssues({
  TRAINYARD_API_URL,
  TRAINYARD_API_TOKEN,
}: Readonly<Record<string, string | undefined>>) {
  if (Boolean(TRAINYARD_API_URL) === Boolean(TRAINYARD_API_TOKEN)) return [];
  const variable = TRAINYARD_API_URL ? "TRAINYARD_API_TOKEN" : "TRAINYARD_API_URL";
  return [{ variable, problem: "is missing; TRAINYARD_API_URL and TRAINYARD_API_TOKEN go together" }];
}

function audienceIssues(env: Readonly<Record<string, string | undefined>>): SettingsIssue[] {
  const isAsked = env.TRAINYARD_OIDC_ISSUER || env.TRAINYARD_OIDC_KEYS_URL || env.TRAINYARD_OIDC === "on";
  if (!isAsked || env.TRAINYARD_OIDC_AUDIENCE || env.TRAINYARD_PUBLIC_URL) return [];
  const problem =
    "is missing; it says for whom workflows must have their tokens issued, and is TRAINYARD_PUBLIC_URL where that is set";
  return [{ variable: "TRAINYARD_OIDC_AUDIENCE", problem }];
}

function toIssue(issue: z.core.$ZodIssue): SettingsIssue {
  return { variable: issue.path.join("."), problem: issue.message };
}
