import { oncePer } from "../../collections/once-per.ts";
import type { QueueState } from "../../model/queue.ts";
import { effective } from "../../model/settings.ts";
import { BeliefModel } from "../beliefs/belief-model.ts";
import { beliefsOf, type EntryEvidence } from "../beliefs/belief-state.ts";
import { blockOf } from "./blocks.ts";

/** The risk of a conflict, because it is unknown which entries may conflict. */
const conflictRisk = 0.03;

class BlockModel extends BeliefModel {
  /**
   * Tests of entries by themselves do not run in addition to the tests that `concurrency` allows. There are many of them, and CI seldom
   * serves the sum of both settings, so that every test would take longer (ADR 84).
   */
  protected override get mostTests(): number {
    const { settings } = this.state;
    return Math.max(effective(settings, "concurrency"), effective(settings, "bisectionConcurrency"));
  }

  /** In a serial queue without batches, waiting for a second failure gains nothing. */
  override get convictsAtOnce(): boolean {
    const { settings } = this.state;
    return effective(settings, "concurrency") === 1 && !settings.batch;
  }

  /** Returns the members of all blocks ahead. */
  override unmergedAhead({ pr }: EntryEvidence): number[] {
    const { blocks } = beliefsOf(this.state);
    const block = blockOf(this.state, pr);
    return block ? blocks.slice(0, blocks.indexOf(block)).flatMap(({ members }) => members) : [];
  }

  override slotsFor(): number {
    return this.slots.main;
  }

  protected override expect(track: EntryEvidence): number {
    return Math.min(0.9, this.own(track) + conflictRisk);
  }
}

/** Returns the model of a state in `single` mode. */
export const blockModelOf = oncePer((state: QueueState): BeliefModel => new BlockModel(state));
