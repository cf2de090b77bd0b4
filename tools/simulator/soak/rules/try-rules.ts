import type { EventData } from "../../../../src/engine/model/event.ts";
import { baseTip, countActiveTries, type QueueState } from "../../../../src/engine/model/queue.ts";
import { settingInUse } from "../../../../src/engine/model/settings.ts";

import type { Violations } from "../../../../src/replay/engine-run/watches.ts";

/** Judges an event: a try is built on the base alone, nothing is built on it, and it does not merge. */
export function checkTryEvent(violations: Violations, before: QueueState, data: EventData): void {
  const used =
    data.type === "run_started"
      ? [...data.run.ahead, ...data.run.members]
      : data.type === "merge_started"
        ? data.attempt.steps.map(({ pr }) => pr)
        : [];
  // A pull request that was just submitted is no longer a try, although the event of its end follows its admission.
  for (const pr of used)
    if (before.tries.has(pr) && !before.entries.has(pr))
      violations.add("I23", `#${pr} is being tried, but ${data.type} contains it`);
  if (data.type !== "try_started") return;
  const { base, ahead, members } = data.run;
  if (base !== baseTip(before) || ahead.length > 0 || members.join() !== `${data.pr}`)
    violations.add("I23", `the try of #${data.pr} stands on ${base}, ${ahead} and holds ${members}`);
  if (before.status !== "running")
    violations.add("I23", `#${data.pr} is tried while the queue is ${before.status}`);
}

/** Judges a state: a try is not queued, and takes no slot that an entry needs. */
export function checkTries(violations: Violations, state: QueueState): void {
  for (const pr of state.tries.keys())
    if (state.entries.has(pr)) violations.add("I23", `#${pr} is tried, and is in the queue`);
  const tried = countActiveTries(state);
  const slots = settingInUse(state.settings, "concurrency");
  if (tried > 0 && tried + state.runIndex.active.main > slots)
    violations.add("I23", `${tried} tries and ${state.runIndex.active.main} runs share ${slots} slots`);
}
