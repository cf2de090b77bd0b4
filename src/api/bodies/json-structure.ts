/** Maximum nesting depth. Our deepest body has five levels. */
const deepest = 64;
/** Maximum memory, in bytes, that `JSON.parse` may need in another thread. */
const largestInThread = 48 * 1024 * 1024;
/** Upper bounds of the memory, in bytes, for an object with a new shape, a field with a new name, and a value. */
const cost = { container: 64, field: 64, value: 24 } as const;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const [openList, closeList] = [0x5b, 0x5d];
const [openObject, closeObject] = [0x7b, 0x7d];

/**
 * Returns why JSON must not be parsed, by its commas, colons and brackets; null when it may be parsed. `JSON.parse` can take
 * a hundred times the size of a body that consists of brackets only. Does not check that it is valid JSON.
 *
 * @param largest maximum memory for parsing, in bytes. Each MiB also takes up to 10 ms.
 */
export function structureFault(
  json: Uint8Array,
  largest = largestInThread,
): "TOO_DEEP" | "TOO_MANY_VALUES" | null {
  let depth = 0;
  let bytes = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at + 1);
        break;
      case comma:
        bytes += cost.value;
        break;
      case colon:
        bytes += cost.field;
        break;
      case openList:
      case openObject:
        bytes += cost.container;
        depth += 1;
        break;
      case closeList:
      case closeObject:
        depth -= 1;
        break;
    }
    if (depth > deepest) return "TOO_DEEP";
    if (bytes > largest) return "TOO_MANY_VALUES";
  }
  return null;
}

/** The first bytes of a string are checked one by one. In a longer string, `indexOf` finds the end far faster. */
const fewBytes = 256;

function endOfString(json: Uint8Array, from: number): number {
  for (let start = from; ; ) {
    const few = Math.min(json.length, start + fewBytes);
    let at = start;
    while (at < few && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
    if (at < few || at >= json.length) return at;
    at = json.indexOf(quote, at);
    if (at < 0) return json.length;
    if (!isEscaped(json, at, from)) return at;
    start = at + 1;
  }
}

/** A quotation mark after an odd number of backslashes is escaped. */
function isEscaped(json: Uint8Array, at: number, from: number): boolean {
  let before = at;
  while (before > from && json[before - 1] === backslash) before -= 1;
  return (at - before) % 2 === 1;
}
