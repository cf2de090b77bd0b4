import type { LabelEvent } from "../../../src/ports/code-host/pull-requests.ts";
import { alice, aliceId, wholeSecond } from "./virtual-comments.ts";

export const submitLabel = "trainyard:merge";

export type LabelAction = LabelEvent["action"];
/** A person, or the service. */
export type LabelActor = "alice" | "service";

const serviceId = 99;
export const labelActors = {
  alice: { actorLogin: alice.name, actorId: aliceId, actorIsBot: false },
  service: { actorLogin: "trainyard[bot]", actorId: serviceId, actorIsBot: true },
} as const;

/** The labels on pull requests, and who changed them. */
export class VirtualLabels {
  readonly #labels = new Map<number, Set<string>>();
  readonly #events = new Map<number, LabelEvent[]>();
  #ids = 0;

  of(pr: number): readonly string[] {
    return [...(this.#labels.get(pr) ?? [])];
  }

  /** Its events up to a time. */
  events(pr: number, until = Number.MAX_SAFE_INTEGER): readonly LabelEvent[] {
    return (this.#events.get(pr) ?? []).filter(({ at }) => at <= until);
  }

  /** Returns the change; null when nothing changed. */
  change(pr: number, action: LabelAction, label: string, by: LabelActor, now: number): LabelEvent | null {
    const known = this.#labels.get(pr) ?? new Set<string>();
    this.#labels.set(pr, known);
    if (known.has(label) === (action === "labeled")) return null;
    if (action === "labeled") known.add(label);
    else known.delete(label);
    this.#ids += 1;
    const event = { id: this.#ids, action, label, ...labelActors[by], at: wholeSecond(now) };
    this.#events.set(pr, [...this.events(pr), event]);
    return event;
  }
}
