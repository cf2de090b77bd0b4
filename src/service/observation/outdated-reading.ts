import type { CodeHostFailure } from "../../ports/code-host/code-host.ts";

/**
 * What the code host shows is, or may be, out of date, because its replicas lag. It must be asked again before a pull request is removed
 * because of it.
 */
export class OutdatedReading extends Error implements CodeHostFailure {
  override readonly name = "CodeHostError";
  readonly kind = "busy";
  readonly retryAfterMs = null;
}
