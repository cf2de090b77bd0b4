/** The name of the check that shows where a pull request is in the queue of a branch. */
export function ownCheckName(branch: string): string {
  return `Trainyard (${branch})`;
}

/** The branch that our check with this name is about; null when it is another check. */
export function branchOfOwnCheck(name: string): string | null {
  const [, branch] = /^Trainyard \((.+)\)$/.exec(name) ?? [];
  return branch ?? null;
}

/**
 * Removes our own check. It passes only when its pull request merges, so waiting for it would never end.
 *
 * @param checks the required checks of a branch
 */
export function withoutOwnCheck<Check extends { readonly name: string }>(
  checks: readonly Check[],
  branch: string,
): Check[] {
  return checks.filter(({ name }) => name !== ownCheckName(branch));
}
