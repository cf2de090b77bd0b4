import type { CheckMemory } from "../model/checks/check-memory.ts";
import type { EventData } from "../model/event.ts";
import type { QueueState } from "../model/queue.ts";

/** The check memory after an event. Names that are no longer required are removed when the next test branch is built. */
export function checkMemoryAfter(memory: CheckMemory, data: EventData): CheckMemory {
  switch (data.type) {
    case "run_built": {
      const isRequired = (name: string) => data.required.some((check) => check.name === name);
      return replaced(memory, memory.heard.filter(isRequired), memory.silent.filter(isRequired));
    }
    case "run_checked": {
      const names = new Set(data.checks.map(({ name }) => name));
      const silent = memory.silent.filter((name) => !names.has(name));
      return replaced(memory, [...new Set([...memory.heard, ...names])], silent);
    }
    case "entry_moved": {
      if (data.reason.code !== "REQUIRED_CHECK_MISSING") return memory;
      return replaced(memory, memory.heard, [...new Set([...memory.silent, ...data.reason.names])]);
    }
    default:
      return memory;
  }
}

/** The required checks that are known not to report on test branches, and that are not accepted from the heads. */
export function silentChecks({
  checkMemory,
  settings,
}: Pick<QueueState, "checkMemory" | "settings">): readonly string[] {
  return checkMemory.silent.filter((name) => !settings.acceptFromHead.includes(name));
}

function replaced(memory: CheckMemory, heard: readonly string[], silent: readonly string[]): CheckMemory {
  const isSame = heard.length === memory.heard.length && silent.length === memory.silent.length;
  return isSame ? memory : { heard, silent };
}
