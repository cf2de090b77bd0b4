/** JSON Schema of what commands print with `--json`, besides `formatVersion`, if it is not the answer of an endpoint. */

const text = { type: "string" };
const textOrNull = { type: ["string", "null"] };
const whole = { type: "integer", minimum: 0 };
const wholeOrNull = { type: ["integer", "null"] };
const number = { type: "number" };
const numberOrNull = { type: ["number", "null"] };
const flag = { type: "boolean" };
const listOf = (items: object) => ({ type: "array", items });
const mapOf = (values: object) => ({ type: "object", additionalProperties: values });

function object(properties: Readonly<Record<string, object>>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required };
}

const milliseconds = { ...whole, description: "Milliseconds since 1970." };
const time = { ...text, format: "date-time" };

const tokenFields = {
  id: text,
  name: text,
  organisation: text,
  scopes: listOf(text),
  createdAt: milliseconds,
  expiresAt: wholeOrNull,
  revokedAt: wholeOrNull,
  lastUsedAt: wholeOrNull,
};

const webhookFields = {
  id: text,
  organisation: text,
  url: text,
  description: text,
  format: text,
  events: listOf(text),
  enabled: flag,
  createdAt: milliseconds,
};

const figures = object({
  merged: whole,
  failed: whole,
  others: whole,
  waitP50: numberOrNull,
  waitP95: numberOrNull,
  runs: whole,
  ciMinutes: number,
});

const rows = { ...mapOf(whole), description: "The number of rows of each table." };
const counts = mapOf(whole);
const user = object({ login: text, token: text, permission: text });
const repository = object({ host: text, owner: text, name: text });

/** A schema of an object. */
export interface CliShape {
  readonly type: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly object[];
}

/** By the words after `trainyard`. */
export const cliShapes: Readonly<Record<string, CliShape>> = {
  demo: {
    ...object(
      {
        ...{ stopped: flag, prs: whole, merged: whole, failed: whole, cancelled: whole, seconds: number },
        ...{ restCalls: whole, restCallsPerMerged: number, contentRequestsPerMerged: number },
        ...{ writingRequestsPerMerged: number, graphqlCalls: whole },
        ...{ baseCommitsChecked: whole, baseCommitsRed: whole, treeProofs: whole },
        ...{ flakes: object({}), faults: counts, disturbances: counts, violations: listOf(text) },
      },
      ["stopped", "failed", "cancelled", "seconds", "restCalls", "restCallsPerMerged"].concat(
        ["contentRequestsPerMerged", "writingRequestsPerMerged", "graphqlCalls"],
        ["treeProofs", "flakes", "faults", "disturbances"],
      ),
    ),
    description: "Stopped by Ctrl-C, it has `stopped` and what was judged so far.",
  },
  sandbox: object({
    ...{ url: text, users: listOf(user), repository, gitUrl: text, pullRequest: text },
    env: mapOf(text),
  }),
  simulate: {
    type: "object",
    description: "One line for each policy; before it, with --per-pr, one for each pull request.",
    anyOf: [
      object({
        ...{ policy: text, merged: whole, rejected: whole, falseRejections: whole, broken: whole },
        ...{ p50: numberOrNull, p95: numberOrNull, p99: numberOrNull, meanMinutes: numberOrNull },
        ...{ ciMinutesPerMerged: numberOrNull, runsPerPr: numberOrNull, mergedPerHour: number },
        ...{ events: whole, wallMs: number },
      }),
      object({
        ...{ n: whole, at: number, ending: text, endedAt: numberOrNull },
        ...{ falseRejections: whole, runs: whole },
      }),
      { ...object({ type: { enum: ["cell", "total"] } }), description: "With --grid and --small-grid." },
    ],
  },
  login: object({ service: text, login: text, expiresAt: time }),
  logout: object({ service: text, ended: flag }),
  "token create": object({ token: text, ...tokenFields }),
  "token list": { ...object(tokenFields), description: "One line for each token." },
  "token revoke": object(tokenFields),
  "webhook create": object({ ...webhookFields, secret: text }),
  "webhook list": { ...object(webhookFields), description: "One line for each webhook." },
  "webhook delete": object({ deleted: { ...flag, description: "False when there was no such webhook." } }),
  health: object({ status: text, time }, ["time"]),
  migrate: object({ database: text, pending: listOf(text), applied: listOf(text) }),
  backup: object({ file: text, rows }),
  restore: {
    ...object(
      {
        ...{ file: text, rows, database: text },
        replaced: { ...textOrNull, description: "Where the previous database is now." },
        migrations: listOf(text),
        queues: listOf(object({ queue: text, events: whole, pullRequests: whole })),
      },
      ["database", "replaced", "migrations", "queues"],
    ),
    description: "With --check, `migrations` and `queues`; otherwise, `database` and `replaced`.",
  },
  copy: object({ from: text, to: text, tables: mapOf(object({ rows: whole, sha256: text })) }),
  doctor: object({
    queue: text,
    findings: listOf(
      object({
        ...{ code: text, severity: { enum: ["error", "warning", "note"] } },
        ...{ title: text, cause: text, evidence: text, fix: object({ text, url: textOrNull }) },
      }),
    ),
    unexamined: listOf(object({ code: text, why: text })),
  }),
  replay: object({
    ...{ queue: text, changes: object({}), from: milliseconds, to: milliseconds },
    ...{ recorded: figures, replayed: figures, changed: figures },
    ...{ assumptions: listOf(text), violations: listOf(text) },
  }),
};
