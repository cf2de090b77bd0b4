import type { GitEnvironment } from "../git/git.ts";
import type { PathRule } from "../targets/path-rules.ts";
import type { BazelInputs } from "./bazel/bazel-inputs.ts";

/** What a pull request changes, and where to look at it. */
export interface Change {
  readonly baseSha: string;
  readonly headSha: string;
  /** In the directory of the build tool's workspace. */
  readonly git: GitEnvironment;
  /** Which files belong to which targets by what people wrote, past what the provider knows. */
  readonly rules: readonly PathRule[];
  /** A directory for what a provider has to put somewhere. */
  readonly temporary: string;
  readonly bazel: BazelInputs;
}

/** What a pull request impacts: everything, for a reason, or targets that come in batches. */
export type Impact =
  | { readonly all: true; readonly because: string }
  | { readonly all: false; readonly targets: AsyncIterable<readonly string[]> };

/** Targets that are known at once. */
export async function* batched(targets: Iterable<string>): AsyncGenerator<readonly string[]> {
  yield [...targets];
}
