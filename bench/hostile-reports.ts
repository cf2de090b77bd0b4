/** Harmful reports. They are generated piece by piece, so that generating them takes little of the measured memory. */
export const hostileReports: Readonly<Record<string, () => Iterable<string | Uint8Array>>> = {
  bomb: () => [
    `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "haha">${levels.map(entity).join("")}]>`,
    "<testsuite><testcase name='&j;'/></testsuite>",
  ],
  doctype: () => ["<!DOCTYPE r SYSTEM 'file:///etc/passwd'>", "<testsuite/>"],
  nested: () => repeated("<testsuite>".repeat(1_000), 1_000),
  attribute: () => [begin, "<testcase name='", ...repeated(mebibyte("a"), 50)],
  nul: () => [begin, ...repeated(`<testcase name='a\0'/>${mebibyte("\0")}`, 50)],
  "utf-16": () => [new Uint8Array([0xff, 0xfe]), ...repeated(Buffer.from(mebibyte("<a/>"), "utf16le"), 25)],
  references: () => [begin, ...repeated(mebibyte("&amp;"), 50)],
  brackets: () => [begin, ...repeated(mebibyte("]"), 50)],
  comment: () => [begin, "<!--", ...repeated(mebibyte("- "), 50)],
  repeats: () => [begin, ...repeated(mebibyte("<testcase name='a'/>"), 50)],
};

const begin = "<testsuite name='s'>";
const levels = [..."bcdefghij"];

function entity(name: string, index: number): string {
  const before = index === 0 ? "a" : levels[index - 1];
  return `<!ENTITY ${name} "${`&${before};`.repeat(10)}">`;
}

function mebibyte(text: string): string {
  return text.repeat(Math.ceil((1024 * 1024) / text.length));
}

function* repeated<Piece>(piece: Piece, times: number): Generator<Piece> {
  for (let at = 0; at < times; at += 1) yield piece;
}
