import { execFile } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { Disturbance } from "./disturbance.ts";
import { lasting, type StoreFault } from "./store-fault.ts";

const run = promisify(execFile);

export interface SqlitePlace {
  readonly path: string;
  /** The process ids of the services that run at the moment. */
  readonly pids: () => readonly number[];
  /** Tells the services what their database refuses. */
  readonly refuse: (store: Disturbance["store"]) => void;
}

/** The faults of a SQLite file. */
export const sqliteFaults = ({ path, pids, refuse }: SqlitePlace): readonly StoreFault[] => [
  ...(["disk_full", "read_only"] as const).map((store) =>
    lasting(
      store,
      async () => refuse(store),
      async () => refuse(null),
    ),
  ),
  lasting(
    "write_failed",
    // The kernel refuses to let any file of the process grow. The log is a pipe.
    () => limitFiles(pids(), "4096:unlimited"),
    () => limitFiles(pids(), "unlimited:unlimited"),
  ),
  locked(path),
];

async function limitFiles(pids: readonly number[], bytes: string): Promise<void> {
  for (const pid of pids) await run("prlimit", [`--pid=${pid}`, `--fsize=${bytes}`]).catch(gone);

  function gone(error: unknown): void {
    // The service was killed in this moment.
    if (!String(error).includes("No such process")) throw error;
  }
}

/** Another process holds the write lock. */
const locked = (path: string): StoreFault => ({
  name: "locked",
  async strike(passes) {
    const other = new DatabaseSync(path, { timeout: 2_000 });
    try {
      other.exec("begin immediate");
      await passes();
      other.exec("rollback");
    } finally {
      other.close();
    }
  },
});
