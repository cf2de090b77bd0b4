import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Authenticator } from "../auth/authenticator.ts";
import { type Caller, canSee, writerOf } from "../auth/authorize.ts";
import { gitEnvironment } from "../git/run-git.ts";
import { readBody } from "../http-server.ts";
import type { RequestLog } from "../request-log.ts";
import { Refusal } from "../rest/refusal.ts";
import type { Urls } from "../rest/urls.ts";
import { grants, hasRole } from "../world/account.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import { advertiseRefs, FLUSH, pktLine, receivePack } from "./receive-pack.ts";

type Service = "git-upload-pack" | "git-receive-pack";

interface GitRequest {
  owner: string;
  name: string;
  service: Service;
  /** Whether the client asks for the refs before the actual exchange. */
  isAdvertisement: boolean;
}

const PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

const isService = (name: string | null): name is Service =>
  name === "git-upload-pack" || name === "git-receive-pack";

/** Parses a request of git's smart HTTP protocol. Returns null for any other request. */
export function parseGitRequest(method: string, { pathname, searchParams }: URL): GitRequest | null {
  const [, owner, name, tail] = PATH.exec(pathname) ?? [];
  if (owner === undefined || name === undefined || tail === undefined) return null;
  const isAdvertisement = tail === "info/refs" && method === "GET";
  const service = isAdvertisement ? searchParams.get("service") : tail;
  return isService(service) ? { owner, name, service, isAdvertisement } : null;
}

function mayUse(world: World, caller: Caller, repository: Repository, service: Service): boolean {
  const access = service === "git-receive-pack" ? "write" : "read";
  if (caller.kind === "installation") return grants(caller.permissions, "contents", access);
  return caller.kind === "user" && hasRole(world.roleIn(repository, caller.account), access);
}

/**
 * Git's smart HTTP protocol, for `clone`, `fetch`, and `push` with plain git.
 * https://git-scm.com/docs/http-protocol
 */
export class GitHttp {
  readonly #world: World;
  readonly #urls: Urls;
  readonly #authenticator: Authenticator;
  readonly #log: RequestLog;

  constructor({
    world,
    urls,
    authenticator,
    log,
  }: { world: World; urls: Urls; authenticator: Authenticator; log: RequestLog }) {
    this.#world = world;
    this.#urls = urls;
    this.#authenticator = authenticator;
    this.#log = log;
  }

  async serve(request: IncomingMessage, response: ServerResponse, asked: GitRequest): Promise<void> {
    this.#log.git += 1;
    const { service, isAdvertisement } = asked;
    try {
      const { repository, caller } = await this.#admit(request, asked);
      const kind = isAdvertisement ? "advertisement" : "result";
      response.setHeader("content-type", `application/x-${service}-${kind}`);
      response.setHeader("cache-control", "no-cache");
      if (service === "git-upload-pack")
        return await uploadPack(request, response, repository, isAdvertisement);
      if (isAdvertisement) response.end(advertiseRefs(repository.git));
      else {
        const writer = writerOf(this.#world, caller, repository, "git");
        const page = this.#urls.html(repository);
        response.end(await receivePack(this.#world, repository, writer, page, await readBody(request)));
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      request.resume();
      response.removeHeader("content-type");
      if (error.status === 401) response.setHeader("www-authenticate", 'Basic realm="GitHub"');
      response.writeHead(error.status, { "content-type": "text/plain" }).end(`${error.message}\n`);
    }
  }

  async #admit(
    request: IncomingMessage,
    { owner, name, service }: GitRequest,
  ): Promise<{ repository: Repository; caller: Caller }> {
    const caller = await this.#authenticator.identify(request.headers.authorization);
    if (caller.kind === "anonymous") throw new Refusal(401, "No anonymous access.");
    const repository = this.#world.repository(owner, name) ?? this.#world.formerly(owner, name);
    if (repository === null || !canSee(this.#world, caller, repository))
      throw new Refusal(404, "Repository not found.");
    if (!mayUse(this.#world, caller, repository, service)) {
      const who = caller.kind === "user" ? caller.account.login : "the App";
      throw new Refusal(403, `Permission to ${repository.fullName}.git denied to ${who}.`);
    }
    if (repository.archived && service === "git-receive-pack")
      throw new Refusal(403, "This repository was archived so it is read-only.");
    return { repository, caller };
  }
}

async function uploadPack(
  request: IncomingMessage,
  response: ServerResponse,
  repository: Repository,
  isAdvertisement: boolean,
): Promise<void> {
  const input = isAdvertisement ? Buffer.alloc(0) : await readBody(request);
  const protocol = request.headers["git-protocol"];
  const args = ["upload-pack", "--stateless-rpc", ...(isAdvertisement ? ["--advertise-refs"] : []), "."];
  const child = spawn("git", args, {
    cwd: repository.git.directory,
    env: { ...gitEnvironment(), ...(typeof protocol === "string" ? { GIT_PROTOCOL: protocol } : {}) },
  });
  child.stderr.resume();
  const ended = new Promise((resolve) => child.once("close", resolve));
  // Version 2 of the protocol does not have this line.
  if (isAdvertisement && protocol !== "version=2") {
    response.write(Buffer.concat([pktLine("# service=git-upload-pack\n"), FLUSH]));
  }
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  // If the client hangs up, no reader takes the output, and the process would never end.
  await pipeline(child.stdout, response).catch(() => child.kill());
  await ended;
}
