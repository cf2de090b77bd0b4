import { readFileSync } from "node:fs";
import * as z from "zod";
import { type AppSettings, appSettings } from "./app-settings.ts";
import { defaultDatabaseUrl } from "./database-url.ts";
import { type GitHubAddress, gitHubAddress, gitHubHost, isTenant } from "./github-address.ts";
import {
  describeVariable,
  type SettingsIssue,
  toIssue,
  type Variables,
  withoutEmpty,
  withSecretFiles,
} from "./variables.ts";
import { toWebhookSettings, type WebhookSettings, webhookEnvironment } from "./webhook-settings.ts";
import {
  audienceIssues,
  type WorkflowTokenSettings,
  workflowTokenEnvironment,
  workflowTokenSettings,
} from "./workflow-token-settings.ts";

/** All settings from the environment. */
export interface Settings extends WebhookSettings {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  /** How long a start waits for another service on the same database to end. */
  readonly databaseWaitMs: number;
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  readonly logFormat: "json" | "pretty";
  /** The address at which people and GitHub reach this service; null = only locally. */
  readonly publicUrl: string | null;
  readonly webhookPath: string;
  readonly github: {
    readonly host: string;
    readonly apiUrl: string;
    readonly webUrl: string;
    /** The version of the REST API that every request names. */
    readonly restVersion: "2022-11-28" | "2026-03-10";
    /** How many comments and merges GitHub permits; null = unlimited, as on an Enterprise Server. */
    readonly contentBudget: { readonly perMinute: number; readonly perHour: number } | null;
  };
  readonly app: AppSettings | null;
  readonly commandPrefix: string;
  readonly submitLabel: string;
  readonly testBranchPrefix: string;
  readonly scratchBranchPrefix: string;
  /** `token`: the dashboard asks for an API token. `public`: anybody who reaches it may look. */
  readonly dashboard: "token" | "public";
  /** Whether queues of public repositories have public pages unless their setting says otherwise. */
  readonly publicPages: boolean;
  /** The queue's API, for a bot that runs in another process than the queue; null = this process. */
  readonly remoteApi: { readonly url: string; readonly token: string } | null;
  /** Whether this process looks for lost commands. Set to false where another process serves them (`remoteApi`). */
  readonly pollCommands: boolean;
  /** Lost commands from before this time are not carried out, in milliseconds since the epoch; 0 = no such time. */
  readonly commandsSince: number;
  /** Maximum number of API requests per second of one organisation; null = unlimited. */
  readonly requestsPerSecond: number | null;
  /** The GitHub Actions tokens that are accepted instead of an API token; null = none. */
  readonly workflowTokens: WorkflowTokenSettings | null;
  /** Addresses of proxies that are trusted about a request's origin. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the API; `*` = all. */
  readonly corsOrigins: readonly string[];
  /** Which tools `/mcp` offers to agents. */
  readonly mcp: "read" | "write" | "off";
  readonly auditMs: number;
  /** How long pull requests and test runs that have ended are kept. */
  readonly historyMs: number;
  /** How long test results are kept. */
  readonly testRetentionMs: number;
  readonly reconcileMs: number;
  readonly publishMs: number;
  readonly mergeabilityMs: number;
  readonly leaseMs: number;
}

const text = z.string().trim().min(1);
const dayMs = 86_400_000;
const listed = text.transform((list) => list.split(",").map((item) => item.trim()));

const proxyAddress =
  /^(loopback|linklocal|uniquelocal|[\d.]+(\/\d{1,2})?|[\da-fA-F:.]*:[\da-fA-F:.]*(\/\d{1,3})?)$/;
/** The origin of a page in the form that browsers send: scheme, host and port. */
const isOrigin = (text: string) => !text.includes("*") && URL.parse(text)?.origin === text;
const milliseconds = z.coerce.number().int().min(1).max(dayMs);

