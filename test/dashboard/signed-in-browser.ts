import { createHash } from "node:crypto";
import type { Stage } from "../scenarios/stage.ts";

/** Follows redirects and keeps cookies, as a browser does. */
export class Browser {
  readonly #stage: Stage;
  readonly #cookies = new Map<string, string>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie: this.cookies, ...init.headers };
    const answer = await fetch(url, { redirect: "manual", ...init, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";")[0]?.split("=") ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const next = answer.headers.get("location");
    return next === null ? answer : this.open(new URL(next, url).href);
  }

  /** Clicks "Sign in with GitHub" on a page that asks for it, and continues there as one of its users. */
  async signIn(page: string, login: string): Promise<Response> {
    const asked = await this.open(page);
    const path = linkIn(await asked.text(), "Sign in with GitHub");
    const choice = await this.open(this.#stage.url + path);
    return this.open(this.#stage.sandbox.url + linkIn(await choice.text(), `Continue as ${login}`));
  }

  /** Signs in with an API token. */
  async signInWithToken(token: string): Promise<Response> {
    return this.post("/login", { token });
  }

  /** What the forms of this session contain, computed as the service does: somebody who may change nothing sees no form. */
  get formToken(): string {
    const session = this.#cookies.get("trainyard_session") ?? "";
    return createHash("sha256").update(`form ${session}`).digest("base64url");
  }

  /** Sends a form of a page. */
  async post(path: string, fields: Readonly<Record<string, string | readonly number[]>>): Promise<Response> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) body.append(name, String(one));
    return this.open(this.#stage.url + path, { method: "POST", body });
  }
}

function linkIn(page: string, text: string): string {
  const [, link = ""] = new RegExp(`href="([^"]*)">${text}<`).exec(page) ?? [];
  return link.replaceAll(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code)));
}
