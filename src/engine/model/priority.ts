/** The priority of an entry: lower values go first, equal values by time of submission. */
export interface Priority {
  readonly value: number;
  /** A known name, or the number as text. */
  readonly name: string;
  /** True when nobody chose it. */
  readonly isDefault: boolean;
}

const namedPriorities: ReadonlyMap<string, number> = new Map([
  ["urgent", 0],
  ["high", 10],
  ["medium", 100],
  ["low", 200],
]);

export const maxPriority = 4_294_967_295;

export const defaultPriority: Priority = { value: 100, name: "medium", isDefault: true };

/**
 * Parses the priority that a person or a client gives: a name in any case, digits, or a number 0…4294967295.
 * Returns null when it is none of these.
 */
export function parsePriority(input: string | number): Priority | null {
  const text = String(input).trim().toLowerCase();
  const value = namedPriorities.get(text) ?? (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN);
  if (!Number.isInteger(value) || value > maxPriority) return null;
  return { value, name: nameOf(value), isDefault: false };
}

function nameOf(value: number): string {
  for (const [name, named] of namedPriorities) if (named === value) return name;
  return String(value);
}
