import type { CodeHostFailure } from "../../ports/code-host/code-host-failure.ts";

/** A pull request seems to have another base branch, and it is not certain that the queue's own branch was not renamed to it. */
export class RenamedBranch extends Error implements CodeHostFailure {
  override readonly name = "CodeHostError";
  readonly kind = "busy";
  readonly retryAfterMs = null;
}
