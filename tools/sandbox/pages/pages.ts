import { randomBytes } from "node:crypto";
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
import { PageGuard, type PageRequest, parsePageRequest } from "./page-request.ts";
import { renderCheck, renderCommit, renderPage, renderPulls } from "./render-page.ts";
import { renderConversation, renderPull } from "./render-pull.ts";

const maxFormBytes = 300_000;
const maxFiles = 100;

/** What a form has sent. */
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

/** Shows what others write, without losing what the user is typing. */
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
