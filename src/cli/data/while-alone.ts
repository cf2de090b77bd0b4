import { ownDatabase } from "../../store/sqlite/own-database.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Does something with a database while no service uses it.
 *
 * @param waitMs how long it waits for others to end.
 * @throws Error when one does.
 */
export async function whileAlone<T>(databaseUrl: string, work: () => Promise<T>, waitMs = 0): Promise<T> {
  const { signal: stop } = new AbortController();
  const ownership = await ownDatabase(databaseUrl, { waitMs, log: silent, stop, mode: "alone" });
  if (ownership.kind === "in_use") throw new Error(ownership.problem);
  if (ownership.kind === "stopped") throw new Error("this command was stopped");
  try {
    return await work();
  } finally {
    ownership.release();
  }
}
