import type { GitHubApi } from "./github-api.ts";

export interface CheckRunContent {
  readonly name: string;
  readonly headSha: string;
  /** Later runs of the workflow find the check run by it. */
  readonly externalId: string;
  readonly status: "queued" | "in_progress" | "completed";
  /** Null until it is completed. */
  readonly conclusion: "success" | "failure" | "cancelled" | "neutral" | null;
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
}

interface Found {
  readonly check_runs: readonly { readonly id: number; readonly external_id: string | null }[];
}

/** A check run that is created once and updated in place, by this run of the workflow and by later ones. */
export class CheckRunMirror {
  readonly #github: GitHubApi;
  readonly #path: string;
  #shown = "";
  #id: number | null = null;

  constructor(github: GitHubApi, repository: { owner: string; name: string }) {
    this.#github = github;
    this.#path = `/repos/${repository.owner}/${repository.name}`;
  }

  /** Shows the content, unless it is shown already. */
  async show(content: CheckRunContent): Promise<void> {
    const shown = JSON.stringify(content);
    if (shown === this.#shown) return;
    await this.#github.retried(() => this.#put(content));
    this.#shown = shown;
  }

  /** Every attempt looks for the check run before it creates one: an attempt without a response may have created it. */
  async #put(content: CheckRunContent): Promise<void> {
    const { title, summary, status, conclusion } = content;
    const changing = { status, ...(conclusion ? { conclusion } : {}), output: { title, summary } };
    this.#id ??= await this.#find(content);
    if (this.#id !== null) {
      await this.#github.request("PATCH", `${this.#path}/check-runs/${this.#id}`, changing);
      return;
    }
    const { name, headSha: head_sha, externalId: external_id } = content;
    const created = { name, head_sha, external_id, ...changing };
    this.#id = (
      (await this.#github.request("POST", `${this.#path}/check-runs`, created)) as { id: number }
    ).id;
  }

  async #find({ name, headSha, externalId }: CheckRunContent): Promise<number | null> {
    const query = new URLSearchParams({ check_name: name, filter: "latest", per_page: "100" });
    const path = `${this.#path}/commits/${headSha}/check-runs?${query}`;
    const { check_runs } = (await this.#github.request("GET", path)) as Found;
    return check_runs.find((run) => run.external_id === externalId)?.id ?? null;
  }
}
