import type { Octokit } from "@octokit/rest";
import { statusOf } from "../client/code-host-error.ts";

/** The account that reported a commit status. */
export interface StatusCreator {
  readonly login: string;
  readonly type: string;
}

const suffix = "[bot]";

/**
 * Finds the Apps behind commit statuses, and looks up each App once. A status names the bot of its App, but a required check names
 * the App's id.
 */
export class StatusApps {
  /** By login. null: GitHub does not show us such an App. */
  readonly #ids = new Map<string, Promise<number | null>>();

  /** The id of the creator's App; null when it is not an App, or one that GitHub does not show us. */
  async idOf(octokit: Octokit, creator: StatusCreator | null): Promise<number | null> {
    if (creator?.type !== "Bot" || !creator.login.endsWith(suffix)) return null;
    const { login } = creator;
    const known = this.#ids.get(login);
    if (known) return known;
    const id = findApp(octokit, login.slice(0, -suffix.length));
    this.#ids.set(login, id);
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
