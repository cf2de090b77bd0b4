import type { PullRequestFacts } from "../../../src/engine/model/entry.ts";
import type { Objection } from "../../../src/engine/reasons/objection.ts";
import type {
  FoundComment,
  LabelEvent,
  ListedPullRequest,
  Reaction,
} from "../../../src/ports/code-host/pull-requests.ts";
import { pullRequests } from "../soak/scenario.ts";
import type { Past } from "./code-host-guards.ts";
import type { PlannedPullRequest } from "./service-plan.ts";

export const alice = { kind: "user", name: "alice" } as const;
export const aliceId = 1;

/** The API accepts only heads that look like SHAs; the model calls them `3.1`. */
export function shaOf(head: string): string {
  return Buffer.from(head).toString("hex").padEnd(40, "0");
}

/** The model's name of a commit: a head, or another commit. */
export function commitOf(sha: string): string {
  return /^[0-9a-f]{40}$/.test(sha) ? headOf(sha) : sha;
}

export function headOf(sha: string): string {
  return Buffer.from(sha.replace(/(00)+$/, ""), "hex").toString();
}

/** The pull requests for which auto-merge is enabled. The code host's own rules never let it merge one. */
export class VirtualAutoMerge {
  readonly #enabledAt = new Map<number, number>();

  /** Milliseconds since the epoch; null = it is not enabled. */
  enabledAt(pr: number): number | null {
    return this.#enabledAt.get(pr) ?? null;
  }

  by(pr: number) {
    return this.#enabledAt.has(pr) ? { login: alice.name, id: aliceId, isBot: false } : null;
  }

  /** Returns whether that is a change. */
  set(pr: number, isEnabled: boolean, now: number): boolean {
    if (isEnabled === this.#enabledAt.has(pr)) return false;
    if (isEnabled) this.#enabledAt.set(pr, wholeSecond(now));
    else this.#enabledAt.delete(pr);
    return true;
  }
}

const none = { open: [], closed: [], elsewhere: [], absent: [], cycle: [] } as const;

/** The dependencies that the descriptions of pull requests declare. */
export class VirtualDependencies {
  readonly #dependencies: ReadonlyMap<number, number>;
  readonly #read: (pr: number) => PullRequestFacts;

  /** @param read reads a pull request in the model */
  constructor(pullRequests: readonly PlannedPullRequest[], read: (pr: number) => PullRequestFacts) {
    this.#dependencies = new Map(
      pullRequests.flatMap(({ number, dependsOn }) => (dependsOn === null ? [] : [[number, dependsOn]])),
    );
    this.#read = read;
  }

  /** The pull request that one depends on; null = none. */
  of(pr: number): number | null {
    return this.#dependencies.get(pr) ?? null;
  }

  /** The pull requests that depend on one. */
  on(pr: number): readonly number[] {
    return [...this.#dependencies].flatMap(([number, dependency]) => (dependency === pr ? [number] : []));
  }

  /** The dependencies for which an open pull request still waits. */
  unmet({ number, state, baseBranch }: PullRequestFacts): readonly Objection[] {
    const on = this.#dependencies.get(number);
    if (on === undefined || state !== "open") return [];
    const found = this.#read(on);
    const kind = found.state === "merged" ? "elsewhere" : found.state;
    if (kind === "elsewhere" && found.baseBranch === baseBranch) return [];
    return [{ code: "DEPENDS_ON", ...none, [kind]: [on] }];
  }
}

export const submitLabel = "trainyard:merge";

type LabelAction = LabelEvent["action"];
/** A person, or the service. */
type LabelActor = "alice" | "service";
/** Called when a label has changed. */
export type OnLabel = (pr: number, action: LabelAction, label: string, by: LabelActor) => void;

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

  /** The label events of a pull request up to a time. */
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

/** A comment of a person. Times are whole seconds, like those of the code host. */
export interface PersonsComment {
  readonly id: number;
  readonly nodeId: string;
  readonly pr: number;
  readonly body: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** The comments of people on pull requests, and the reactions of the service. */
export class VirtualComments {
  readonly #all: PersonsComment[] = [];
  readonly #reactions = new Map<string, Set<Reaction>>();

  post(pr: number, body: string, now: number): PersonsComment {
    const id = this.#all.length + 1;
    const comment = { id, nodeId: `comment-${id}`, pr, body, at: wholeSecond(now) };
    this.#all.push(comment);
    return comment;
  }

  react(nodeId: string, reaction: Reaction): void {
    const known = this.#reactions.get(nodeId) ?? new Set<Reaction>();
    this.#reactions.set(nodeId, known.add(reaction));
  }

  reactionsTo({ nodeId }: PersonsComment): ReadonlySet<Reaction> {
    return this.#reactions.get(nodeId) ?? new Set();
  }

  all(): readonly PersonsComment[] {
    return this.#all;
  }

  /** The comments of a period, oldest first. */
  list(since: number, until: number): readonly FoundComment[] {
    return this.#all
      .filter(({ at }) => at >= since && at <= until)
      .map(({ id, nodeId, pr, body, at }) => ({
        ...{ id, nodeId, issue: pr, onPullRequest: true, body, createdAt: at, updatedAt: at },
        ...{ authorLogin: alice.name, authorIsBot: false, authorId: aliceId, viaAppId: null, instance: null },
      }));
  }
}

/** The code host states times in whole seconds. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

interface ListedHost {
  readonly labels: VirtualLabels;
  readonly autoMerge: VirtualAutoMerge;
  readonly facts: (pr: number) => PullRequestFacts;
}

/** Lists of pull requests, current and former ones. */
export class VirtualListings {
  readonly #past: Past;
  readonly #host: ListedHost;

  constructor(past: Past, host: ListedHost) {
    this.#past = past;
    this.#host = host;
  }

  /** Records how a pull request is listed from now on. */
  record(pr: number, now: number): void {
    this.#past.record(`listed ${pr}`, now, this.#listed(pr));
  }

  /** The open pull requests of a base branch at a time. */
  open(base: string, at: number): ListedPullRequest[] {
    return Array.from({ length: pullRequests }, (_, index) => {
      const pr = index + 1;
      return this.#past.at(`listed ${pr}`, at, this.#listed(pr));
    }).flatMap(({ state, ...one }) => (state === "open" && one.baseBranch === base ? [one] : []));
  }

  #listed(pr: number) {
    const { labels, autoMerge } = this.#host;
    const { number, state, headSha, baseBranch, draft, updatedAt = 0 } = this.#host.facts(pr);
    const [named, autoMergeBy] = [labels.of(pr), autoMerge.by(pr)];
    return { number, state, headSha, baseBranch, draft, updatedAt, labels: named, autoMergeBy };
  }
}
