import * as z from "zod";

/**
 * A field that a known client sends, and that has no effect. It is accepted with any value and dropped: its values may be large.
 * Only fields that change nothing may be ignored. A setting that the service does not have is refused (fixed-settings.ts, ADR 10).
 *
 * @param sender the client, as the subject of a sentence.
 */
export function ignoredField(sender: string) {
  return z
    .unknown()
    .optional()
    .transform(() => undefined)
    .describe(`Ignored. ${sender} sends it.`);
}
