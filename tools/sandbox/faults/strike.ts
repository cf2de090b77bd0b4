import type { ServerResponse } from "node:http";
import { cutReply, type Describes, failureReply, misshapeReply, refuseQuery } from "./damage-reply.ts";
import { type Fault, labelOf } from "./faults.ts";

/** Thrown instead of carrying out a call. Contains the response to send. */
export class InjectedFailure extends Error {
  readonly reply: Reply;

  constructor(fault: Fault, reply: Reply) {
    super(`injected: ${labelOf(fault)}`);
    this.reply = reply;
  }
}

interface Surroundings {
  /** Records that the fault has happened. */
  readonly record: () => void;
  /** Records that the fault cannot hit this call. */
  readonly spare: () => void;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

/** A fault that is assigned to a call. */
export class Strike {
  readonly #fault: Fault;
  readonly #around: Surroundings;
  hasHit = false;

  constructor(fault: Fault, around: Surroundings) {
    this.#fault = fault;
    this.#around = around;
  }

  get label(): string {
    return labelOf(this.#fault);
  }

  /** Whether it must damage a whole body. A 304 response has none. */
  get needsBody(): boolean {
    return this.#fault.kind === "cut" || this.#fault.kind === "shape";
  }

  /** The age of the state that the response shows, if the fault is of this kind; null = it is not. */
  ageMs(kind: "stale" | "lagging_etag"): number | null {
    return this.#fault.kind === kind ? this.#fault.staleMs : null;
  }

  /** Records that an earlier response was sent. */
  showedThePast(): void {
    this.#hit();
  }

  /**
   * Applies a fault that happens before the call takes effect.
   * @throws {InjectedFailure} if the call must not take effect
   */
  async before(): Promise<void> {
    const { kind, side, latencyMs } = this.#fault;
    if (side !== "before") return;
    this.#hit();
    if (kind === "latency") await this.#around.wait(latencyMs);
    else throw new InjectedFailure(this.#fault, failureReply(this.#fault, new Date()));
  }

  /** Applies a fault that happens after the call took effect. Returns the response to send. */
  async after(reply: Reply, describes: Describes): Promise<Reply> {
    const { kind, side, latencyMs } = this.#fault;
    if (side !== "after") return reply;
    if (kind === "stale" || kind === "lagging_etag") {
      if (!this.hasHit) this.#around.spare();
      return reply;
    }
    const damaged = this.#damage(reply, describes);
    if (damaged === null) {
      this.#around.spare();
      return reply;
    }
    this.#hit();
    if (kind === "latency") await this.#around.wait(latencyMs);
    return damaged;
  }

  #hit(): void {
    this.hasHit = true;
    this.#around.record();
  }

  #damage(reply: Reply, describes: Describes): Reply | null {
    const { kind } = this.#fault;
    if (kind === "latency") return reply;
    if (kind === "cut") return cutReply(reply, this.#fault);
    if (kind === "query_errors") return refuseQuery(reply, this.#fault);
    if (kind === "shape") return misshapeReply(reply, this.#fault, describes);
    return failureReply(this.#fault, new Date());
  }
}

/** An HTTP response as it is sent. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Null = the status permits no body. */
  readonly content: Buffer | null;
  /** The connection is destroyed after this many bytes of the content; "headless" = before any response. */
  readonly breaksOff?: number | "headless";
}

export const jsonReply = (status: number, body: unknown, headers: Reply["headers"] = {}): Reply => {
  const content = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "content-length": content.length,
      ...headers,
    },
    content,
  };
};

export const htmlReply = (status: number, html: string): Reply => {
  const content = Buffer.from(html);
  return { status, headers: { "content-type": "text/html", "content-length": content.length }, content };
};

export const noReply: Reply = { status: 0, headers: {}, content: null, breaksOff: "headless" };

export function sendReply(response: ServerResponse, { status, headers, content, breaksOff }: Reply): void {
  if (breaksOff === "headless") {
    // Resets the connection instead of closing it properly.
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(status, { ...headers });
  if (breaksOff === undefined) response.end(content ?? undefined);
  else response.write(content?.subarray(0, breaksOff), () => response.socket?.destroy());
}
