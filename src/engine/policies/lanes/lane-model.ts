import { memoizeByState } from "../../collections/caches.ts";
import type { QueueState } from "../../model/queue.ts";
import { settingInUse } from "../../model/settings.ts";
import { BeliefModel } from "../beliefs/belief-model.ts";
import { beliefsOf, type EntryEvidence, priorOf } from "../beliefs/belief-state.ts";

/** The maximum number of dependencies that are counted for the prior probability. */
const mostCounted = 64;

class LaneModel extends BeliefModel {
  protected override get mostTests(): number {
    const { settings } = this.state;
    return settingInUse(settings, "concurrency") + settingInUse(settings, "bisectionConcurrency");
  }

  override get evictsAtOnce(): boolean {
    return false;
  }

  override unmergedAhead(evidence: EntryEvidence): number[] {
    return this.ahead(evidence).map(({ pr }) => pr);
  }

  override slotsFor(evidence: EntryEvidence | undefined): number {
    const { main, any } = this.slots;
    return evidence?.started ? any : main;
  }

  protected override expect(evidence: EntryEvidence): number {
    const unsuspected = this.#countUnsuspected(evidence);
    return priorOf(beliefsOf(this.state).rates, this.own(evidence), evidence.exposure + unsuspected);
  }

  /** Returns the number of dependencies that are not left out, at most `mostCounted`. With that many, it is likely bad anyway. */
  #countUnsuspected(evidence: EntryEvidence): number {
    let count = 0;
    for (const pr of evidence.neighbours) {
      const other = this.evidence(pr);
      if (!other || !this.precedes(other, evidence) || this.isLeftOut(other)) continue;
      if (++count === mostCounted) break;
    }
    return count;
  }
}

export const laneModelOf = memoizeByState((state: QueueState): BeliefModel => new LaneModel(state));
