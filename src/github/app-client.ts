import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import type { Logger } from "../ports/runtime.ts";
import { CallLimiter } from "./call-limiter.ts";
import { CallMeter } from "./call-meter.ts";
import { checkAnswers } from "./check-answers.ts";
import { ConditionalRequests } from "./conditional-requests.ts";
import { InstallationToken } from "./installation-token.ts";
import { MemoryCallLimits } from "./memory-call-limits.ts";
import { readAgain } from "./read-again.ts";
import { defaultRestVersion, type RestVersion, RestVersionPin } from "./rest-version.ts";

export interface AppCredentials {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly apiUrl: string;
  /** 2022-11-28 unless told. */
  readonly restVersion?: RestVersion;
  /** How long an answer may take; 30 seconds unless told. */
  readonly timeoutMs?: number;
}

/**
 * Octokit clients of the App and of its installations. They retry nothing: a merge that answered 500 may have happened, so
 * that what to do about an error is decided where it is known what was asked.
 */
export class AppClient {
  readonly #credentials: AppCredentials;
  readonly #log: Logger;
  readonly #installations = new Map<
    number,
    { client: Octokit; remembered: ConditionalRequests; cache: InstallationToken }
  >();
  readonly app: Octokit;
  /** Of what the App asks as itself. */
  readonly #remembered = new ConditionalRequests();
  /** Of the installations; what the App asks as itself belongs to nobody. */
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
    // Each stands around the ones before it.
    this.meter.watch(client, installationId);
    this.limiter.guard(client, installationId);
    cache.renewFor(client);
    checkAnswers(client);
    readAgain(client);
    remembered.watch(client);
    this.#installations.set(installationId, { client, remembered, cache });
    return client;
  }

  /** Tokens keep the permissions with which they were made. */
  renewToken(installationId: number): void {
    this.#installations.get(installationId)?.cache.forget();
  }

  /** Has what the App asks as itself read afresh from now on. */
  forgetAnswersToApp(): void {
    this.#remembered.forget();
  }

  /** Has what is asked of an installation from now on read afresh. */
  forgetAnswers(installationId: number): void {
    this.#installations.get(installationId)?.remembered.forget();
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
    this.#version.pin(client);
    return client;
  }
}

/** Octokit warns about deprecations and logs each request; both are details to us. */
function quiet(log: Logger) {
  const debug = (message: string) => log.debug({}, message);
  return { debug, info: debug, warn: debug, error: debug };
}
