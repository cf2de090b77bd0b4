import { effective, type QueueSettings } from "../settings.ts";
import type { TestRun } from "../test-run.ts";

/** The time at which a run fails because of its missing checks, in milliseconds since the epoch; null = never. */
export function missingUntil(settings: QueueSettings, run: TestRun): number | null {
  const minutes = effective(settings, "missingCheckMinutes");
  return run.missing && minutes > 0 ? run.missing.since + minutes * 60_000 : null;
}
