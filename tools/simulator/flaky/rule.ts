import type { SimulatedUpload } from "./upload.ts";

/** A rule that processes a history, marks tests as flaky, and forgives their failures. */
export interface FlakyRule {
  /** Returns the tests whose failures it would forgive if this were the next upload. */
  readonly forgiven: (upload: SimulatedUpload) => ReadonlySet<number>;
  readonly see: (upload: SimulatedUpload) => void | Promise<void>;
  /** When each test was first marked as flaky, for all pull requests and branches. */
  readonly flagged: ReadonlyMap<number, number>;
}

/** `names`: all test numbers are below this. */
export type CreateRule = (names: number, tests: number) => FlakyRule;
