/** A step of a counter. */
export interface MeterStep {
  /** Lower-case slug. */
  readonly organisation: string;
  readonly series: string;
  readonly by: number;
}

/** Counters that only grow, and that any replica adds to. */
export interface MeterStore {
  add(steps: readonly MeterStep[]): Promise<void>;
  /** Every counter of an organisation by its name; summed over all of them when it is null. */
  read(organisation: string | null): Promise<ReadonlyMap<string, number>>;
}
