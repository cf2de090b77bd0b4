import type { Digest } from "../identity.ts";
import type { TestFailure } from "../report/test-execution.ts";

/** What failures with the same cause have in common. */
export interface Fingerprint {
  /** The version of the rules that made it. Fingerprints of different versions are not comparable, and old ones are not recomputed. */
  readonly version: number;
  /** 64 bits, as 16 hex digits. */
  readonly id: string;
  /** The failure as one masked line: at most 200 characters, without parts that differ from run to run. */
  readonly summary: string;
}

export const fingerprintVersion = 1;

const encoder = new TextEncoder();

/** The failure's fingerprint: a hash of its type, its first meaningful line, and the nearest frame in the repository. */
export function fingerprintOf(failure: TestFailure, digest: Digest): Fingerprint {
  const summary = maskLine(meaningfulLineOf(failure));
  const parts = [fingerprintVersion, failure.type ?? "", maskQuoted(summary), topFrameOf(failure.text) ?? ""];
  const id = digest("sha256", encoder.encode(parts.join("\0"))).slice(0, 16);
  return { version: fingerprintVersion, id, summary };
}

/** Texts that report writers use when there is no message. */
const empty = /^(?:failed|failure|error|test failed|assertion failed|exception)?[.:!]?$/i;

/** Lines that test runners print before and after the cause. */
const noise =
  /^(?:===? (?:RUN|PAUSE|CONT|NAME)\b|--- (?:FAIL|PASS|SKIP)\b|Traceback \(most recent|[-=_*~─⎯]{3,}|●|> \d|\d+\) )/;

function meaningfulLineOf({ message, text, type }: TestFailure): string {
  const first = linesOf(message ?? "")[0];
  if (first !== undefined && !empty.test(first.trim())) return first;
  const lines = linesOf(text);
  // Python prints the exception as the last line without indentation.
  const said = /^Traceback \(most recent/m.test(text)
    ? lines.findLast((line) => /^\S/.test(line))
    : undefined;
  return said ?? lines.find((line) => !empty.test(line.trim())) ?? first ?? type ?? "no message";
}

function linesOf(text: string): string[] {
  return withoutColours(text.slice(0, 8_000))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !noise.test(line.trim()));
}

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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
  return text.replaceAll(/(?:\u001b|#x1B|\u009b)\[[\d;?]*[A-Za-z]/g, "");
}

/** The maximum number of characters of a stack that are read. */
const longestStack = 8_000;

/** A line of a stack: the place, and the function if the line names it. */
interface Frame {
  readonly place: string;
  readonly name: string;
}

/** How runtimes write a frame. The first pattern that matches a line applies. Line numbers are ignored: they change with every edit. */
const patterns: readonly RegExp[] = [
  // Java: at app//org.acme.ArithmeticTest.divides(ArithmeticTest.java:33)
  /^at (?:[\w.-]+\/{1,2})*(?<place>[\w.$]+)\.(?<name>[\w$<>]+)\((?:[\w$]+\.\w+(?::\d+)?|Native Method|Unknown Source)\)/,
  // .NET: at Acme.Tests.Divides(Int32 a) in /src/Arithmetic.cs:line 21
  /^at (?<name>[\w.`<>]+)\([^)]*\) in (?<place>\S[^:]*(?::\\[^:]*)?):line \d+/,
  // JavaScript: at Object.toBe (/src/a.test.js:5:50)
  /^at (?:[a-z]+ )?(?<name>[^(]*?) ?\((?<place>[^()]+?):\d+:\d+\)/,
  /^at (?:[a-z]+ )?(?<place>\S+?):\d+:\d+$/,
  // Vitest: ❯ divides sample.test.ts:5:66
  /^❯ (?:(?<name>\S+) )?(?<place>\S+?):\d+:\d+$/,
  // Python: File "/src/a.py", line 7, in divides
  /^File "(?<place>[^"]+)", line \d+(?:, in (?<name>\S+))?/,
  // Ruby: spec/a_spec.rb:12:in 'divides'
  /^(?:from )?(?<place>[^\s:]+\.rb):\d+(?::in [`'](?<name>[^']+)')?/,
  // Rust: thread 'x' panicked at tests/main.rs:20:5
  /panicked at (?<place>[^\s:]+):\d+:\d+/,
  // pytest, Go, PHP: tests/test_a.py:7: AssertionError
  /^(?<place>(?:[A-Za-z]:)?[^\s:]+\.\w{1,4}):\d+(?::|$)/,
];

/** Places outside of this repository: runtimes, test runners, installed packages. */
const foreign =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|vendor|\.cargo|\.rustup|\.pyenv|rustc|gems|lib[/\\]python[\d.]*|usr[/\\](?:lib|local))[/\\]|^(?:node:|internal\/|<|native$)|^(?:java|javax|jakarta|jdk|sun|kotlin|scala|groovy|org\.junit|junit|org\.opentest4j|org\.hamcrest|org\.assertj|org\.mockito|org\.gradle|org\.apache\.maven|org\.testng)\./;

/**
 * The frame of the stack that is nearest to the failure and lies in this repository, as `path#function`, or `class#method` for
 * Java; null = there is none.
 */
export function topFrameOf(stack: string): string | null {
  const frames: Frame[] = [];
  for (const line of withoutColours(stack.slice(0, longestStack)).split("\n")) {
    const frame = frameIn(line.trim());
    if (frame && !foreign.test(frame.place)) frames.push(frame);
  }
  // Python writes the innermost call last.
  const top = /\.py$/.test(frames[0]?.place ?? "") ? frames.at(-1) : frames[0];
  return top ? `${top.place}#${top.name}` : null;
}

function frameIn(line: string): Frame | null {
  if (line.length > 1_000) return null;
  for (const pattern of patterns) {
    const { place, name } = pattern.exec(line)?.groups ?? {};
    if (place !== undefined) return { place: withinRepository(place), name: name ?? "" };
  }
  return null;
}

/**
 * The path relative to the repository's root, if it can be derived. GitHub's runners check a repository out into `NAME/NAME`, in
 * different places on different machines.
 */
function withinRepository(place: string): string {
  return place
    .replace(/^(?:file|webpack|webpack-internal):\/{2,3}/, "/")
    .replaceAll("\\", "/")
    .replace(
      /^(?:\/home\/[^/]+\/(?:actions-runner\/_)?work|\/Users\/runner\/work|\/__w|\/?[A-Z]:\/a)\/([^/]+)\/(?:\1\/)?/,
      "",
    )
    .replace(/^\.\//, "");
}
