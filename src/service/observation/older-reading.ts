import type { CodeHostFailure } from "../../ports/code-host/code-host-failure.ts";

/**
 * The code host shows a state from before something that is already known, because one of its replicas lags.
 */
export class OlderReading extends Error implements CodeHostFailure {
  override readonly name = "CodeHostError";
  readonly kind = "busy";
  readonly retryAfterMs = null;
}
