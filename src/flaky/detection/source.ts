/** Where a run's tests came from: a pull request, a stable branch, or a test branch of the merge queue. */
export interface RunSource {
  readonly kind: "pr" | "stable" | "queue";
  /** Equal for runs that may fail because of the same change. */
  readonly name: string;
}

/** @param treeSha names the source of a run that is not of a pull request: each tree may have changes of its own */
export function sourceOf({
  kind,
  pr,
  branch,
  treeSha,
}: {
  readonly kind: RunSource["kind"];
  readonly pr: number | null;
  readonly branch: string;
  readonly treeSha: string;
}): RunSource {
  if (kind === "pr") return { kind, name: pr === null ? branch : pullRequestName(pr) };
  return { kind, name: treeSha };
}

export function pullRequestName(pr: number): string {
  return `#${pr}`;
}
