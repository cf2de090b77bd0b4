import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";

/** Lists of up to so many items are written at once. */
const longestAtOnce = 500;
/** Items of a longer one that are written before others get their turn. */
const itemsAtOnce = 100;

/** The answer as JSON, in pieces when there is a long list in it; what holds no such list is left to be written at once. */
export function writeAnswer(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  if (!Object.values(answer).some(isLong)) return answer;
  return Readable.from(piecesOf(answer), { objectMode: false });
}

async function* piecesOf(answer: object): AsyncGenerator<string> {
  let before = "{";
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ",";
    if (isLong(value)) yield* piecesOfList(value);
    else yield JSON.stringify(value);
  }
  yield "}";
}

async function* piecesOfList(items: readonly unknown[]): AsyncGenerator<string> {
  let before = "[";
  for (let at = 0; at < items.length; at += itemsAtOnce) {
    yield before + JSON.stringify(items.slice(at, at + itemsAtOnce)).slice(1, -1);
    before = ",";
    await setImmediate();
  }
  yield "]";
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > longestAtOnce;
}
