/** Reads the fields of one JSON object, and collects all problems. */
export class LineFields {
  readonly problems: string[] = [];
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  /** The names of fields that were not read. */
  get unread(): string[] {
    return Object.keys(this.#fields).filter((name) => !this.#read.has(name));
  }

  has(name: string): boolean {
    this.#read.add(name);
    return this.#fields[name] !== undefined && this.#fields[name] !== null;
  }

  flag(name: string): boolean {
    return this.#expect(name, "true or false", false, (value) => typeof value === "boolean");
  }

  /** A number in `[low, high]`, including the bounds. */
  number(name: string, low = 0, high = Number.MAX_VALUE): number {
    const range = high === Number.MAX_VALUE ? `of ${low} or more` : `from ${low} to ${high}`;
    return this.#expect(
      name,
      `a number ${range}`,
      low,
      (value) => typeof value === "number" && value >= low && value <= high,
    );
  }

  /** A number above 0. */
  positive(name: string): number {
    return this.#expect(name, "a number above 0", 1, (value) => typeof value === "number" && value > 0);
  }

  /** A whole number of at least `low`. */
  whole(name: string, low: number): number {
    return this.#expect(
      name,
      `a whole number of ${low} or more`,
      low,
      (value) => Number.isSafeInteger(value) && Number(value) >= low,
    );
  }

  oneOf<T extends string>(name: string, values: readonly [T, ...T[]]): T {
    const wanted = values.map((value) => `"${value}"`).join(" or ");
    return this.#expect(name, wanted, values[0], (value) => values.some((known) => known === value));
  }

  targets(name: string): "ALL" | readonly string[] {
    const isTargets = (value: unknown) =>
      value === "ALL" || (Array.isArray(value) && value.every((target) => typeof target === "string"));
    return this.#expect(name, `"ALL" or a list of texts`, "ALL", isTargets);
  }

  #expect<T>(name: string, wanted: string, otherwise: T, accepts: (value: unknown) => boolean): T {
    this.#read.add(name);
    const value = this.#fields[name];
    if (accepts(value)) return value as T;
    const found = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
    this.problems.push(`"${name}" ${found}, but must be ${wanted}`);
    return otherwise;
  }
}
