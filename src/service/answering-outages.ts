import { type Outcome, refused } from "./outcome.ts";
import { isCodeHostFailure } from "./retry.ts";

/** A code host that does not answer or denies permission refuses the command instead of failing the service. */
export async function answeringOutages<T>(command: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await command();
  } catch (error) {
    if (!isCodeHostFailure(error)) throw error;
    const { kind, message, retryAfterMs } = error;
    if (kind === "unavailable" || kind === "busy" || kind === "rate_limited") {
      return refused({ code: "CODE_HOST_UNAVAILABLE", message, retryAfterMs });
    }
    // An installation that was removed or suspended since is not found.
    if (kind === "denied" || kind === "not_found") return refused({ code: "CODE_HOST_DENIED", message });
    throw error;
  }
}
