import type { Logger } from "../../ports/code-host/runtime.ts";
import type { KnownLead, ReplicaStore } from "../../store/replicas/replica-store.ts";
import { PeriodicTask } from "../workers/periodic-task.ts";
import { Lead } from "./lead.ts";
import { NoteSender } from "./note-sender.ts";
import type { ReplicaHooks, ReplicaNote, Replicas } from "./replicas.ts";

export interface SharedReplicasOptions {
  readonly store: ReplicaStore;
  /** Unique. */
  readonly id: string;
  /** For people who read the table. */
  readonly name: string;
  readonly log: Logger;
  /** Default: `defaultPace`. */
  readonly pace?: ReplicaPace;
}

export interface ReplicaPace {
  readonly beatMs: number;
  /** After this time without a beat, others consider a replica dead. */
  readonly deadAfterMs: number;
  readonly listenMs: number;
  /** Notes may be lost with their sender, so the ends of the logs are also read. */
  readonly catchUpMs: number;
}

const defaultPace: ReplicaPace = { beatMs: 1_000, deadAfterMs: 6_000, listenMs: 250, catchUpMs: 2_000 };
/** After this number of beats, the leader removes notes and replicas that are at least this old. */
const sweptEveryBeats = 60;

/**
 * Several services on one database. Each records beats. One of them leads: it took the lead when no other held it, or when the holder no
 * longer beat. Two may lead for a moment, which costs calls but is safe (ADR 98).
 */
export class SharedReplicas implements Replicas {
  readonly #parts: SharedReplicasOptions;
  readonly #replicas: Pulses;
  readonly #leaders: Pulses;
  readonly #lead: Lead;
  readonly #sender: NoteSender;
  readonly #rounds: readonly PeriodicTask[];
  #hooks: ReplicaHooks | null = null;
  #lastNote = 0;
  #beats = 0;
  #forgetUpTo = 0;
  live = 1;

  constructor(parts: SharedReplicasOptions) {
    const { store, id, log, pace = defaultPace } = parts;
    const { beatMs, deadAfterMs, listenMs, catchUpMs } = pace;
    this.#parts = parts;
    this.#replicas = new Pulses(deadAfterMs);
    this.#leaders = new Pulses(deadAfterMs);
    // A leader stops a little before others may take the lead.
    this.#lead = new Lead(log, deadAfterMs * 0.75);
    this.#sender = new NoteSender(store, id, log);
    const level = "warn" as const;
    this.#rounds = [
      { run: () => this.#beat(), everyMs: beatMs, purpose: "tell the other replicas that this one lives" },
      { run: () => this.#listen(), everyMs: listenMs, purpose: "read what other replicas have told" },
      { run: () => this.#catchUp(), everyMs: catchUpMs, purpose: "look for events of other replicas" },
    ].map((round) => new PeriodicTask({ ...round, log, level }));
  }

  broadcast(note: ReplicaNote): void {
    if (this.live > 1) this.#sender.add(note);
  }

  /** @throws Error when the database is not reached. */
  async start(hooks: ReplicaHooks): Promise<void> {
    this.#hooks = hooks;
    this.#lead.use(hooks);
    this.#lastNote = await this.#parts.store.lastNote();
    for (const round of this.#rounds) round.start();
  }

  async stop(): Promise<void> {
    for (const round of this.#rounds) await round.stop();
    await this.#sender.stop();
    await this.#lead.drop();
    const { store, id, log } = this.#parts;
    await store
      .remove(id)
      .catch((error: unknown) =>
        log.warn({ err: error }, "could not leave the lead to another replica; it will be taken soon"),
      );
  }

  async #beat(): Promise<void> {
    const { store, id, name } = this.#parts;
    const { at, replicas, lead } = await store.beat(id, name);
    const alive = replicas.filter((other) => this.#replicas.isAlive(other.id, other.beats, at));
    this.#replicas.keepOnly(new Set(replicas.map((other) => other.id)));
    this.live = Math.max(1, alive.length);
    if (lead?.holder === id) this.#lead.keep(at);
    else {
      await this.#lead.drop();
      // The lead was taken at an unknown time. The next beat confirms it at a known one.
      if (await this.#takesLead(lead, at)) return this.#beat();
    }
    this.#beats += 1;
    if (!this.#lead.isHeld || this.#beats % sweptEveryBeats > 0) return;
    for (const other of replicas) if (!alive.includes(other)) await store.remove(other.id);
    await store.forgetNotes(this.#forgetUpTo);
    this.#forgetUpTo = await store.lastNote();
  }

  async #takesLead(lead: KnownLead | null, at: number): Promise<boolean> {
    const { store, id } = this.#parts;
    if (lead && this.#leaders.isAlive(lead.holder, lead.beats, at)) return false;
    return await store.takeLead(id, lead);
  }

  async #listen(): Promise<void> {
    if (this.live === 1) return;
    for (const { id, sender, content } of await this.#parts.store.notesAfter(this.#lastNote)) {
      this.#lastNote = id;
      if (sender === this.#parts.id) continue;
      for (const note of JSON.parse(content) as readonly ReplicaNote[]) await this.#hooks?.receive(note);
    }
  }

  async #catchUp(): Promise<void> {
    if (this.live === 1) return;
    for (const [queueId, last] of await this.#parts.store.lastEvents())
      await this.#hooks?.catchUp(queueId, last);
  }
}

/**
 * Decides which replicas run: those whose number of beats has grown within a time, as measured by the clock of this process alone. A
 * replica that is seen for the first time counts as running.
 */
export class Pulses {
  readonly #deadAfterMs: number;
  readonly #seen = new Map<string, { readonly beats: number; readonly since: number }>();

  constructor(deadAfterMs: number) {
    this.#deadAfterMs = deadAfterMs;
  }

  /** @param now milliseconds of a clock that only goes forward */
  isAlive(id: string, beats: number, now: number): boolean {
    const seen = this.#seen.get(id);
    if (seen?.beats === beats) return now - seen.since < this.#deadAfterMs;
    this.#seen.set(id, { beats, since: now });
    return true;
  }

  /** Forgets all other replicas. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
  }
}
