import { newHistory, statusOf, type TestHistory } from "../../detection/history.ts";
import type { TestEvaluationStore } from "../../store/history/test-evaluation-store.ts";
import type { StatusChanges } from "../test-messages.ts";
import type { EvaluatedHistories } from "./evaluate-uploads.ts";

/** The tests whose status has changed, with each change. Usually there are none. */
export async function statusChangesOf(
  { changed, before }: EvaluatedHistories,
  store: Pick<TestEvaluationStore, "named">,
): Promise<readonly StatusChanges[]> {
  const found = [...changed].flatMap(([sk, history]) => {
    const earlier = before.get(sk) ?? newHistory(0);
    const changes = changesSince(earlier, history);
    return changes.length > 0 ? [{ sk, before: statusOf(earlier).status, changes }] : [];
  });
  if (found.length === 0) return [];
  const tests = await store.named(found.map(({ sk }) => sk));
  return found.flatMap(({ sk, ...rest }) => {
    const test = tests.get(sk);
    return test ? [{ test, ...rest }] : [];
  });
}

/**
 * Unchanged entries keep their object identity, so a new object is a new change. The first entry of a new
 * history is not a change.
 */
function changesSince(before: TestHistory, { changes }: TestHistory) {
  const known = new Set(before.changes);
  return changes.filter((change) => !known.has(change) && change.reason.code !== "NOTHING_KNOWN");
}
