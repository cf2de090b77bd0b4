import { nextTurn } from "../../../service/next-turn.ts";
import type { NumberedResult } from "../../store/packing/packed-results.ts";
import type { StoredUpload } from "../../store/uploads/stored-uploads.ts";

/** The tests that are in only one of two uploads. */
export interface TestDifference {
  readonly gone: readonly number[];
  readonly added: readonly NumberedResult[];
}

/** The number of results to process before other work runs. */
const atATime = 4_000;

/** Iterates both uploads once, by ascending number. Null when more than `most` tests are gone or added. */
export async function compareTests(
  before: Pick<StoredUpload, "results">,
  after: Pick<StoredUpload, "results">,
  most: number,
): Promise<TestDifference | null> {
  const gone: number[] = [];
  const added: NumberedResult[] = [];
  const earlier = before.results[Symbol.iterator]();
  let left = earlier.next();
  let seen = 0;
  for (const result of after.results) {
    for (; !left.done && left.value.sk < result.sk; left = earlier.next()) gone.push(left.value.sk);
    if (!left.done && left.value.sk === result.sk) left = earlier.next();
    else added.push(result);
    if (gone.length > most || added.length > most) return null;
    seen += 1;
    if (seen % atATime === 0) await nextTurn();
  }
  for (; !left.done; left = earlier.next()) {
    gone.push(left.value.sk);
    if (gone.length > most) return null;
  }
  return { gone, added };
}
