import type { Octokit } from "@octokit/rest";
import type { Logger } from "../../ports/code-host/runtime.ts";
import { statusOf } from "./code-host-error.ts";

/** The versions of GitHub's REST API that Trainyard understands. https://docs.github.com/en/rest/about-the-rest-api/api-versions */
export type RestVersion = "2022-11-28" | "2026-03-10";

/** Every supported GitHub Enterprise Server has this version. */
export const defaultRestVersion: RestVersion = "2022-11-28";

export const restVersionHeader = "x-github-api-version";

/**
 * Sets the same REST version in every request of several clients. A GitHub that does not know the version answers 400 and does
 * nothing. The request is then repeated with the default version, which all later requests use.
 */
export class RestVersionPin {
  #version: RestVersion;
  readonly #log: Logger;

  constructor(version: RestVersion, log: Logger) {
    this.#version = version;
    this.#log = log;
  }

  pin(client: Octokit): void {
    client.hook.wrap("request", async (request, options) => {
      const version = this.#version;
      options.headers[restVersionHeader] = version;
      try {
        return await request(options);
      } catch (error) {
        if (version === defaultRestVersion || statusOf(error) !== 400) throw error;
        options.headers[restVersionHeader] = defaultRestVersion;
        const answer = await request(options);
        this.#fallBack(version);
        return answer;
      }
    });
  }

  #fallBack(unknown: RestVersion): void {
    if (this.#version === defaultRestVersion) return;
    this.#version = defaultRestVersion;
    this.#log.warn(
      { code: "REST_VERSION_UNKNOWN", version: unknown },
      `GitHub does not know REST version ${unknown} and is asked in ${defaultRestVersion}. Remove TRAINYARD_GITHUB_API_VERSION`,
    );
  }
}
