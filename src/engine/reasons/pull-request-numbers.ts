/** As they are written in texts. */
export function numbers(prs: readonly number[]): string[] {
  return prs.map((pr) => `#${pr}`);
}

const mostListed = 3;

/** The numbers of pull requests in a sentence. */
export function listed(prs: readonly number[]): string {
  const shown = numbers(prs.slice(0, mostListed));
  if (prs.length > mostListed) return `${shown.join(", ")} and ${prs.length - mostListed} more`;
  return [shown.slice(0, -1).join(", "), ...shown.slice(-1)].filter((part) => part !== "").join(" and ");
}
