import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * Protects the pages against other sites that are open in the same browser. The pages have no login, so
 * any form that is accepted can comment as any user.
 */
export class PageGuard {
  /** Part of every form. Other sites cannot read it. */
  readonly token = randomBytes(24).toString("hex");
  readonly #hosts: ReadonlySet<string>;

  /** @param port where the sandbox listens */
  constructor(port: number) {
    this.#hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  }

  /**
   * Whether the browser calls the sandbox by its own address. With another name that leads to 127.0.0.1 (DNS rebinding), another
   * site could read the token.
   */
  isOwnAddress({ headers }: IncomingMessage): boolean {
    return this.#hosts.has(headers.host ?? "");
  }

  /** Whether one of our own forms was sent. */
  isOwnForm({ headers }: IncomingMessage, token: string | null): boolean {
    const { origin, "sec-fetch-site": site = "same-origin" } = headers;
    const isSameOrigin = origin === undefined || origin === `http://${headers.host}`;
    return isSameOrigin && site === "same-origin" && this.#matches(token ?? "");
  }

  #matches(token: string): boolean {
    const [given, own] = [Buffer.from(token), Buffer.from(this.token)];
    return given.length === own.length && timingSafeEqual(given, own);
  }
}
