import { createAppAuth } from "@octokit/auth-app";
import { RequestError } from "@octokit/request-error";
import { Octokit } from "@octokit/rest";
import { messageOf, statusOf } from "../../src/github/client/code-host-error.ts";
import type { Repository } from "../../src/github/client/repository-api.ts";
import { defaultRestVersion, restVersionHeader } from "../../src/github/client/rest-version.ts";
import type { Scene } from "./claim.ts";
import type { Pace } from "./pace.ts";

export interface LiveCredentials {
  readonly appId: number;
  /** In PEM format. */
  readonly privateKey: string;
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly apiUrl: string;
}

export interface Connection {
  readonly github: Octokit;
  readonly app: { readonly id: number; readonly slug: string };
  readonly permissions: Readonly<Record<string, string>>;
  readonly narrow: Scene["narrow"];
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const timeoutMs = 30_000;

/**
 * Finds the App's installation on a repository.
 * @throws LiveRefusal when the App is not installed, its credentials are refused, or GitHub is unavailable
 */
export async function connect(credentials: LiveCredentials, at: Repository, pace: Pace): Promise<Connection> {
  const { appId, privateKey, apiUrl } = credentials;
  const createAppClient = (installation: { installationId?: number }) =>
    createClient(apiUrl, pace, { authStrategy: createAppAuth, auth: { appId, privateKey, ...installation } });
  const asApp = createAppClient({});
  try {
    const { data } = await asApp.rest.apps.getRepoInstallation({ ...at });
    const narrow: Scene["narrow"] = async (permissions) => {
      const asked = { type: "installation", installationId: data.id, permissions };
      const { token } = (await asApp.auth(asked)) as { token: string };
      return createClient(apiUrl, pace, { auth: token });
    };
    return {
      github: createAppClient({ installationId: data.id }),
      app: { id: data.app_id, slug: data.app_slug },
      permissions: Object.fromEntries(
        Object.entries(data.permissions).flatMap(([name, access]) => (access ? [[name, access]] : [])),
      ),
      narrow,
    };
  } catch (error) {
    const status = statusOf(error);
    const name = `${at.owner}/${at.repo}`;
    if (status === 404)
      throw new LiveRefusal("APP_NOT_INSTALLED", `The App is not installed on ${name}. Install it there.`);
    if (status === 401 || status === 403)
      throw new LiveRefusal(
        "APP_CREDENTIALS_REFUSED",
        `GitHub refuses the App (${messageOf(error)}). Check APP_ID and PRIVATE_KEY, and whether the App is suspended.`,
      );
    if (status === null && !(error instanceof RequestError))
      throw new LiveRefusal(
        "APP_CREDENTIALS_REFUSED",
        `The App's credentials cannot be used (${messageOf(error)}). Check APP_ID and PRIVATE_KEY.`,
      );
    throw new LiveRefusal(
      "GITHUB_UNAVAILABLE",
      `GitHub does not answer at ${apiUrl} (${messageOf(error)}). Check the address, or try again later.`,
    );
  }
}

/** Creates a client that shows GitHub's responses as they are: it caches no response and retries no request. */
function createClient(
  apiUrl: string,
  pace: Pace,
  auth: { authStrategy?: typeof createAppAuth; auth: unknown },
): Octokit {
  const client = new Octokit({ ...auth, baseUrl: apiUrl, userAgent: "trainyard-live", log: silent });
  client.hook.before("request", (options) => {
    options.headers[restVersionHeader] ??= defaultRestVersion;
    // A repeated request has the same options, and the signal of the first one may have expired.
    options.request = { ...options.request, signal: AbortSignal.timeout(timeoutMs) };
  });
  pace.guard(client);
  return client;
}

type LiveRefusalCode =
  | "APP_NOT_INSTALLED"
  | "APP_CREDENTIALS_REFUSED"
  | "GITHUB_UNAVAILABLE"
  | "MARKER_MISSING"
  | "REPOSITORY_ARCHIVED";

/** The run was refused before anything was created. The message says what to do. */
export class LiveRefusal extends Error {
  override readonly name = "LiveRefusal";
  readonly code: LiveRefusalCode;

  constructor(code: LiveRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** If this file is on the default branch, `live` may create and delete objects in the repository. */
export const marker = ".trainyard-live";

/** @throws LiveRefusal unless people with write access have marked the repository for such experiments */
export async function checkConsent(github: Octokit, at: Repository): Promise<void> {
  const name = `${at.owner}/${at.repo}`;
  const { data } = await github.rest.repos.get({ ...at });
  if (data.archived)
    throw new LiveRefusal(
      "REPOSITORY_ARCHIVED",
      `${name} is archived. Name a repository that can be written to.`,
    );
  try {
    await github.rest.repos.getContent({ ...at, path: marker });
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    throw new LiveRefusal(
      "MARKER_MISSING",
      `${name} has no file ${marker} on ${data.default_branch}. Commit an empty one to allow live to create and delete branches, pull requests, comments and rulesets there. Use a repository that is there for nothing else.`,
    );
  }
}
