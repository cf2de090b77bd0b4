/** How large the tables of the database are. */
export interface TableSizes {
  /** Approximately how many rows each table has, by its name. Counts no rows, so it takes a few milliseconds. */
  estimate(): Promise<ReadonlyMap<string, number>>;
}
