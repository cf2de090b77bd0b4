import { renderStatusReason } from "../../detection/status.ts";
import {
  beginQuarantine,
  budgetOf,
  decideQuarantine,
  type QuarantineSettings,
  shareOf,
} from "../../quarantine/decide-quarantine.ts";

import type {
  QuarantineCandidate,
  QuarantineInputs,
  QuarantinePlan,
  QuarantineRevision,
} from "../../store/quarantines/quarantine-store.ts";

/** The criteria by which tests compete for quarantine. */
export interface Merits {
  /** The number of independent proofs that the test is flaky. */
  readonly proofsOf: (sk: number) => number;
  /** The harm of the test. The tests with the greatest harm come first. */
  readonly harmOf: (sk: number) => number;
}

/**
 * Plans a repository's quarantines from what is known of its tests. Quarantined tests keep their place. The
 * others follow in order of harm.
 */
export function planQuarantines(
  { candidates, tests, settings }: QuarantineInputs,
  at: number,
  { proofsOf, harmOf }: Merits,
): QuarantinePlan {
  // While quarantining is disabled, nothing changes, so that the earlier quarantines apply again when it is enabled.
  if (!settings.enabled) return { revisions: [], isBudgetSpent: null };
  const budget = budgetOf(tests, settings);
  let held = candidates.filter(({ mode, isQuarantined }) => mode === "AUTO" && isQuarantined).length;
  let isBudgetSpent = false;
  const revisions: QuarantineRevision[] = [];
  const inOrder = candidates.toSorted(
    (a, b) => Number(b.isQuarantined) - Number(a.isQuarantined) || harmOf(b.sk) - harmOf(a.sk) || a.sk - b.sk,
  );
  for (const test of inOrder) {
    const { mode, status, quarantine, provenAt } = test;
    const holds = mode === "AUTO" && test.isQuarantined;
    const decision = decideQuarantine(
      {
        ...{ mode, quarantine, provenAt },
        budget: shareOf(budget, proofsOf(test.sk)),
        status: status.status,
        others: holds ? held - 1 : held,
      },
      at,
      settings,
    );
    isBudgetSpent ||= decision.code === "BUDGET_SPENT";
    const revision = revised(test, decision.isQuarantined, at, settings);
    if (holds !== (mode === "AUTO" && revision.isQuarantined)) held += holds ? -1 : 1;
    if (isChange(test, revision)) revisions.push(revision);
  }
  return { revisions, isBudgetSpent };
}

function revised(
  test: QuarantineCandidate,
  isQuarantined: boolean,
  at: number,
  settings: QuarantineSettings,
): QuarantineRevision {
  const { sk, mode, status, quarantine } = test;
  const same = { sk, mode, isQuarantined, quarantine };
  if (isQuarantined && (quarantine === null || at >= quarantine.expiresAt)) {
    const owner = test.owners?.[0] ?? null;
    return { ...same, quarantine: beginQuarantine(at, owner, renderStatusReason(status.reason), settings) };
  }
  // A recovered test loses its quarantine record. A broken test, or one whose quarantine expired, keeps it.
  if (!isQuarantined && mode === "AUTO" && status.status === "HEALTHY") return { ...same, quarantine: null };
  return same;
}

function isChange(test: QuarantineCandidate, { isQuarantined, quarantine }: QuarantineRevision): boolean {
  return isQuarantined !== test.isQuarantined || quarantine !== test.quarantine;
}
