import { counted } from "./sentence.ts";

/** Advice about a required check that does not report on test branches. */
export const missingCheckAdvice =
  "name it in the queue's acceptFromHead if it reports on pull requests only, let its workflow run on pushes to test branches without a path filter, or correct its name where it is required";

/** Required checks did not appear on a test branch within `minutes` after everything else there had ended. */
export interface MissingCheckReason {
  readonly code: "REQUIRED_CHECK_MISSING";
  readonly names: readonly string[];
  readonly minutes: number;
}

/** @param names the names in the form in which they are shown */
export function renderMissingCheck({ minutes }: MissingCheckReason, names: readonly string[]): string {
  const checks = names.length === 1 ? "check" : "checks";
  return `required ${checks} never reported on the test branch, although everything else there had been finished for ${counted(minutes, "minute")}: ${names.join(", ")}`;
}
