import { wordsOf, wordsWithout } from "./similarity.ts";

/** The parts of a name that distinguish similar cases. */
interface CaseMarks {
  readonly words: readonly string[];
  /** Numbers, symbols, parameters and negations, as one text. */
  readonly marks: string;
}

const negations = new Set(["not", "never", "no", "none", "nothing", "without", "cannot", "nor", "neither"]);
/** A contraction without its apostrophe, as in `doesntCrash`. */
const contraction = /^(?:do|does|did|is|are|was|were|ca|could|wo|would|should|has|have|had|must)nt$/;
const numerals = new Set([
  ...[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
  ],
  ...["first", "second", "third", "fourth", "last"],
]);
const oppositePrefixes = ["un", "in", "im", "il", "ir", "dis", "non", "de"];
const opposites = new Map([
  ["true", "false"],
  ["enable", "disable"],
  ["enables", "disables"],
  ["enabled", "disabled"],
]);

export function caseMarksOf(name: string): CaseMarks {
  const words = wordsOf(name);
  const marks = [parametersOf(name), symbolsOf(name), numbersOf(words), countNegations(words)];
  return { words, marks: JSON.stringify(marks) };
}

/**
 * Whether two names are those of different cases, even if they are similar: they differ in numbers, symbols, parameters or a
 * negation, as `rejects 2 arguments` and `rejects 3 arguments` do. Symmetric.
 */
export function areOtherCases(a: CaseMarks, b: CaseMarks): boolean {
  return a.marks !== b.marks || haveOpposites(a.words, b.words);
}

/** The parameters at the end of a parametrised test's name: `[1-chromium]` of `opens[1-chromium]`, `(1, 2)` of `adds (1, 2)`. */
function parametersOf(name: string): string {
  const trimmed = name.trimEnd();
  if (!/[)\]}]$/.test(trimmed)) return "";
  const start = trimmed.search(/[([{]/);
  return start === -1 ? "" : trimmed.slice(start);
}

/** Operators, which distinguish cases, as in `a < b`. Other symbols, such as `-` and `/`, often separate words. */
function symbolsOf(name: string): string {
  return name.replace(/[^<>=!+*%&|^~$€£#@]/g, "");
}

/** Digits, numerals, and single letters that number cases. */
function numbersOf(words: readonly string[]): string {
  return words.filter((word, index) => isNumber(word, index === words.length - 1)).join(" ");
}

function isNumber(word: string, isLast: boolean): boolean {
  if (/\p{N}/u.test(word) || numerals.has(word)) return true;
  return /^[a-z]$/.test(word) && (isLast || !["a", "s"].includes(word));
}

function countNegations(words: readonly string[]): number {
  return words.filter((word) => negations.has(word) || contraction.test(word)).length;
}

function haveOpposites(words: readonly string[], others: readonly string[]): boolean {
  const [onlyHere, onlyThere] = [wordsWithout(words, others), wordsWithout(others, words)];
  return onlyHere.some((word) =>
    onlyThere.some((other) => isOpposite(word, other) || isOpposite(other, word)),
  );
}

function isOpposite(word: string, other: string): boolean {
  return opposites.get(word) === other || oppositePrefixes.some((prefix) => other === prefix + word);
}
