/** Times and places as words for people. */

/** A time to the minute: `2026-11-22 07:30 UTC`. */
export function renderTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A duration in whole minutes, at least one: `3 min`, `2 h 10 min`. */
export function renderSpan(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
}

/** A place in a line: `1st`, `2nd`, `11th`, `23rd`. */
export function renderOrdinal(place: number): string {
  const teen = place % 100 >= 11 && place % 100 <= 13;
  const ending = teen ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
  return `${place}${ending}`;
}
