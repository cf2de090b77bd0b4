import type { TestName } from "../identity.ts";
import { leastSimilarity, similarityOfWords, wordsOf, wordsWithout } from "./similarity.ts";

/** A test that is gone, or one that is new. */
export interface RenameCandidate extends TestName {
  readonly sk: number;
  readonly variant: string;
}

/** The same test under its earlier and its new name. */
export interface FoundRename {
  readonly from: RenameCandidate;
  readonly to: RenameCandidate;
}

/** The tests of one file and variant that are gone, and those that are new. */
export interface RenameGroup {
  readonly gone: readonly RenameCandidate[];
  readonly added: readonly RenameCandidate[];
}

/** The minimum difference between the best match and the next one. If it is smaller, the match is ambiguous. */
const leastLead = 0.1;
/** Groups with more pairs are skipped: in a rewritten file, many names are similar by chance. */
const mostPairs = 2_500;
/** The maximum number of characters of a name. Longer names are probably generated. */
const longestName = 200;

/** The groups that have both tests that are gone and tests that are new. */
export function groupCandidates(
  gone: readonly RenameCandidate[],
  added: readonly RenameCandidate[],
): readonly RenameGroup[] {
  const groups = new Map<string, { gone: RenameCandidate[]; added: RenameCandidate[] }>();
  for (const test of gone) {
    const key = groupKeyOf(test);
    const group = groups.get(key) ?? { gone: [], added: [] };
    group.gone.push(test);
    groups.set(key, group);
  }
  for (const test of added) groups.get(groupKeyOf(test))?.added.push(test);
  return [...groups.values()].filter((group) => group.added.length > 0);
}

/** Pairs of tests that are each other's only good match. None for a group that is too large. */
export function findRenames({ gone, added }: RenameGroup): readonly FoundRename[] {
  if (gone.length * added.length > mostPairs) return [];
  const marksOf = memoized(caseMarksOf);
  const scores = gone.map((from) => added.map((to) => scoreOf(from, to, marksOf)));
  const columns = added.map((_, column) => scores.map((row) => row[column] ?? 0));
  const found: FoundRename[] = [];
  for (const [row, from] of gone.entries()) {
    const column = clearBest(scores[row] ?? []);
    if (column === null || clearBest(columns[column] ?? []) !== row) continue;
    const to = added[column];
    if (to) found.push({ from, to });
  }
  return found;
}

/** The index of the best score, if it is good and differs enough from the others. */
function clearBest(scores: readonly number[]): number | null {
  let [best, next, index] = [0, 0, -1];
  for (const [at, score] of scores.entries()) {
    if (score > best) [best, next, index] = [score, best, at];
    else if (score > next) next = score;
  }
  return best >= leastSimilarity && best - next >= leastLead ? index : null;
}

/** The similarity of the least similar parts of two names; 0 when they name different cases. */
function scoreOf(from: RenameCandidate, to: RenameCandidate, marksOf: typeof caseMarksOf): number {
  let score = 1;
  for (const part of ["name", "parent", "classname"] as const) {
    const [before, after] = [from[part], to[part]];
    if (before === after) continue;
    if (before === null || after === null) return 0;
    if (before.length > longestName || after.length > longestName) return 0;
    const [earlier, later] = [marksOf(before), marksOf(after)];
    score = Math.min(score, similarityOfWords(earlier.words, later.words));
    if (score < leastSimilarity || areOtherCases(earlier, later)) return 0;
  }
  return score;
}

function memoized<Result>(compute: (name: string) => Result): (name: string) => Result {
  const known = new Map<string, Result>();
  return (name) => {
    const result = known.get(name) ?? compute(name);
    known.set(name, result);
    return result;
  };
}

/**
 * Groups tests by file. If the report names no file, groups them by suite and class. Some reports repeat the test's name in its
 * class.
 */
function groupKeyOf({ variant, file, classname, parent, name }: RenameCandidate): string {
  if (file !== null) return JSON.stringify([variant, file]);
  return JSON.stringify([variant, parent, classname?.includes(name) ? null : classname]);
}

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
