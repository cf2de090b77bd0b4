import { type Outcome, refused } from "../outcome.ts";
import { isCodeHostFailure } from "../tasks/retry.ts";

/**
 * Refuses the command when the code host is unavailable or denies permission, instead of failing the request.
 */
export async function answeringOutages<T>(command: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await command();
  } catch (error) {
    if (!isCodeHostFailure(error)) throw error;
    const { kind, message, retryAfterMs } = error;
    if (kind === "unavailable" || kind === "busy" || kind === "rate_limited") {
      return refused({ code: "CODE_HOST_UNAVAILABLE", message, retryAfterMs });
    }
    // `not_found`: the installation was removed or suspended meanwhile.
    if (kind === "denied" || kind === "not_found") return refused({ code: "CODE_HOST_DENIED", message });
    throw error;
  }
}
