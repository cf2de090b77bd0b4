import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import pg from "pg";
import { wrapStatement } from "../../simulator/service/wrap-statement.ts";

/**
 * Loaded into the service's process before the service itself. Counts the boundaries of durable effects: before and after each
 * commit to the database, and before and after each call that changes something at GitHub. Kills the process at the one that the
 * plan names.
 */

const directory = process.env.TRAINYARD_CRASH_DIRECTORY;
let run = "";
let passed = 0;

function pass(point: string): void {
  const plan = JSON.parse(readFileSync(planFile(directory ?? ""), "utf8")) as CrashPlan;
  if (plan.run !== run) passed = 0;
  run = plan.run;
  passed += 1;
  appendFileSync(pointsFile(directory ?? "", run), `${point}\n`);
  if (passed !== plan.killAt) return;
  process.kill(process.pid, "SIGKILL");
  // Nothing else may run before the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function watchSqlite(): void {
  wrapStatement("commit", (commit) => {
    pass("before a commit");
    const result = commit();
    pass("after a commit");
    return result;
  });
}

function watchPostgres(): void {
  const query = pg.Client.prototype.query as (...values: unknown[]) => unknown;
  const watched = function (this: pg.Client, ...values: unknown[]): unknown {
    const [first] = values;
    const text = typeof first === "string" ? first : (first as { text?: string } | undefined)?.text;
    if (text?.toLowerCase() !== "commit") return query.apply(this, values);
    pass("before a commit");
    const answer = query.apply(this, values);
    if (!(answer instanceof Promise)) return answer;
    return answer.then((result) => {
      pass("after a commit");
      return result;
    });
  };
  pg.Client.prototype.query = watched as typeof pg.Client.prototype.query;
}

function watchCalls(): void {
  const call = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const changes = changeOf(String(input), init);
    if (changes === null) return call(input, init);
    pass(`before ${changes}`);
    const answer = await call(input, init);
    pass(`after ${changes}`);
    return answer;
  };
}

/** The name of a call that changes something at GitHub; null for one that only reads, or that asks for a token. */
function changeOf(url: string, init: RequestInit | undefined): string | null {
  const method = init?.method ?? "GET";
  const { pathname } = new URL(url);
  if (method === "GET" || pathname.endsWith("/access_tokens")) return null;
  if (!pathname.endsWith("/graphql")) return `${method} ${pathname.replace(/[0-9a-f]{40}|\d+/g, "…")}`;
  const [, names] = /"query":"mutation[^{]*\{(.*)/s.exec(String(init?.body)) ?? [];
  return names === undefined
    ? null
    : `mutation ${Array.from(names.matchAll(/(\w+)\(input/g), ([, name]) => name)}`;
}

if (isMainThread && directory !== undefined) {
  watchSqlite();
  watchPostgres();
  watchCalls();
}

/** What the service's process reads at each boundary. */
interface CrashPlan {
  /** Boundaries are counted separately for each run. */
  readonly run: string;
  /** The boundary at which the process is killed, counted from 1; null = at none. */
  readonly killAt: number | null;
}

const planFile = (directory: string): string => join(directory, "plan.json");

/** The list of the boundaries that a run has passed, one on each line. */
export const pointsFile = (directory: string, run: string): string => join(directory, `${run}.points`);

export function writePlan(directory: string, plan: CrashPlan): void {
  writeFileSync(planFile(directory), JSON.stringify(plan));
}
