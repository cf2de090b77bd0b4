const namedAtOnce = 3;
const longestName = 80;

/** Names of tests, as many as are read. Whoever writes a test names it, so that nothing in them may be more than text. */
export function namesOf(tests: readonly string[]): string {
  const more = tests.length - namedAtOnce;
  const names = tests.slice(0, namedAtOnce).map((name) =>
    name
      .replaceAll(/[^\p{L}\p{N} .,:;/#'()=+-]+/gu, " ")
      .trim()
      .slice(0, longestName),
  );
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
