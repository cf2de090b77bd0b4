import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";

/** A request for a page for people. */
export type PageRequest = { readonly repository: Repository } & (
  | { readonly page: "pulls" }
  | { readonly page: "pull" | "conversation" | "comment"; readonly number: number }
  | { readonly page: "commit"; readonly sha: string }
  | { readonly page: "check"; readonly id: number }
);

const path =
  /^\/([^/]+)\/([^/]+)(?:\/(pulls|pull|commit|runs)(?:\/([0-9a-f]+)(?:\/(conversation|comments))?)?)?\/?$/;

/** Parses a request for a page. Returns null for any other request, and for unknown repositories. */
export function parsePageRequest(method: string, pathname: string, world: World): PageRequest | null {
  const [, owner = "", name = "", kind = "pulls", id, part] = path.exec(pathname) ?? [];
  const repository = world.repository(owner, name);
  if (repository === null) return null;
  const number = Number(id);
  if (method === "POST")
    return kind === "pull" && part === "comments" ? { repository, page: "comment", number } : null;
  if (method !== "GET" || part === "comments") return null;
  if (id === undefined) return kind === "pulls" ? { repository, page: "pulls" } : null;
  if (kind === "pull" && part === "conversation") return { repository, page: "conversation", number };
  if (part !== undefined) return null;
  if (kind === "pull") return { repository, page: "pull", number };
  if (kind === "commit") return { repository, page: "commit", sha: id };
  return kind === "runs" ? { repository, page: "check", id: number } : null;
}

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
