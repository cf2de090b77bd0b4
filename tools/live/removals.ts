import {
  CodeHostError,
  messageOf,
  statusOf,
  toCodeHostError,
} from "../../src/github/client/code-host-error.ts";

interface Removal {
  /** Names the object in the report when it could not be deleted. */
  readonly what: string;
  readonly request: () => Promise<unknown>;
}

/** Requests each deletion. Retries once where GitHub did not respond. Returns what is left, with the reasons. */
export async function removeEach(removals: readonly Removal[]): Promise<string[]> {
  const failed: { removal: Removal; error: unknown }[] = [];
  for (const removal of removals) await remove(removal, failed);
  const [again, refused] = [
    failed.filter(({ error }) => isUnanswered(error)),
    failed.filter(({ error }) => !isUnanswered(error)),
  ];
  for (const { removal } of again) await remove(removal, refused);
  return refused.map(
    ({ removal, error }) => `${removal.what}: ${messageOf(error).replace(/\s+/g, " ").trim()}`,
  );
}

async function remove(removal: Removal, failed: { removal: Removal; error: unknown }[]): Promise<void> {
  try {
    await removal.request();
  } catch (error) {
    if (!isGone(error)) failed.push({ removal, error });
  }
}

/** Whether the effect of a request is unknown. */
export function isUnanswered(error: unknown): boolean {
  const failure = toCodeHostError(error);
  return !(failure instanceof CodeHostError) || failure.kind === "unavailable";
}

/** Whether the object no longer exists. GitHub responds with 422 for a ref that does not exist. */
function isGone(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || (status === 422 && /does not exist/i.test(messageOf(error)));
}
