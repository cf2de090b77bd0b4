/** The version of what `--json` prints. It changes when a program that reads it would have to. */
export const formatVersion = 1;

const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Prints an object as one line. `JSON.stringify` leaves some control characters that a terminal would obey. */
export function printJson(answer: object): void {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = JSON.stringify({ formatVersion, ...answer });
  console.log(text.replaceAll(unprintable, (found) => found.split("").map(escaped).join("")));
}

/** Returns a function that prints an answer as JSON if that was asked for, else as lines for people. */
export function printerOf(json: boolean | undefined) {
  return (answer: object, lines: () => readonly string[]): void => {
    if (json) return printJson(answer);
    const printed = lines();
    for (const line of printed) console.log(line);
    if (printed.length === 0) printNone();
  };
}

/** Says that a list is empty. Standard output stays empty, too. */
export function printNone(): void {
  console.error("There are none.");
}

/** Prints on standard error what prevented a command: as a line, or as JSON if that was asked for. */
export function printFailure(code: string | null, text: string, json: boolean | undefined): void {
  const detail = printable(text);
  console.error(json ? JSON.stringify({ formatVersion, code, detail }) : detail);
}

/** Text that others wrote, such as a title, without control characters that a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, " ");
}
