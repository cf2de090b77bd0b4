/** An increment of a counter. */
export interface MeterStep {
  /** Lower-case slug. */
  readonly organisation: string;
  readonly series: string;
  readonly by: number;
}

/** Counters that only increase. All replicas add to them. */
export interface MeterStore {
  add(steps: readonly MeterStep[]): Promise<void>;
  /** All counters of an organisation by name; summed over all organisations when it is null. */
  read(organisation: string | null): Promise<ReadonlyMap<string, number>>;
}
