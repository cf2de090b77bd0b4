import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import type { Installation } from "../../ports/code-host/app.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";
import { CallLimiter, MemoryCallLimits } from "./call-limiter.ts";
import { CallMeter } from "./call-meter.ts";
import { CallSlots } from "./call-slots.ts";
import { checkAnswers } from "./check-answers.ts";
import { CodeHostError } from "./code-host-error.ts";
import { ConditionalRequests } from "./conditional-requests.ts";
import type { RepositoryApi } from "./repository-api.ts";
import { InstallationToken, parseBodies, repeatFailedReads } from "./request-hooks.ts";
import { defaultRestVersion, type RestVersion, RestVersionPin } from "./rest-version.ts";

export interface AppCredentials {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly apiUrl: string;
  /** Default: 2022-11-28. */
  readonly restVersion?: RestVersion;
  /** The timeout of a request. Default: 30 seconds. */
  readonly timeoutMs?: number;
}

/**
 * Octokit clients of the App and of its installations. They never retry: a merge that answered 500 may have happened, so only the
 * caller can decide what to do about an error.
 */
export class AppClient {
  readonly #credentials: AppCredentials;
  readonly #log: Logger;
  readonly #installations = new Map<
    number,
    { client: Octokit; remembered: ConditionalRequests; cache: InstallationToken }
  >();
  /** Permissions of installations, as last read. */
  readonly #granted = new Map<number, string>();
  readonly app: Octokit;
  /** The responses to requests that the App makes as itself. */
  readonly #remembered = new ConditionalRequests();
  /** Counts the requests of the installations. Requests that the App makes as itself belong to no installation. */
  readonly meter = new CallMeter();

  readonly limiter: CallLimiter;
  readonly #version: RestVersionPin;

  constructor(
    credentials: AppCredentials,
    log: Logger,
    limiter = new CallLimiter(new MemoryCallLimits(), null),
  ) {
    this.#credentials = credentials;
    this.limiter = limiter;
    this.#log = log;
    this.#version = new RestVersionPin(credentials.restVersion ?? defaultRestVersion, log);
    this.app = this.#client({});
    checkAnswers(this.app);
    this.#remembered.watch(this.app);
  }

  installation(installationId: number): Octokit {
    const known = this.#installations.get(installationId);
    if (known) return known.client;
    const cache = new InstallationToken();
    const client = this.#client({ installationId, cache }, this.limiter.fetchFor(installationId));
    const remembered = new ConditionalRequests();
    // Each of these hooks wraps the ones before it.
    new CallSlots().guard(client);
    this.meter.watch(client, installationId);
    this.limiter.guard(client, installationId);
    cache.renewFor(client);
    checkAnswers(client);
    repeatFailedReads(client);
    remembered.watch(client);
    this.#installations.set(installationId, { client, remembered, cache });
    return client;
  }

  repository({ installationId, owner, name }: InstalledRepository): RepositoryApi {
    return { octokit: this.installation(installationId), at: { owner, repo: name } };
  }

  /** Discards the cached token if the permissions have changed: tokens keep those with which they were created. */
  noteGrants({ id, permissions }: Installation): void {
    const granted = JSON.stringify(Object.entries(permissions).sort());
    if ((this.#granted.get(id) ?? granted) !== granted) this.#installations.get(id)?.cache.forget();
    this.#granted.set(id, granted);
  }

  /** Forgets the remembered responses to the App itself, so that they are read again. */
  forgetAnswersToApp(): void {
    this.#remembered.forget();
  }

  /** Forgets the remembered responses about a repository, so that they are read again. */
  forgetAnswers({ installationId, owner, name }: InstalledRepository): void {
    this.#installations.get(installationId)?.remembered.forget(`/repos/${owner}/${name}/`);
  }

  /**
   * Forgets the remembered responses that may have caused a failure, since every 304 would repeat it. An unexpected failure may come from
   * any of them. A refusal may come from any earlier response about the repository, such as a wrong tree of a commit.
   */
  forgetAfter(failure: unknown, repo: InstalledRepository): void {
    if (!(failure instanceof CodeHostError))
      return this.#installations.get(repo.installationId)?.remembered.forget();
    if (failure.kind === "invalid" || failure.kind === "not_found") this.forgetAnswers(repo);
  }

  #client(auth: { installationId?: number; cache?: InstallationToken }, send: typeof fetch = fetch): Octokit {
    const { appId, privateKey, apiUrl, timeoutMs = 30_000 } = this.#credentials;
    const client = new Octokit({
      authStrategy: createAppAuth,
      auth: { appId, privateKey, ...auth },
      baseUrl: apiUrl,
      userAgent: "trainyard",
      log: quiet(this.#log),
    });
    client.hook.before("request", (options) => {
      // Octokit shares `options.request` between calls: a signal set on it would end every later call, too.
      options.request = { signal: AbortSignal.timeout(timeoutMs), fetch: send, ...options.request };
    });
    parseBodies(client);
    this.#version.pin(client);
    return client;
  }
}

/** Octokit warns about deprecations and logs each request; we log both as debug messages. */
function quiet(log: Logger) {
  const debug = (message: string) => log.debug({}, message);
  return { debug, info: debug, warn: debug, error: debug };
}
