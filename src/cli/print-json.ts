/** The version of what `--json` prints. It changes when a program that reads it would have to. */
export const formatVersion = 1;

const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Prints an object as one line. `JSON.stringify` leaves some control characters that a terminal would obey. */
export function printJson(answer: object): void {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = JSON.stringify({ formatVersion, ...answer });
  console.log(text.replaceAll(unprintable, (found) => found.split("").map(escaped).join("")));
}

/** Text that others wrote, such as a title, without control characters that a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, " ");
}
