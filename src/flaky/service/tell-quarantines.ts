import type {
  QuarantineCandidate,
  QuarantinePlan,
  QuarantineRevision,
  QuarantineScene,
} from "../store/quarantines/quarantine-store.ts";
import type { Tellings } from "./test-messages.ts";

/**
 * The webhook messages for a plan: changed settings, and tests whose failures become forgiven or stop being
 * forgiven.
 *
 * @param plan a unique name of the plan.
 */
export function tellQuarantines(
  { candidates, settings }: QuarantineScene,
  { revisions }: QuarantinePlan,
  at: number,
  plan: string,
): Tellings {
  const before = new Map(candidates.map((test) => [test.sk, test]));
  const told: Tellings[number][] = [];
  for (const revision of revisions) {
    const test = before.get(revision.sk);
    if (!test) continue;
    if (test.mode !== revision.mode) told.push(() => settingChanged(test, revision, at, plan));
    // While quarantining is disabled nothing is forgiven, also for tests that are marked as quarantined.
    if (settings.enabled && test.isQuarantined !== revision.isQuarantined) {
      const tell = revision.isQuarantined ? quarantined : released;
      told.push(() => tell(test, revision, at, plan));
    }
  }
  return told;
}

function settingChanged(
  test: QuarantineCandidate,
  { mode, quarantine }: QuarantineRevision,
  at: number,
  plan: string,
) {
  return {
    ...{ id: `setting_${plan}`, test, at, status: test.status.status },
    type: "test_case.quarantining_setting_changed" as const,
    reason: quarantine?.reason ?? "",
    more: { quarantine_setting: wordOf(mode), previous_quarantine_setting: wordOf(test.mode) },
  };
}

function quarantined(
  test: QuarantineCandidate,
  { mode, quarantine }: QuarantineRevision,
  at: number,
  plan: string,
) {
  return {
    ...{ id: `quarantined_${plan}`, test, at, status: test.status.status },
    type: "test_case.quarantined" as const,
    reason: quarantine?.reason ?? "",
    more: {
      quarantine_setting: wordOf(mode),
      quarantine_reason: mode === "ALWAYS" ? "ALWAYS_SET" : "FLAKY",
      quarantine_owner: quarantine?.owner ?? null,
      quarantine_expires_at: quarantine && new Date(quarantine.expiresAt).toISOString(),
    },
  };
}

const sentences = {
  NEVER_SET: "Somebody has set that its failures count",
  EXPIRED: "Its quarantine has ended",
  HEALTHY: "It is not flaky any more",
  BROKEN: "It fails each time, which is never forgiven automatically",
  BUDGET_SPENT: "Too many tests are quarantined already",
} as const;

function released(test: QuarantineCandidate, { mode }: QuarantineRevision, at: number, plan: string) {
  const code = releaseReason(test, mode, at);
  return {
    ...{ id: `unquarantined_${plan}`, test, at, status: test.status.status },
    type: "test_case.unquarantined" as const,
    reason: sentences[code],
    more: {
      ...{ quarantine_setting: wordOf(mode), quarantine_reason: code },
      ...{ quarantine_owner: null, quarantine_expires_at: null },
    },
  };
}

function releaseReason(
  { quarantine, status }: QuarantineCandidate,
  mode: QuarantineRevision["mode"],
  at: number,
): keyof typeof sentences {
  if (mode === "NEVER") return "NEVER_SET";
  if (mode === "ALWAYS" || (quarantine && at >= quarantine.expiresAt)) return "EXPIRED";
  return status.status === "FLAKY" ? "BUDGET_SPENT" : status.status;
}

function wordOf(mode: QuarantineRevision["mode"]): string {
  return `${mode}_QUARANTINE`;
}
