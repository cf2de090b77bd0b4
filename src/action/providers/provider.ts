import type { GitEnvironment } from "../git/git.ts";
import type { PathRule } from "../targets/path-rules.ts";
import type { BazelInputs } from "./bazel/bazel-inputs.ts";

/** The change of a pull request, and where to look at it. */
export interface Change {
  readonly baseSha: string;
  readonly headSha: string;
  /** Runs in the directory of the build tool's workspace. */
  readonly git: GitEnvironment;
  /** The user's rules that map files to targets, in addition to what the provider knows. */
  readonly rules: readonly PathRule[];
  /** A directory for a provider's temporary files. */
  readonly temporary: string;
  readonly bazel: BazelInputs;
}

/** The impact of a pull request: everything, for a reason, or targets in batches. */
export type Impact =
  | { readonly all: true; readonly because: string }
  | { readonly all: false; readonly targets: AsyncIterable<readonly string[]> };

/** Targets that are known at once, as one batch. */
export async function* batched(targets: Iterable<string>): AsyncGenerator<readonly string[]> {
  yield [...targets];
}
