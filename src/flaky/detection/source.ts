/** Where a run's tests came from: a pull request, a branch that everybody builds on, or what the merge queue put together. */
export interface RunSource {
  readonly kind: "pr" | "stable" | "queue";
  /** The same for runs that may fail for one and the same change. */
  readonly name: string;
}

/** @param tree of what is not a pull request: each tree may have changes of its own */
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
