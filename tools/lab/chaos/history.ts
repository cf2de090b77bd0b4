import { DatabaseSync } from "node:sqlite";
import type { Fetch } from "../../../src/client/fetch.ts";
import { withClient } from "../postgres.ts";

/** One request to the service's API. Times are in milliseconds since the start of the history. */
export interface Operation {
  /** The endpoint's name, such as `submitPullRequest`. */
  readonly endpoint: string;
  /** The number of the pull request; null = there is none. */
  readonly pr: number | null;
  readonly from: number;
  /** When the answer was complete. */
  readonly to: number;
  /** Null = there was no complete answer. */
  readonly status: number | null;
  readonly retryAfter: string | null;
  /** Null = not JSON, or no answer. */
  readonly answer: unknown;
}

/** Records the requests and answers of clients. */
export class History {
  readonly operations: Operation[] = [];
  readonly #began = performance.now();

  /** Sends a request, and records it. */
  readonly fetch: Fetch = async (url, init) => {
    const from = this.#now();
    const endpoint = new URL(url).pathname.split("/").at(-1) ?? "";
    const asked = { endpoint, pr: numberIn(init.body), from };
    const record = (status: number | null, retryAfter: string | null, answer: unknown) => {
      this.operations.push({ ...asked, to: this.#now(), status, retryAfter, answer });
    };
    try {
      const response = await fetch(url, init);
      const text = await response.clone().text();
      record(response.status, response.headers.get("retry-after"), parse(text));
      return response;
    } catch (error) {
      record(null, null, null);
      throw error;
    }
  };

  #now(): number {
    return performance.now() - this.#began;
  }
}

function numberIn(body: unknown): number | null {
  if (typeof body !== "string") return null;
  const { pr } = JSON.parse(body) as { pr?: { number?: number } };
  return pr?.number ?? null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A row of a queue's log, as stored in the database. */
export interface LogRow {
  readonly queue: string;
  readonly seq: number;
  /** For people who look for a cause. */
  readonly content?: string;
}

/** A commit of the base branch, oldest first. */
interface BaseCommit {
  readonly sha: string;
  /** The pull request whose merge it is; null = none. */
  readonly pr: number | null;
}

/** The evidence by which an outcome is judged. It contains nothing that only the service knows. */
export interface Evidence {
  readonly operations: readonly Operation[];
  readonly log: readonly LogRow[];
  readonly base: readonly BaseCommit[];
}

/** Returns what is wrong with a history, independent of the service's own view. */
export const checkHistory = ({ operations, log, base }: Evidence): string[] => [
  ...findLostSubmissions(operations),
  ...findUndoneMerges(operations),
  ...findUntrueMerges(operations, base),
  ...findUnclearAnswers(operations),
  ...findDisorder(log),
  ...findDoubleMerges(base),
];

/** Finds pull requests whose submission was acknowledged, but which are unknown later. */
function findLostSubmissions(operations: readonly Operation[]): string[] {
  const submitted = firstEnds(
    operations,
    ({ endpoint, status }) => endpoint === "submitPullRequest" && isOk(status),
  );
  return operations.flatMap(({ endpoint, pr, from, status }) => {
    const since = pr === null ? undefined : submitted.get(pr);
    if (endpoint !== "getSubmittedPullRequest" || status !== 404) return [];
    if (since === undefined || from <= since) return [];
    return [`#${pr} is unknown at ${ms(from)}, although its submission was acknowledged at ${ms(since)}`];
  });
}

/** Finds pull requests that merged and later have another state. */
function findUndoneMerges(operations: readonly Operation[]): string[] {
  const merged = firstEnds(operations, (operation) => stateIn(operation) === "merged");
  return operations.flatMap((operation) => {
    const { pr, from } = operation;
    const since = pr === null ? undefined : merged.get(pr);
    const state = stateIn(operation);
    if (since === undefined || from <= since || state === null || state === "merged") return [];
    return [`#${pr} is ${state} at ${ms(from)}, although it was merged at ${ms(since)}`];
  });
}

/** Finds pull requests that were reported as merged, but are not on the base branch. */
function findUntrueMerges(operations: readonly Operation[], base: readonly BaseCommit[]): string[] {
  const onBase = new Set(base.map(({ pr }) => pr));
  const reported = firstEnds(operations, (operation) => stateIn(operation) === "merged");
  return [...reported].flatMap(([pr, at]) =>
    onBase.has(pr) ? [] : [`#${pr} was reported as merged at ${ms(at)}, and is not on the base branch`],
  );
}

/** Finds refusals without a reason, and temporary refusals without a time to retry. */
function findUnclearAnswers(operations: readonly Operation[]): string[] {
  return operations.flatMap(({ endpoint, from, status, retryAfter, answer }) => {
    if (status === null || status < 500 || status === 502) return [];
    const code = (answer as { code?: unknown } | null)?.code;
    // The balancer answers 503 without a body while no service runs.
    if (status === 503 && (answer === null || (typeof code === "string" && retryAfter !== null))) return [];
    return [`${endpoint} was answered with ${status} (${code}, Retry-After ${retryAfter}) at ${ms(from)}`];
  });
}

/** Finds gaps and repeated numbers in the log of a queue. Times may go back when a clock does. */
function findDisorder(log: readonly LogRow[]): string[] {
  return [...Map.groupBy(log, ({ queue }) => queue)].flatMap(([queue, rows]) => {
    const sorted = rows.toSorted((a, b) => a.seq - b.seq);
    return sorted.flatMap(({ seq }, index) => {
      const before = sorted[index - 1]?.seq ?? 0;
      if (seq !== before + 1) return [`the log of ${queue} has ${seq} after ${before}`];
      return [];
    });
  });
}

function findDoubleMerges(base: readonly BaseCommit[]): string[] {
  const merges = Map.groupBy(
    base.filter(({ pr }) => pr !== null),
    ({ pr }) => pr,
  );
  return [...merges].flatMap(([pr, commits]) =>
    commits.length > 1 ? [`#${pr} was merged ${commits.length} times: ${commits.map(({ sha }) => sha)}`] : [],
  );
}

/** By pull request: when the first of these operations had ended. */
function firstEnds(
  operations: readonly Operation[],
  holds: (operation: Operation) => boolean,
): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  for (const operation of operations) {
    const { pr, to } = operation;
    if (pr !== null && holds(operation)) ends.set(pr, Math.min(to, ends.get(pr) ?? to));
  }
  return ends;
}

function stateIn({ endpoint, status, answer }: Operation): string | null {
  if (endpoint !== "getSubmittedPullRequest" || !isOk(status)) return null;
  return (answer as { state: string }).state;
}

const isOk = (status: number | null): boolean => status !== null && status < 300;

const ms = (time: number): string => `${Math.round(time)} ms`;

const query = "select queue_id as queue, seq, content from events order by queue_id, seq";

/** Reads the logs of all queues with SQL, without the service's own code. */
export async function readLog(databaseUrl: string): Promise<readonly LogRow[]> {
  return databaseUrl.startsWith("sqlite:")
    ? readSqlite(databaseUrl.slice("sqlite:".length))
    : readPostgres(databaseUrl);
}

function readSqlite(path: string): readonly LogRow[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(query).all().map(toRow);
  } finally {
    database.close();
  }
}

async function readPostgres(databaseUrl: string): Promise<readonly LogRow[]> {
  const read = await withClient(databaseUrl, (client) => client.query<Record<string, unknown>>(query));
  return read.rows.map(toRow);
}

/** The driver returns 64-bit integers as text. */
const toRow = ({ queue, seq, content }: Record<string, unknown>): LogRow => ({
  queue: String(queue),
  seq: Number(seq),
  content: String(content),
});
