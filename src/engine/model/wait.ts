import { asClause, inSentences } from "../reasons/sentence.ts";

/** What a queue has ordered of the code host, and waits for. One thing of each kind at a time. */
export type OrderedWork = "build" | "merge";

/** Why ordered work is put off. */
export type WaitCode =
  /** GitHub does not answer, or with an error of its own. */
  | "GITHUB_UNAVAILABLE"
  /** It is not ready for it, since another change is under way. */
  | "GITHUB_BUSY"
  /** It has had too many requests. */
  | "GITHUB_LIMITS_US"
  /** It says that it is not allowed, or not there. For a while that may be an incident. */
  | "GITHUB_DENIES"
  /** An error of our own. */
  | "INTERNAL_ERROR";

export interface Wait {
  readonly code: WaitCode;
  readonly message: string;
  /** When it is tried again, in milliseconds since the epoch. */
  readonly until: number;
}

const what: Readonly<Record<OrderedWork, string>> = { build: "making its test commit", merge: "merging" };

export function renderWait(work: OrderedWork, { code, message, until }: Wait): string {
  const time = `${new Date(until).toISOString().slice(11, 16)} UTC`;
  const details = `details: ${asClause(message)}`;
  const again = `it is tried again at ${time}`;
  switch (code) {
    case "GITHUB_LIMITS_US":
      return inSentences(`GitHub asks us to wait until ${time} before ${what[work]}`, details);
    case "GITHUB_DENIES":
      return inSentences(`GitHub denies ${what[work]}`, details, again);
    case "GITHUB_BUSY":
      return inSentences(`GitHub is not ready for ${what[work]}`, details, again);
    case "GITHUB_UNAVAILABLE":
      return inSentences(`GitHub does not answer to ${what[work]}`, details, again);
    case "INTERNAL_ERROR":
      return inSentences(`${what[work]} failed with an error of Trainyard's own`, "its log says more", again);
  }
}
