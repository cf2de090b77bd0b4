import type { Entry } from "./step.ts";

/** The state, the place and the innermost cause, in one line: `testing (position 2): its tests are running`. */
export function describeEntry(entry: Entry): string {
  const place = entry.position === null ? "" : ` (position ${entry.position})`;
  return `${stateText(entry)}${place}: ${entry.why.at(-1)?.text ?? entry.reason}`;
}

export function stateText({ state }: Pick<Entry, "state">): string {
  return state.replaceAll("_", " ");
}

/** The outputs that tell of an entry. */
export function entryOutputs(entry: Entry): Record<"state" | "reason" | "test-run-id", string> {
  return { state: entry.state, reason: entry.reason, "test-run-id": entry.verifiedByTestRun ?? "" };
}
