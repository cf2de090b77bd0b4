import type { Event } from "../engine/model/event.ts";
import type { QueueSettings } from "../engine/model/settings.ts";
import { readRecording } from "./recording.ts";
import { prepareReplay, type ReplayFigures } from "./replay-recording.ts";

/** A question about a queue: what would have happened with other settings? */
export interface WhatIf {
  /** The current settings of the queue. */
  readonly settings: QueueSettings;
  /** The settings that differ, for each replay. */
  readonly variants: readonly Partial<QueueSettings>[];
}

/** A part of the answer. Each replay gives its own part, because it takes seconds. */
export type WhatIfPart =
  | {
      readonly kind: "recorded";
      readonly figures: ReplayFigures;
      readonly assumptions: readonly string[];
    }
  /** `variant` is its index; null = the current settings. */
  | {
      readonly kind: "replayed";
      readonly variant: number | null;
      readonly figures: ReplayFigures;
      readonly violations: readonly string[];
    }
  /** No test ran in that time. */
  | { readonly kind: "empty" };

/** Replays the end of a queue's log with its current settings, and with each variant. */
export function* answerWhatIf(
  events: readonly Event[],
  { settings, variants }: WhatIf,
): Generator<WhatIfPart> {
  const recording = readRecording(events, settings);
  if (recording.entries.every(({ readyAt }) => readyAt === null)) return yield { kind: "empty" };
  const { recorded, assumptions, replay } = prepareReplay(recording);
  yield { kind: "recorded", figures: recorded, assumptions };
  yield { kind: "replayed", variant: null, ...replay({}) };
  for (const [variant, changes] of variants.entries())
    yield { kind: "replayed", variant, ...replay(changes) };
}
