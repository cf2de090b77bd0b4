import { lookAt } from "../look-at.ts";
import type { RunningDemo } from "../run-demo.ts";
import type { Row } from "./row.ts";

/** Returns a function that reads the current row of each pull request. A merged one is not read again. */
export function createRowReader({ client, queue, pullRequests }: RunningDemo): () => Promise<Row[]> {
  const merged = new Map<number, Row>();
  const read = async (number: number, title: string): Promise<Row> => {
    const before = merged.get(number);
    if (before) return before;
    // While the service is killed, its state is not known.
    const entry = await lookAt(client, queue, number).catch(() => null);
    if (entry === null) return { number, title, state: null, why: "", isRetried: false };
    const why = entry.why.map(({ text }) => text).join(" → ");
    const row = { number, title, state: entry.state, why, isRetried: why.includes("known flakes") };
    if (row.state === "merged") merged.set(number, row);
    return row;
  };
  return () => Promise.all(pullRequests.map(({ number, plan }) => read(number, plan.title)));
}
