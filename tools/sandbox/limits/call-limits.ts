import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Caller } from "../auth/authorize.ts";
import { jsonReply, type Reply } from "../faults/strike.ts";
import type { Violation } from "../request-log.ts";

/** How much content an installation may create. There is no limit by default, as on GitHub Enterprise Server. */
export interface ContentLimits {
  readonly perMinute: number;
  readonly perHour: number;
}

type Resource = "core" | "graphql";

/** Thrown instead of carrying out a call. */
export class Limited extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super("limited");
    this.reply = reply;
  }
}

/** A rate-limit response. After it, the caller must wait. */
interface Pause {
  readonly of: Resource | "all";
  /** When the response was sent. Null = the caller was killed since, so it may not know about the limit. */
  answeredAt: number | null;
  readonly until: number;
}

/**
 * "No more than 100 concurrent requests are allowed. This limit is shared across the REST API and GraphQL API."
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
 */
const atOnce = 100;
const minuteMs = 60_000;
const hourMs = 3_600_000;
/**
 * Requests that were in flight when the limit was sent are read within this time, and twice the longest delay of this process: once
 * for the response and once for the request. Their sending time is not known.
 */
const graceMs = 1_500;
const documentation =
  "https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits";

/**
 * GitHub's limits for each installation: how many calls at once, how much content, and no call while it must wait. A call
 * that exceeds a limit is refused and reported as a violation of the caller.
 */
export class CallLimits {
  readonly #limits: ContentLimits | null;
  readonly #report: (violation: Violation) => void;
  readonly #longestDelayMs: () => number;
  readonly #created = new Map<number, number[]>();
  readonly #pauses = new Map<number, Pause[]>();
  readonly #inFlight = new Map<number, number>();

  constructor(
    limits: ContentLimits | null,
    report: (violation: Violation) => void,
    longestDelayMs: () => number = () => 0,
  ) {
    this.#limits = limits;
    this.#report = report;
    this.#longestDelayMs = longestDelayMs;
  }

  /**
   * Returns GitHub's refusal of a call; null = the call may be carried out.
   *
   * @param operations one REST operation, or each field of a GraphQL request
   */
  refuse(caller: Caller, operations: readonly string[], now: number): Reply | null {
    if (caller.kind !== "installation") return null;
    const { id } = caller.installation;
    const [operation = ""] = operations;
    const resource = operation.startsWith("graphql/") ? "graphql" : "core";
    const pause = (this.#pauses.get(id) ?? []).find(
      (one) => now < one.until && (one.of === "all" || one.of === resource),
    );
    if (pause) {
      const leftMs = pause.until - now;
      if (pause.answeredAt !== null && now > pause.answeredAt + graceMs + 2 * this.#longestDelayMs())
        this.#violation(operation, `called ${leftMs} ms before the rate limit ends`);
      pause.answeredAt ??= now;
      return limited("You have exceeded a secondary rate limit.", leftMs);
    }
    if (this.inFlight(id) >= atOnce) {
      this.#violation(operation, `called while ${atOnce} calls were in flight`);
      return limited("You have exceeded a secondary rate limit.", minuteMs);
    }
    return this.#refuseContent(id, operations, now);
  }

  /** The number of an installation's calls that have begun and have not ended. */
  inFlight(id: number): number {
    return this.#inFlight.get(id) ?? 0;
  }

  /** Counts a call as in flight. Returns a function that ends the count. */
  begin(caller: Caller): () => void {
    if (caller.kind !== "installation") return () => {};
    const { id } = caller.installation;
    this.#inFlight.set(id, this.inFlight(id) + 1);
    return () => {
      this.#inFlight.set(id, this.inFlight(id) - 1);
    };
  }

  /** Records a response that requires the caller to wait. */
  note(caller: Caller, { status, headers }: Reply, now: number): void {
    if (caller.kind !== "installation") return;
    const pause = pauseOf(status, headers, now);
    if (!pause) return;
    const { id } = caller.installation;
    const running = (this.#pauses.get(id) ?? []).filter(({ until }) => until > now);
    // A refusal repeats a pause in whole seconds, and does not extend it.
    if (running.some(({ of, until }) => of === pause.of && pause.until < until + 1_000)) return;
    this.#pauses.set(id, [...running, pause]);
  }

  /** Called when the caller was killed, perhaps before it stored the limits. It gets each limit again before it must obey it. */
  forgetAnswers(): void {
    for (const pauses of this.#pauses.values()) for (const pause of pauses) pause.answeredAt = null;
  }

  #refuseContent(id: number, operations: readonly string[], now: number): Reply | null {
    if (!this.#limits) return null;
    const creating = operations.filter(createsContent);
    const before = (this.#created.get(id) ?? []).filter((at) => at > now - hourMs);
    const inMinute = before.filter((at) => at > now - minuteMs).length;
    const { perMinute, perHour } = this.#limits;
    const isTooMuch = inMinute + creating.length > perMinute || before.length + creating.length > perHour;
    if (creating.length > 0 && isTooMuch) {
      this.#violation(
        creating[0] ?? "",
        `created more than ${perMinute} contents a minute or ${perHour} an hour`,
      );
      const message =
        "You have exceeded a secondary rate limit and have been temporarily blocked from content creation.";
      return limited(`${message} Please retry your request again later.`, minuteMs);
    }
    this.#created.set(id, [...before, ...creating.map(() => now)]);
    return null;
  }

  #violation(subject: string, detail: string): void {
    this.#report({ kind: "request", subject, detail });
  }
}

function limited(message: string, waitMs: number): Reply {
  const body = { message, documentation_url: documentation, status: "403" };
  return jsonReply(403, body, { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1000))) });
}

function pauseOf(status: number, headers: Reply["headers"], now: number): Pause | null {
  if (headers["retry-after"] !== undefined && (status === 403 || status === 429))
    return { of: "all", answeredAt: now, until: now + Number(headers["retry-after"]) * 1000 };
  if (headers["x-ratelimit-remaining"] !== "0") return null;
  const of = headers["x-ratelimit-resource"] === "graphql" ? "graphql" : "core";
  return { of, answeredAt: now, until: Number(headers["x-ratelimit-reset"]) * 1000 };
}

/**
 * Operations that create content by GitHub's description: the REST operations with `triggersNotification`, and the equivalent
 * mutations.
 */
const contentOperations: ReadonlySet<string> = new Set([
  "issues/create",
  "issues/create-comment",
  "pulls/create",
  "pulls/create-review",
  "pulls/merge",
  "pulls/merge-async",
  "graphql/addComment",
  "graphql/createIssue",
  "graphql/createPullRequest",
  "graphql/addPullRequestReview",
  "graphql/mergePullRequest",
]);

export const createsContent = (operationId: string): boolean => contentOperations.has(operationId);

/** Measures how long this process could not read requests. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.#histogram.enable();
  }

  /** The longest delay since the start, in milliseconds. */
  get longestMs(): number {
    return this.#histogram.max / 1e6;
  }

  stop(): void {
    this.#histogram.disable();
  }
}
