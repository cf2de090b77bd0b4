import { endedGuides } from "./guides/ended.ts";
import type { ReasonGuide } from "./guides/guide.ts";
import { queueStateGuides } from "./guides/queue-state.ts";
import { queuedGuides } from "./guides/queued.ts";
import type { ReasonCode } from "./reason.ts";

export const reasonGuides: Readonly<Record<ReasonCode, ReasonGuide>> = {
  ...queuedGuides,
  ...endedGuides,
  ...queueStateGuides,
};

export const guideOf = (code: ReasonCode): ReasonGuide => reasonGuides[code];
