import type { EventData } from "../model/event.ts";
import type { QueueState } from "../model/queue.ts";
import type { Try } from "../model/tries/try.ts";
import type { TryEvent } from "../model/tries/try-event.ts";
import { begunRun, runAfter } from "./evolve-run.ts";

export function isTryEvent(data: EventData): data is TryEvent {
  return data.type.startsWith("try_");
}

/** The state after an event about a try. */
export function afterTryEvent(state: QueueState, data: TryEvent, at: number): QueueState {
  if (data.type === "try_ended") return { ...state, tries: state.tries.without(data.pr) };
  return { ...state, tries: state.tries.with(data.pr, tryAfter(state.tries.get(data.pr), data, at)) };
}

function tryAfter(before: Try | undefined, data: Exclude<TryEvent, { type: "try_ended" }>, at: number): Try {
  if (data.type === "try_asked") {
    const { type: _type, actor, via, ...facts } = data;
    return { ...facts, askedBy: actor, askedVia: via, askedAt: at, run: null, attempts: 0, retryAt: null };
  }
  if (!before) throw new Error(`#${data.pr} is not being tried`);
  switch (data.type) {
    case "try_started":
      return { ...before, run: begunRun(data.run, at), retryAt: null };
    case "try_built": {
      const { pr: _pr, ...built } = data;
      return { ...before, run: before.run && runAfter(before.run, { ...built, type: "run_built" }, at) };
    }
    case "try_put_back":
      return { ...before, run: null, attempts: data.attempts, retryAt: data.retryAt };
  }
}
