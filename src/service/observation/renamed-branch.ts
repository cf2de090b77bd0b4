import type { CodeHostFailure } from "../../ports/code-host/code-host-failure.ts";

/** A pull request seems to have another base branch, because the queue does not know the new name of its own branch yet. */
export class RenamedBranch extends Error implements CodeHostFailure {
  override readonly name = "CodeHostError";
  readonly kind = "busy";
  readonly retryAfterMs = null;
}
