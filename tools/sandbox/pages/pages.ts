import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { diff, type FileChange } from "../git/diff.ts";
import { EMPTY_TREE } from "../git/git-object.ts";
import { readBody } from "../http-server.ts";
import { resolveCommit } from "../rest/lookups.ts";
import { type Account, hasRole, roles } from "../world/account.ts";
import { createComment, problemOfBody } from "../world/comments.ts";
import { isOpen, type PullRequest } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import {
  renderCheck,
  renderCommit,
  renderConversation,
  renderPage,
  renderPull,
  renderPulls,
} from "./render-page.ts";

const maxFormBytes = 300_000;
const maxFiles = 100;

/** The content of a sent form. */
interface Draft {
  readonly as: string;
  readonly body: string;
  readonly problem: string | null;
}

/** The pages for people: pull requests, on which they can comment as one of the sandbox's users, commits, and checks. */
export class Pages {
  readonly #world: World;
  readonly #guard: PageGuard;

  /** @param port where the sandbox listens */
  constructor(world: World, port: number) {
    this.#world = world;
    this.#guard = new PageGuard(port);
  }

  /** Null = the request is for something else. */
  parse(method: string, pathname: string): PageRequest | null {
    return parsePageRequest(method, pathname, this.#world);
  }

  async serve(request: IncomingMessage, response: ServerResponse, asked: PageRequest): Promise<void> {
    if (!this.#guard.isOwnAddress(request))
      return refuse(request, response, 403, "Open this page by the address that the sandbox has printed.");
    const { repository } = asked;
    switch (asked.page) {
      case "pulls":
        return this.#send(
          response,
          repository,
          `Pull requests · ${repository.fullName}`,
          renderPulls(repository),
        );
      case "commit": {
        const commit = await resolveCommit(repository, asked.sha);
        if (commit === null) break;
        const files = await changes(repository, commit.parents[0] ?? EMPTY_TREE, commit.sha);
        return this.#send(response, repository, commit.message, renderCommit(repository, commit, files));
      }
      case "check": {
        const run = repository.runs.get(asked.id);
        if (run === undefined) break;
        return this.#send(response, repository, run.name, renderCheck(repository, run));
      }
      default: {
        const pull = repository.pulls.get(asked.number);
        if (pull === undefined) break;
        if (asked.page === "comment") return this.#comment(request, response, pull);
        if (asked.page === "pull") return this.#sendPull(response, pull);
        return void response.writeHead(200, html()).end(renderConversation(pull));
      }
    }
    refuse(request, response, 404, `${repository.fullName} has no such page.`);
  }

  async #comment(request: IncomingMessage, response: ServerResponse, pull: PullRequest): Promise<void> {
    if (Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY) > maxFormBytes)
      return refuse(request, response, 413, "The comment is too long.");
    const form = new URLSearchParams((await readBody(request)).toString("utf8"));
    if (!this.#guard.isOwnForm(request, form.get("token")))
      return refuse(request, response, 403, "The comment was not sent from this page. Reload the page.");
    const [as, body] = [form.get("as") ?? "", (form.get("body") ?? "").replaceAll("\r\n", "\n")];
    const author = this.#people(pull).find(({ login }) => login === as);
    const problem = author === undefined ? `${as} cannot comment here.` : problemOfBody(body);
    if (author === undefined || problem !== null)
      return this.#sendPull(response, pull, { as, body, problem });
    const { id } = await createComment(this.#world, pull, { author, app: null, body });
    const page = `/${pull.repository.fullName}/pull/${pull.number}`;
    response.writeHead(303, { location: `${page}#issuecomment-${id}` }).end();
  }

  async #sendPull(response: ServerResponse, pull: PullRequest, draft: Draft | null = null): Promise<void> {
    const { repository, number, title } = pull;
    const base = isOpen(pull) ? (repository.branch(pull.base.ref) ?? pull.base.sha) : pull.base.sha;
    const { mergeBase } = await repository.git.graph.divergence(base, pull.head.sha);
    const files = await changes(repository, mergeBase?.sha ?? base, pull.head.sha);
    const form = {
      people: this.#people(pull).map((account) => ({
        login: account.login,
        role: this.#world.roleIn(repository, account),
      })),
      token: this.#guard.token,
      chosen: draft?.as ?? pull.author.login,
      body: draft?.body ?? "",
      problem: draft?.problem ?? null,
    };
    const status = draft === null ? 200 : 422;
    const body = renderPull(pull, files, form);
    this.#send(response, repository, `${title} · #${number}`, body, { status, script: refreshing });
  }

  /** The users who may comment, the author first, then by role. */
  #people({ repository, author }: PullRequest): Account[] {
    const rank = (account: Account) =>
      account === author ? roles.length : roles.indexOf(this.#world.roleIn(repository, account));
    return this.#world
      .users()
      .filter((account) => hasRole(this.#world.roleIn(repository, account), "read"))
      .sort((a, b) => rank(b) - rank(a));
  }

  #send(
    response: ServerResponse,
    repository: Repository,
    title: string,
    body: string,
    { status = 200, script = "" } = {},
  ): void {
    const nonce = randomBytes(16).toString("base64");
    response.writeHead(status, html(nonce)).end(renderPage({ title, repository, script }, body, nonce));
  }
}

/** Shows new comments of others, without losing what the user is typing. */
const refreshing = `
let shown = "";
setInterval(async () => {
  const response = await fetch(location.pathname + "/conversation").catch(() => null);
  const text = response?.ok ? await response.text() : shown;
  if (text !== shown) document.getElementById("live").innerHTML = text;
  shown = text;
}, 1000);
`;

function html(nonce = "none"): Record<string, string> {
  const own = `'nonce-${nonce}'`;
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "content-security-policy": `default-src 'none'; style-src ${own}; script-src ${own}; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  };
}

async function changes(repository: Repository, before: string, after: string): Promise<FileChange[]> {
  return (await diff(repository.git.directory, before, after, { patches: true })).slice(0, maxFiles);
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  request.resume();
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

/** A request for a page for people. */
export type PageRequest = { readonly repository: Repository } & (
  | { readonly page: "pulls" }
  | { readonly page: "pull" | "conversation" | "comment"; readonly number: number }
  | { readonly page: "commit"; readonly sha: string }
  | { readonly page: "check"; readonly id: number }
);

const path =
  /^\/([^/]+)\/([^/]+)(?:\/(pulls|pull|commit|tree|runs)(?:\/([0-9a-f]+)(?:\/(conversation|comments|checks))?)?)?\/?$/;

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
  // The page of a commit also shows its checks, and what its tree changes.
  if (kind === "tree" || (kind === "commit" && part === "checks"))
    return { repository, page: "commit", sha: id };
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
