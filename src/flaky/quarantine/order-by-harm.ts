/** Orders candidates for the budget: the test that certainly fails most often comes first. */
export function orderByHarm<Candidate extends { readonly runs: number; readonly failures: number }>(
  candidates: readonly Candidate[],
): Candidate[] {
  const harm = new Map(candidates.map((one) => [one, wilsonInterval(one.failures, one.runs).low]));
  return candidates.toSorted((a, b) => (harm.get(b) ?? 0) - (harm.get(a) ?? 0));
}

/**
 * The 95 % confidence interval of a failure rate. Source: Wilson, "Probable inference, the law of succession, and statistical
 * inference" (1927).
 */
export function wilsonInterval(
  failures: number,
  runs: number,
): { readonly low: number; readonly high: number } {
  if (runs === 0) return { low: 0, high: 1 };
  const z = 1.959964;
  const rate = failures / runs;
  const spread = z * Math.sqrt((rate * (1 - rate) + (z * z) / (4 * runs)) / runs);
  const middle = rate + (z * z) / (2 * runs);
  const whole = 1 + (z * z) / runs;
  return { low: Math.max(0, (middle - spread) / whole), high: Math.min(1, (middle + spread) / whole) };
}
