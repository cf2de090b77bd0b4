/** The numbers as written in texts, such as `#12`. */
export function numbers(prs: readonly number[]): string[] {
  return prs.map((pr) => `#${pr}`);
}

const mostListed = 3;

/** The numbers of pull requests as a list for a sentence. Long lists are shortened. */
export function listed(prs: readonly number[]): string {
  const shown = numbers(prs.slice(0, mostListed));
  if (prs.length > mostListed) return `${shown.join(", ")} and ${prs.length - mostListed} more`;
  return [shown.slice(0, -1).join(", "), ...shown.slice(-1)].filter((part) => part !== "").join(" and ");
}
