/** A file below `facts/`. Its content decides CI's verdict, so the truth about every tree is known. */
export interface FactFile {
  path: string;
  content: string;
}

export interface Verdict {
  conclusion: "success" | "failure";
  /** The causes of the failure, one line each; empty for success. */
  reasons: string[];
}

interface Facts {
  sets: string[];
  forbids: string[];
  broken: boolean;
  flaky: number;
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** The number of test runs on test branches that a file makes fail although it is good. */
export const flakyRuns = ({ content }: FactFile): number => parseFacts(content)?.flaky ?? 0;

function parseFacts(content: string): Facts | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return null;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return null;
  const { sets = [], forbids = [], broken = false, flaky = 0 } = parsed as Record<string, unknown>;
  const isValid = isNames(sets) && isNames(forbids) && typeof broken === "boolean" && isCount(flaky);
  return isValid ? { sets, forbids, broken, flaky } : null;
}

const verdict = (reasons: string[]): Verdict => ({
  conclusion: reasons.length === 0 ? "success" : "failure",
  reasons,
});

/**
 * Judges a tree by its fact files, `{"sets": ["x"], "forbids": ["y"], "broken": false, "flaky": 0}`, every key optional. The
 * check `build` fails if a file is malformed or is marked as broken. Every other check fails if a file sets a name that it or
 * another file forbids. Two changes can therefore be good alone and fail together without a textual conflict. `flaky` does not
 * affect this verdict; see `flakes.ts`.
 */
export function judgeFacts(files: readonly FactFile[], checks: readonly string[]): Map<string, Verdict> {
  const buildFailures: string[] = [];
  const setBy = new Map<string, string>();
  const forbiddenBy: [name: string, path: string][] = [];
  for (const { path, content } of files) {
    const facts = parseFacts(content);
    if (facts === null) {
      buildFailures.push(`${path} is malformed`);
      continue;
    }
    if (facts.broken) buildFailures.push(`${path} is broken`);
    for (const name of facts.sets) if (!setBy.has(name)) setBy.set(name, path);
    for (const name of facts.forbids) forbiddenBy.push([name, path]);
  }
  const contradictions = forbiddenBy.flatMap(([name, path]) => {
    const setter = setBy.get(name);
    return setter === undefined ? [] : [`${setter} sets "${name}", which ${path} forbids`];
  });
  return new Map(checks.map((check) => [check, verdict(check === "build" ? buildFailures : contradictions)]));
}
