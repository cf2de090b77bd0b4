import type { CodeHostFailure } from "../ports/code-host-failure.ts";

/** The code host still shows what it showed before something that is known: one of its replicas lags. */
export class OlderReading extends Error implements CodeHostFailure {
  override readonly name = "CodeHostError";
  readonly kind = "busy";
  readonly retryAfterMs = null;
}
