import type { CodeHostFailure } from "../../ports/code-host/code-host-failure.ts";

/**
 * What the code host shows contradicts something that is known, or may be about to change, because its replicas lag. It must be asked
 * again before anybody is blamed for it.
 */
export class OutdatedReading extends Error implements CodeHostFailure {
  override readonly name = "CodeHostError";
  readonly kind = "busy";
  readonly retryAfterMs = null;
}
