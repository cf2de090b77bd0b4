import { statusOf } from "./code-host-error.ts";

/** Returns the answer of a call; null when GitHub says that there is nothing. */
export async function orNull<T>(call: Promise<{ data: T }>): Promise<T | null> {
  try {
    return (await call).data;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
