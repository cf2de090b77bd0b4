const namedAtOnce = 3;
const longestName = 80;

/** Lists the first few test names. The author of a test chooses its name, so characters that could act as markup are removed. */
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
