import type { Octokit } from "@octokit/rest";
import { statusOf } from "../client/code-host-error.ts";

/** The account that reported a commit status. */
export interface StatusCreator {
  readonly login: string;
  readonly type: string;
}

const suffix = "[bot]";

/** When an App that was not found is looked up again: during incidents, GitHub answers 404 for what exists. */
const absentMs = 10 * 60_000;

/**
 * Finds the Apps behind commit statuses, and remembers them. A status names the bot of its App, but a required check names the App's
 * id.
 */
export class StatusApps {
  /** By login. null: GitHub does not show us such an App. */
  readonly #ids = new Map<string, { readonly at: number; readonly id: Promise<number | null> }>();

  /** The id of the creator's App; null when it is not an App, or one that GitHub does not show us. */
  async idOf(octokit: Octokit, creator: StatusCreator | null): Promise<number | null> {
    if (creator?.type !== "Bot" || !creator.login.endsWith(suffix)) return null;
    const { login } = creator;
    const known = this.#ids.get(login);
    const found = await known?.id;
    if (known && (found || performance.now() - known.at < absentMs)) return found ?? null;
    const id = findApp(octokit, login.slice(0, -suffix.length));
    this.#ids.set(login, { at: performance.now(), id });
    id.catch(() => this.#ids.delete(login));
    return id;
  }
}

async function findApp(octokit: Octokit, app_slug: string): Promise<number | null> {
  try {
    const { data } = await octokit.rest.apps.getBySlug({ app_slug });
    return data?.id ?? null;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
