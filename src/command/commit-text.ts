/** Maximum lengths in characters. GitHub documents no limits, and git's own tools show the first line. */
export const maxCommitTitle = 250;
export const maxCommitMessage = 20_000;

/** A title of one line, without control characters. */
export const plainTitle = /^\P{Cc}*$/u;
/** A message of any number of lines, without control characters except tabs and line breaks. */
export const plainMessage = /^[\P{Cc}\t\r\n]*$/u;

/** Describes the fault of a commit's title in a sentence; null when the title is valid. */
export function titleProblem(title: string): string | null {
  return problemOf("title", title, maxCommitTitle, plainTitle);
}

/** Describes the fault of a commit's message in a sentence; null when the message is valid. */
export function messageProblem(message: string): string | null {
  return problemOf("message", message, maxCommitMessage, plainMessage);
}

function problemOf(what: string, text: string, longest: number, plain: RegExp): string | null {
  if (text.trim() === "") return `The ${what} of a commit must not be empty.`;
  if (text.length > longest) return `The ${what} of a commit has at most ${longest} characters.`;
  if (!plain.test(text)) return `The ${what} of a commit must not contain control characters.`;
  return text.isWellFormed() ? null : `The ${what} of a commit must be well-formed Unicode.`;
}

/** The placeholders of a template for a commit's title or message. */
export const placeholders = ["title", "number", "body", "author", "url", "commits"] as const;

type Placeholder = (typeof placeholders)[number];

const pattern = /\{(\w+)\}/g;

export function placeholdersIn(template: string): string[] {
  return [...template.matchAll(pattern)].map(([, name = ""]) => name);
}

export function isPlaceholder(name: string): name is Placeholder {
  return (placeholders as readonly string[]).includes(name);
}

/**
 * Fills a template. Placeholders inside the inserted values are not replaced. If the result is too long, the longest inserted value is
 * shortened, so that the template's own text stays.
 *
 * @param maxLength in UTF-16 code units
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<Placeholder, string>>,
  maxLength: number,
): string {
  const used = new Map(
    placeholdersIn(template).flatMap((name) => (isPlaceholder(name) ? [[name, values[name]]] : [])),
  );
  for (let filled = fill(template, used); ; filled = fill(template, used)) {
    const excess = filled.length - maxLength;
    if (excess <= 0) return filled;
    const longest = [...used].toSorted(([, one], [, other]) => other.length - one.length)[0];
    if (!longest || longest[1].length <= 1) return shortened(filled, maxLength);
    const [name, value] = longest;
    const times = placeholdersIn(template).filter((placeholder) => placeholder === name).length;
    used.set(name, shortened(value, Math.max(1, value.length - Math.ceil(excess / times))));
  }
}

function fill(template: string, values: ReadonlyMap<string, string>): string {
  return template
    .replaceAll(pattern, (whole, name: string) => values.get(name) ?? whole)
    .replaceAll("\r\n", "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
    .toWellFormed();
}

/** The beginning of a text, followed by an ellipsis. Never splits a surrogate pair. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text
    .slice(0, maxLength - 1)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd()}…`;
}
