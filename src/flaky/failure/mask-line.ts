/** The maximum number of characters of a masked line. */
const longestLine = 200;

/** The maximum number of characters of a line that are read. */
const longestRead = 2_000;

/**
 * Patterns of text that differs from run to run, in the order in which they are replaced: a pattern that can contain another comes
 * before it. The masks also keep possible secrets out of summaries.
 */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'<>)\]]+/gi, "<url>"],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "<id>"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "<time>"],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, "<time>"],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "<address>"],
  [/\[[\da-f]*:[\da-f:]+\](?::\d+)?/gi, "<address>"],
  [/\b(?:localhost|[a-z\d-]+(?:\.[a-z\d-]+)+):\d{2,5}\b/gi, "<address>"],
  [/(?:\b[A-Z]:\\|\\\\)[^\s"'<>|:)\]]+/g, "<path>"],
  [/(?<![\w.<>/])(?:\.{0,2}\/)[\w@.~+-]+(?:\/[\w@.~+-]+)+\/?/g, "<path>"],
  [/(?<![\w.<>/])[\w@~+-]+(?:\/[\w@.~+-]+)*\/[\w@~+-]+\.[a-z]\w{0,5}\b/gi, "<path>"],
  [/\b0x[\da-f]+\b/gi, "<id>"],
  [/\b(?=[a-f]*\d)[\da-f]{7,}\b/gi, "<id>"],
  [/[\w+/-]{24,}={0,2}/g, "<id>"],
  [
    /(?<!\w)[-+]?\d[\d_,]*(?:\.\d+)?(?:e[-+]?\d+)?(?:\s?(?:ns|µs|us|ms|s|sec|seconds?|m|min|minutes?|h|[KMG]i?B|bytes?|%))?(?![a-z\d])/gi,
    "<n>",
  ],
  [/\d+/g, "<n>"],
];

/** A line of a failure without parts that differ from run to run, at most 200 characters. */
export function maskLine(line: string): string {
  let masked = withoutColours(line.slice(0, longestRead)).replaceAll(/\s+/g, " ").trim();
  for (const [pattern, mask] of masks) masked = masked.replaceAll(pattern, mask);
  return masked.length <= longestLine ? masked : `${masked.slice(0, longestLine - 1)}…`;
}

/** Also masks text in quotes: values that an assertion compares differ each time. */
export function maskQuoted(masked: string): string {
  return masked.replaceAll(/"[^"]*"|`[^`]*`|(?<!\w)'[^']*'/g, "<text>");
}

/** Removes the escape sequences of terminals, also in the form in which pytest writes them. */
export function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told by a control character.
  return text.replaceAll(/(?:\u001b|#x1B|\u009b)\[[\d;?]*[A-Za-z]/g, "");
}
