const generatedParts = [
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/, // UUIDs
  /\b0x[\da-f]+\b/,
  /(?<!\d)\d{4}([-_])\d\d\1\d\d(?!\d)(?:T[\d:.+-]*\dZ?)?|\b\d\d:\d\d:\d\d\b/, // dates and times
  /(?<=\b(?:build|dev|run|seed)(?:[_-]?(?:id|no|num|number))?[=:#. -]*)\d{3,}/,
  /\d{6,}(?:[\da-f]+\b)?/, // also Node's nightly20261129 with a commit
  /(?<![a-z\d])(?:\d+-g)?(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,}(?![a-z\d])/, // commits, also as `git describe` writes them
];
/** The end of a long variant that the Action has shortened. Only it distinguishes such variants. */
const digest = /(?<=^.{51}) [\da-f]{12}$/;
const pattern = new RegExp([digest, ...generatedParts].map(({ source }) => source).join("|"), "gi");

/**
 * Masks the parts of a name that are likely to differ in each run: UUIDs, dates, times, commits, numbers of six digits or more, and
 * of three or more after `build`, `dev`, `run` or `seed`. Shorter numbers and versions stay: `shard=1`, `node=24.1`.
 */
export function maskGenerated(name: string): string {
  return name.replaceAll(pattern, (part) => (part.startsWith(" ") ? part : "…"));
}
