/**
 * A file below `facts/`. What it says decides CI's verdict, so that the truth about every tree can be told.
 */
export interface FactFile {
  path: string;
  content: string;
}

export interface Verdict {
  conclusion: "success" | "failure";
  /** What is wrong, one line each; empty for success. */
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

/** How many runs of tests on test branches fail because of a file, though it is right. */
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
 * Judges a tree by its fact files, `{"sets": ["x"], "forbids": ["y"], "broken": false, "flaky": 0}`, every key optional.
 * The check `build` fails if a file is malformed or says that it is broken. Every other check fails if one
 * file sets what another, or the same, forbids: two changes can each be good and fail together without a
 * conflict in their text. What is `flaky` has nothing to do with the truth; see `flakes.ts`.
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