export const environment = webhookEnvironment.extend(workflowTokenEnvironment.shape).extend({
  HOST: text.default("localhost"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  DATABASE_URL: text.default(defaultDatabaseUrl),
  TRAINYARD_DATABASE_WAIT_MS: z.coerce.number().int().min(0).max(dayMs).default(60_000),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  LOG_FORMAT: z.enum(["json", "pretty"]).default("json"),
  TRAINYARD_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be an address that begins with https:// or http://" })
    .optional(),
  WEBHOOK_PATH: text.startsWith("/", "must begin with /").default("/api/github/webhooks"),
  GHE_HOST: gitHubHost.optional(),
  GHE_PROTOCOL: z.enum(["https", "http"]).default("https"),
  TRAINYARD_GITHUB_API_VERSION: z.enum(["2022-11-28", "2026-03-10"]).default("2022-11-28"),
  APP_ID: z.coerce
    .number({ error: "must be the App's ID, which is a number, and not its client ID" })
    .int()
    .positive()
    .optional(),
  PRIVATE_KEY: text.optional(),
  PRIVATE_KEY_PATH: text.optional(),
  WEBHOOK_SECRET: text.optional(),
  WEBHOOK_SECRET_PREVIOUS: text.optional(),
  GITHUB_CLIENT_ID: text.optional(),
  GITHUB_CLIENT_SECRET: text.optional(),
  TRAINYARD_COMMAND_PREFIX: text
    .regex(/^\/[\w-]+$/, "must be a slash and a word, such as /trainyard")
    .default("/trainyard"),
  TRAINYARD_SUBMIT_LABEL: text.default("trainyard:merge"),
  TRAINYARD_TEST_BRANCH_PREFIX: text.default("trainyard-merge/"),
  TRAINYARD_SCRATCH_BRANCH_PREFIX: text.default("trainyard-temp/"),
  TRAINYARD_PUBLIC_PAGES: z.enum(["true", "false"]).default("false"),
  TRAINYARD_DASHBOARD: z.enum(["token", "public"]).default("token"),
  TRAINYARD_MCP: z.enum(["read", "write", "off"]).default("read"),
  TRAINYARD_COMMANDS: z.enum(["here", "elsewhere"]).default("here"),
  TRAINYARD_COMMANDS_SINCE: z.iso
    .datetime({ offset: true, error: "must be a time with its zone, such as 2030-01-31T12:00:00Z" })
    .optional(),
  TRAINYARD_API_URL: z.url().optional(),
  TRAINYARD_API_TOKEN: text.optional(),
  TRAINYARD_RATE_LIMIT: z.coerce.number().int().min(0).max(1_000_000).default(100),
  TRAINYARD_TRUSTED_PROXIES: listed
    .refine((list) => list.every((address) => proxyAddress.test(address)), {
      error: "must be addresses of proxies, such as 10.0.0.7 or 10.0.0.0/8, separated by commas",
    })
    .default([]),
  TRAINYARD_CORS_ORIGINS: listed
    .refine((list) => list.every((origin) => origin === "*" || isOrigin(origin)), {
      error: "must be origins such as https://ci.example.com, separated by commas, or *",
    })
    .default([]),
  TRAINYARD_CONTENT_PER_MINUTE: z.coerce.number().int().min(0).max(100_000).optional(),
  TRAINYARD_CONTENT_PER_HOUR: z.coerce.number().int().min(0).max(1_000_000).optional(),
  TRAINYARD_AUDIT_DAYS: z.coerce.number().min(1).max(36_500).default(400),
  // A pull request waits for at most 30 days.
  TRAINYARD_HISTORY_DAYS: z.coerce.number().int().min(31).max(36_500).default(400),
  // Detection looks back 14 days.
  TRAINYARD_TEST_RETENTION_DAYS: z.coerce.number().int().min(15).max(3_650).default(45),
  TRAINYARD_RECONCILE_MS: milliseconds.default(60_000),
  TRAINYARD_PUBLISH_MS: milliseconds.default(3_000),
  TRAINYARD_MERGEABILITY_MS: milliseconds.default(1_000),
  TRAINYARD_LEASE_MS: milliseconds.default(15_000),
});

type Environment = z.infer<typeof environment>;
export type EnvironmentVariable = keyof Environment;

/** Parses the environment into settings, or returns all of its faults at once. An empty variable counts as absent. */
export function parseSettings(
  env: Variables,
  readFile: (path: string) => string = (path) => readFileSync(path, "utf8"),
): { settings: Settings } | { issues: readonly SettingsIssue[] } {
  const secrets = withSecretFiles(env, readFile);
  const set = withoutEmpty(secrets.env);
  const parsed = environment.safeParse(set, { error: describeVariable });
  const issues = parsed.success ? [] : parsed.error.issues.map(toIssue);
  // The App's credentials are checked even if another variable is invalid, so that one start shows every fault.
  const credentials = appSettings(set, readFile);
  issues.push(
    ...secrets.issues,
    ...credentials.issues,
    ...tenantIssues(set),
    ...remoteIssues(set),
    ...audienceIssues(set),
  );
  if (!parsed.success || issues.length > 0) return { issues };
  return { settings: toSettings(parsed.data, credentials.app) };
}

function toSettings(env: Environment, app: AppSettings | null): Settings {
  const address = gitHubAddress(env.GHE_HOST ?? null, env.GHE_PROTOCOL);
  const { host, webUrl, apiUrl } = address;
  const { TRAINYARD_API_URL: url, TRAINYARD_API_TOKEN: token } = env;
  return {
    host: env.HOST,
    port: env.PORT,
    databaseUrl: env.DATABASE_URL,
    databaseWaitMs: env.TRAINYARD_DATABASE_WAIT_MS,
    logLevel: env.LOG_LEVEL,
    logFormat: env.LOG_FORMAT,
    publicUrl: env.TRAINYARD_PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    webhookPath: env.WEBHOOK_PATH,
    github: {
      host,
      webUrl,
      apiUrl,
      restVersion: env.TRAINYARD_GITHUB_API_VERSION,
      contentBudget: contentBudget(env, address),
    },
    app,
    commandPrefix: env.TRAINYARD_COMMAND_PREFIX,
    submitLabel: env.TRAINYARD_SUBMIT_LABEL,
    testBranchPrefix: env.TRAINYARD_TEST_BRANCH_PREFIX,
    scratchBranchPrefix: env.TRAINYARD_SCRATCH_BRANCH_PREFIX,
    dashboard: env.TRAINYARD_DASHBOARD,
    mcp: env.TRAINYARD_MCP,
    publicPages: env.TRAINYARD_PUBLIC_PAGES === "true",
    remoteApi: url && token ? { url, token } : null,
    pollCommands: env.TRAINYARD_COMMANDS === "here",
    commandsSince: Date.parse(env.TRAINYARD_COMMANDS_SINCE ?? "1970-01-01T00:00:00Z"),
    requestsPerSecond: env.TRAINYARD_RATE_LIMIT || null,
    workflowTokens: workflowTokenSettings(env, address.tokenIssuer),
    trustedProxies: env.TRAINYARD_TRUSTED_PROXIES,
    corsOrigins: env.TRAINYARD_CORS_ORIGINS,
    historyMs: env.TRAINYARD_HISTORY_DAYS * dayMs,
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
 * Returns the limits of github.com and ghe.com, unless others are set. Enterprise Servers have none by default. 0 also means
 * none.
 */
function contentBudget(env: Environment, { kind }: GitHubAddress): Settings["github"]["contentBudget"] {
  const usual = kind === "enterprise_server" ? { perMinute: 0, perHour: 0 } : { perMinute: 80, perHour: 500 };
  const { TRAINYARD_CONTENT_PER_MINUTE, TRAINYARD_CONTENT_PER_HOUR } = env;
  const perMinute = TRAINYARD_CONTENT_PER_MINUTE ?? usual.perMinute;
  const perHour = TRAINYARD_CONTENT_PER_HOUR ?? usual.perHour;
  if (perMinute === 0 && perHour === 0) return null;
  return { perMinute: perMinute || Number.POSITIVE_INFINITY, perHour: perHour || Number.POSITIVE_INFINITY };
}

function tenantIssues({ GHE_HOST, GHE_PROTOCOL }: Variables): SettingsIssue[] {
  if (!GHE_HOST || !isTenant(GHE_HOST) || GHE_PROTOCOL !== "http") return [];
  return [{ variable: "GHE_PROTOCOL", problem: "must be https for ghe.com; remove it" }];
}

function remoteIssues({ TRAINYARD_API_URL, TRAINYARD_API_TOKEN }: Variables) {
  if (Boolean(TRAINYARD_API_URL) === Boolean(TRAINYARD_API_TOKEN)) return [];
  const variable = TRAINYARD_API_URL ? "TRAINYARD_API_TOKEN" : "TRAINYARD_API_URL";
  return [{ variable, problem: "is missing; TRAINYARD_API_URL and TRAINYARD_API_TOKEN go together" }];
}
