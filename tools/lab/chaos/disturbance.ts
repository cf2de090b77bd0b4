import { readFileSync, writeFileSync } from "node:fs";

/** What is wrong inside the process of a service. */
export interface Disturbance {
  /** What the SQLite database refuses. */
  readonly store: "disk_full" | "read_only" | null;
  /** How far the clock is ahead; negative = behind. */
  readonly clockMs: number;
}

export const undisturbed: Disturbance = { store: null, clockMs: 0 };

/** The variable that names the file from which the process reads its disturbance. */
export const fileVariable = "TRAINYARD_CHAOS_FILE";

export function writeDisturbance(file: string, disturbance: Disturbance): void {
  writeFileSync(file, JSON.stringify(disturbance));
}

export function readDisturbance(file: string): Disturbance {
  const text = readFileSync(file, "utf8");
  // A file that is being written is empty.
  return text === "" ? undisturbed : (JSON.parse(text) as Disturbance);
}
