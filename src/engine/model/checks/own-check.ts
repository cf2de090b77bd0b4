/** The name of the check that shows where a pull request is in the queue of a branch. */
export function ownCheckName(branch: string): string {
  return `Trainyard (${branch})`;
}

/**
 * Drops our own check: it passes when its pull request merges, so waiting for it would never end.
 *
 * @param checks required of a branch
 */
export function withoutOwnCheck<Check extends { readonly name: string }>(
  checks: readonly Check[],
  branch: string,
): Check[] {
  return checks.filter(({ name }) => name !== ownCheckName(branch));
}
