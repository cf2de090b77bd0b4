import type { Digest } from "../identity.ts";
import type { TestFailure } from "../report/test-execution.ts";
import { maskLine, maskQuoted, withoutColours } from "./mask-line.ts";
import { topFrameOf } from "./top-frame.ts";

/** What failures with the same cause have in common. */
export interface Fingerprint {
  /** The version of the rules that made it. Fingerprints of two versions are not comparable, and old ones are not recomputed. */
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

/** Lines that test runners print around the cause. */
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
