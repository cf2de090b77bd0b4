import type { SimulatedUpload } from "./upload.ts";

/** A rule that goes through a history, says which tests it takes for flaky, and forgives their failures. */
export interface FlakyRule {
  /** The tests whose failures it would forgive if this were the next upload. */
  readonly forgiven: (upload: SimulatedUpload) => ReadonlySet<number>;
  readonly see: (upload: SimulatedUpload) => void | Promise<void>;
  /** When each was first taken for flaky, for all pull requests and branches. */
  readonly flagged: ReadonlyMap<number, number>;
}

/** `names`: the tests are numbered below this. */
export type CreateRule = (names: number, tests: number) => FlakyRule;
