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

/** Runs in the service. */
const expression = `JSON.stringify({
  heap: process.memoryUsage().heapUsed + process.memoryUsage().external,
  resident: process.memoryUsage().rss,
  fileHandles: process.getBuiltinModule("node:fs").readdirSync("/dev/fd").length,
})`;

/** Looks into a running Node.js process through its inspector. */
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
