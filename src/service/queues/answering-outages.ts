import { type Outcome, refused } from "../runtime/outcome.ts";
import { isCodeHostFailure, isDenial } from "../workers/retry.ts";

/** Clients usually wait for 30 seconds. */
const patienceMs = 20_000;
const retryMs = 5_000;
/**
 * While this many commands of this process wait, further ones are refused at once, to keep capacity for requests that read nothing from the
 * code host.
 */
const mostWaiting = 800;

class TooSlow extends Error {}

let waiting = 0;

/**
 * Waits for what a command reads from the code host before it changes anything. A reading that takes longer continues in the background,
 * and its result is discarded.
 *
 * @throws an error that `answeringOutages` understands
 */
export async function readInTime<T>(read: () => Promise<T>): Promise<T> {
  if (waiting >= mostWaiting) throw new TooSlow(`it is slow: ${waiting} requests wait for it`);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const tooSlow = () => reject(new TooSlow(`it did not answer within ${patienceMs / 1_000} s`));
  const timer = setTimeout(tooSlow, patienceMs).unref();
  waiting += 1;
  try {
    return await Promise.race([read(), late]);
  } finally {
    waiting -= 1;
    clearTimeout(timer);
  }
}

/**
 * Refuses the command when the code host is unavailable or denies permission, instead of failing the request.
 */
export async function answeringOutages<T>(command: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof TooSlow)
      return refused({ code: "CODE_HOST_UNAVAILABLE", message: error.message, retryAfterMs: retryMs });
    if (!isCodeHostFailure(error)) throw error;
    const { kind, message, retryAfterMs } = error;
    if (kind === "unavailable" || kind === "busy" || kind === "rate_limited") {
      return refused({ code: "CODE_HOST_UNAVAILABLE", message, retryAfterMs });
    }
    // The installation may have been removed or suspended meanwhile.
    if (isDenial(error)) return refused({ code: "CODE_HOST_DENIED", message });
    throw error;
  }
}
