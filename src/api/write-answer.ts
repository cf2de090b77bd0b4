import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";

/** Longer lists are written in pieces. */
const longestAtOnce = 500;
/** Items per piece. Other requests get their turn between two pieces. */
const itemsAtOnce = 100;

/** Writes an answer that holds a long list as JSON in pieces; returns any other answer as it is. */
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
