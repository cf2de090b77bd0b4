import { type ExplainLink, link } from "../../explain/explain-link.ts";
import type { Entry } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import { inSentences, listed, numbers } from "../../reasons/sentence.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import { beliefsOf, type EntryEvidence } from "../beliefs/belief-state.ts";
import { createBeliefPolicy } from "../beliefs/beliefs-policy.ts";
import { heldBackLink, named } from "../beliefs/explain-beliefs.ts";
import { considerWaiting } from "../beliefs/starting.ts";
import { evictEntry } from "../beliefs/suspicion.ts";
import { realignEntries } from "../beliefs/verdicts.ts";
import { alignInBlock } from "./block-end.ts";
import { formationTime, formBlocks } from "./block-plan.ts";
import { startBlockRuns } from "./block-runs.ts";
import { blockModelOf, blockOf, hasRoom, membersOf } from "./blocks.ts";
import {
  cullBlockRuns,
  decideBlocks,
  interruptBlocks,
  makeWayForBlocks,
  startBlockMerge,
} from "./settle-blocks.ts";

/** Estimates faults in `single` mode: the line consists of blocks, each tested and merged together. */
export const blocks = createBeliefPolicy(
  {
    name: "blocks",
    nextDeadline: formationTime,
    // Blocks ahead are tested without it, and nothing would test them again.
    mayMergeNext: (state, { block }) => block !== undefined && block.id === beliefsOf(state).blocks[0]?.id,
  },
  {
    modelOf: blockModelOf,
    mayStart: () => true,
    decide(decision) {
      decideBlocks(decision);
      evictEntry(decision, blockModelOf(decision.state));
      cullBlockRuns(decision);
      startBlockMerge(decision);
    },
    start(decision) {
      makeWayForBlocks(decision);
      interruptBlocks(decision);
      considerWaiting(decision);
      formBlocks(decision);
      startBlockRuns(decision);
    },
    // It is known only later whether the test contained exactly what merges before the block.
    runPassed: (decision) => realignEntries(decision, { code: "RETESTED" }),
    align: alignInBlock,
    holdsOnConflict: () => true,
    waitLinks: blockWaitLinks,
    verdictLinks: blockVerdictLinks,
  },
);

/** Why a waiting entry is not tested. */
export function blockWaitLinks(
  model: BeliefModel,
  entry: Entry,
  evidence: EntryEvidence | undefined,
): readonly ExplainLink[] {
  const { state } = model;
  if (evidence?.isolated) {
    const text = inSentences("it is tested by itself first", "it is more likely to fail than the others");
    return [link(entry, "TESTED_ALONE", text)];
  }
  const block = blockOf(state, entry.pr);
  if (block) return [heldBackLink(model, entry, evidence)];
  const until = formationTime(state);
  const text = hasRoom(state)
    ? "waits for the next group that is tested together"
    : `waits until one of the ${beliefsOf(state).blocks.length} groups in test is decided`;
  return [{ ...link(entry, "BLOCK_FORMING", text), ...(until ? { until } : {}) }];
}

/** The verdicts on the block of an entry, each on top of other blocks that may merge before it. */
export function blockVerdictLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const verdicts = blockOf(state, entry.pr)?.verdicts.slice(-named) ?? [];
  if (verdicts.length === 0) return [];
  const tested = verdicts.map(({ outcome, path }) => ({ outcome, ahead: membersOf(state, path) }));
  const texts = tested.map(
    ({ outcome, ahead }) =>
      `${outcome} ${ahead.length === 0 ? "on what has merged" : `on top of ${listed(ahead)}`}`,
  );
  const text = inSentences("its group has been tested", texts.join(", "));
  return [link(entry, "GROUP_TESTED", text, numbers([...new Set(tested.flatMap(({ ahead }) => ahead))]))];
}
