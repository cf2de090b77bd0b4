import type { SimulatedUpload } from "./upload.ts";

/** A rule that goes through a history and says which tests it takes for flaky. */
export interface FlakyDetector {
  readonly see: (upload: SimulatedUpload) => void;
  /** When each was first taken for flaky. */
  readonly flagged: ReadonlyMap<number, number>;
}

export type CreateDetector = (tests: number) => FlakyDetector;
