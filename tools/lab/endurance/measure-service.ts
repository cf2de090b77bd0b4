import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../../../src/cli/free-port.ts";

export interface ProcessSample {
  /** What is in use after a garbage collection, in bytes. */
  readonly heap: number;
  /** What the operating system counts, in bytes. */
  readonly resident: number;
  readonly fileHandles: number;
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: string } };
}

/** Evaluated in the service. */
const expression = `JSON.stringify({
  heap: process.memoryUsage().heapUsed + process.memoryUsage().external,
  resident: process.memoryUsage().rss,
  fileHandles: process.getBuiltinModule("node:fs").readdirSync("/dev/fd").length,
})`;

/** Inspects a running Node.js process. */
export class ProcessProbe {
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  static async create(): Promise<ProcessProbe> {
    return new ProcessProbe(await freePort());
  }

  /** The environment with which the process must be started. */
  get env(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--inspect=127.0.0.1:${this.#port}` };
  }

  async sample(): Promise<ProcessSample> {
    const targets = await (await fetch(`http://127.0.0.1:${this.#port}/json`)).json();
    const [{ webSocketDebuggerUrl }] = targets as [{ webSocketDebuggerUrl: string }];
    const socket = new WebSocket(webSocketDebuggerUrl);
    try {
      await new Promise((resolve, reject) => {
        socket.addEventListener("open", resolve);
        socket.addEventListener("error", () =>
          reject(new Error("the inspector of the service cannot be reached")),
        );
      });
      await ask(socket, 1, "HeapProfiler.collectGarbage", {});
      const { result } = await ask(socket, 2, "Runtime.evaluate", { expression, returnByValue: true });
      return JSON.parse(result?.result?.value ?? "null");
    } finally {
      socket.close();
    }
  }
}

function ask(socket: WebSocket, id: number, method: string, params: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const listen = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id !== id) return;
      socket.removeEventListener("message", listen);
      resolve(answer);
    };
    socket.addEventListener("message", listen);
    socket.addEventListener("close", () => reject(new Error("the service has ended")));
    socket.send(JSON.stringify({ id, method, params }));
  });
}

/** The exact numbers of rows of a SQLite database that a service uses, and its bytes. */
export function readTables(file: string): { rows: ReadonlyMap<string, number>; database: number } {
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all();
  const rows = new Map(
    tables.map(({ name }) => [
      String(name),
      Number(database.prepare(`select count(*) as rows from "${String(name)}"`).get()?.rows),
    ]),
  );
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return { rows, database: sizes.reduce((sum, size) => sum + size, 0) };
}

/** The state of the service at a moment when no pull request is in its queue. */
export interface GrowthSample extends ProcessSample {
  /** The number of pull requests that have ended. */
  readonly ended: number;
  /** Exact numbers of rows. */
  readonly rows: ReadonlyMap<string, number>;
  /** Bytes of the database and its log. */
  readonly database: number;
  /** Branches of the service that exist. */
  readonly branches: readonly string[];
}

/** Tables that contain only pending work. */
const workTables = ["outbox", "inbox", "test_new_tests", "test_late_reports", "test_uncounted_uploads"];
/** Growth is measured after this share of the pull requests, because caches fill first. */
const warmShare = 0.25;
const heapFactor = 1.2;
const heapSlack = 4_000_000;
const handleSlack = 20;
/** How much faster a table may grow in the second half. */
const paceFactor = 1.3;
const paceSlack = 20;

/** Describes what grows without a bound, or faster than the pull requests. */
export function judgeGrowth(samples: readonly GrowthSample[]): readonly string[] {
  const last = samples.at(-1);
  const warm = samples[Math.floor(samples.length * warmShare)];
  if (!last || !warm || last === warm) return ["there are too few samples"];
  return [
    ...samples.flatMap(judgeLeftovers),
    ...(last.heap > warm.heap * heapFactor + heapSlack
      ? [`the heap grew from ${megabytes(warm.heap)} to ${megabytes(last.heap)}`]
      : []),
    ...(last.fileHandles > warm.fileHandles + handleSlack
      ? [`file handles grew from ${warm.fileHandles} to ${last.fileHandles}`]
      : []),
    ...judgeTables(samples, warm, last),
  ];
}

function judgeLeftovers({ ended, rows, branches }: GrowthSample): string[] {
  const left = workTables.filter((table) => (rows.get(table) ?? 0) > 0);
  return [
    ...left.map((table) => `after ${ended} pull requests, ${rows.get(table)} rows were left in ${table}`),
    ...branches.map((name) => `after ${ended} pull requests, the branch ${name} was left`),
  ];
}

/** Judges whether tables grow at most as fast as the pull requests: not faster in the second half than in the first. */
function judgeTables(samples: readonly GrowthSample[], warm: GrowthSample, last: GrowthSample): string[] {
  const middle = samples.find(({ ended }) => ended * 2 >= warm.ended + last.ended) ?? last;
  const pace = (table: string, from: GrowthSample, to: GrowthSample) =>
    ((to.rows.get(table) ?? 0) - (from.rows.get(table) ?? 0)) / Math.max(1, to.ended - from.ended);
  return [...last.rows.keys()].flatMap((table) => {
    const [before, after] = [pace(table, warm, middle), pace(table, middle, last)];
    const slack = paceSlack / Math.max(1, last.ended - middle.ended);
    if (after <= before * paceFactor + slack) return [];
    return [
      `${table} grew by ${before.toFixed(1)} rows for each pull request, and later by ${after.toFixed(1)}`,
    ];
  });
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
