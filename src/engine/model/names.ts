/**
 * The form in which GitHub compares the names of owners, repositories, people, teams and labels: it ignores case. Names of branches,
 * checks and files are case-sensitive.
 */
export function nameKey(name: string): string {
  return name.toLowerCase();
}

/** The login under which GitHub shows deleted accounts. Nobody reads what mentions it. */
export const ghost = "ghost";

/** Whether GitHub takes two names of owners, repositories, people, teams or labels for the same. */
export function isSameName(a: string | null | undefined, b: string | null | undefined): boolean {
  return a != null && b != null && nameKey(a) === nameKey(b);
}
