import { oncePer } from "../../collections/caches.ts";
import type { QueueState } from "../../model/queue.ts";
import { effective } from "../../model/settings.ts";
import { BeliefModel } from "../beliefs/belief-model.ts";
import { beliefsOf, type EntryEvidence, priorOf } from "../beliefs/belief-state.ts";

/** The maximum number of dependencies that are counted for the prior probability. */
const mostCounted = 64;

class LaneModel extends BeliefModel {
  protected override get mostTests(): number {
    const { settings } = this.state;
    return effective(settings, "concurrency") + effective(settings, "bisectionConcurrency");
  }

  override get convictsAtOnce(): boolean {
    return false;
  }

  override unmergedAhead(track: EntryEvidence): number[] {
    return this.ahead(track).map(({ pr }) => pr);
  }

  override slotsFor(track: EntryEvidence | undefined): number {
    const { main, any } = this.slots;
    return track?.started ? any : main;
  }

  protected override expect(track: EntryEvidence): number {
    const unsuspected = this.#countUnsuspected(track);
    return priorOf(beliefsOf(this.state).rates, this.own(track), track.exposure + unsuspected);
  }

  /** Returns the number of dependencies that are not left out, at most `mostCounted`. With that many, it is likely bad anyway. */
  #countUnsuspected(track: EntryEvidence): number {
    let count = 0;
    for (const pr of track.neighbours) {
      const other = this.track(pr);
      if (!other || !this.precedes(other, track) || this.isLeftOut(other)) continue;
      if (++count === mostCounted) break;
    }
    return count;
  }
}

/** Returns the model of a state in `parallel` mode. */
export const laneModelOf = oncePer((state: QueueState): BeliefModel => new LaneModel(state));
