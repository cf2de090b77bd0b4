import { type ParsedRepositoryFile, parseRepositoryFile } from "../command/parse-repository-file.ts";
import { noRepositoryFile, repositoryFilePath } from "../command/repository-file.ts";
import type { RepositoryRef } from "../engine/queue.ts";
import type { CodeHost, InstalledRepository } from "../ports/code-host.ts";
import type { Clock } from "../ports/runtime.ts";

/** How long a reading counts when nobody tells of a change: the webhook of the push that made it may be lost. */
const freshMs = 5 * 60_000;
const maxKept = 1_000;

/**
 * What `.github/trainyard.yml` says on the branches that queues merge into. A pull request's own version of it never counts,
 * or it could allow itself.
 */
export class RepositoryFiles {
  readonly #codeHost: Pick<CodeHost, "readFile">;
  readonly #clock: Clock;
  readonly #readings = new Map<
    string,
    { readonly at: number; readonly file: Promise<ParsedRepositoryFile> }
  >();

  readonly #listeners: ((repo: RepositoryRef, branch: string) => void)[] = [];

  constructor(codeHost: Pick<CodeHost, "readFile">, clock: Clock) {
    this.#codeHost = codeHost;
    this.#clock = clock;
  }

  /** As read within the last minutes. */
  async read(repo: InstalledRepository, branch: string): Promise<ParsedRepositoryFile> {
    const key = keyOf(repo, branch);
    const now = this.#clock.now();
    const known = this.#readings.get(key);
    if (known && now - known.at < freshMs) return known.file;
    const reading = { at: now, file: this.readAt(repo, branch) };
    if (this.#readings.size >= maxKept) this.#readings.clear();
    this.#readings.set(key, reading);
    try {
      return await reading.file;
    } catch (error) {
      if (this.#readings.get(key) === reading) this.#readings.delete(key);
      throw error;
    }
  }

  /** Freshly read, at a branch or a commit. */
  async readAt(repo: InstalledRepository, ref: string): Promise<ParsedRepositoryFile> {
    const text = await this.#codeHost.readFile(repo, ref, repositoryFilePath);
    return text === null ? { ok: true, file: noRepositoryFile } : parseRepositoryFile(text);
  }

  /** It was changed on a branch. */
  forget(repo: RepositoryRef, branch: string): void {
    this.#readings.delete(keyOf(repo, branch));
    for (const listener of this.#listeners) listener(repo, branch);
  }

  /** Calls back when a file was changed, so that the next reading is fresh. */
  onForgotten(listener: (repo: RepositoryRef, branch: string) => void): void {
    this.#listeners.push(listener);
  }
}

function keyOf({ host, owner, name }: RepositoryRef, branch: string): string {
  return [host.toLowerCase(), owner.toLowerCase(), name.toLowerCase(), branch].join("/");
}
