import { judgeRepositoryFile, type ParsedRepositoryFile } from "../../command/parse-repository-file.ts";
import { noRepositoryFile, type RepositoryFile } from "../../command/repository-file.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";

/** How long a reading is valid. The webhook of the push that changed the file may be lost. */
const freshMs = 5 * 60_000;
const maxKept = 1_000;
/** How long a response that can be given without the file waits for it. */
const maxWaitMs = 1_000;
/** For this time after a failure or a timeout, such a response does not wait at all. */
const failedMs = 30_000;

/**
 * The content of `.github/trainyard.yml` on the branches that queues merge into. A pull request's own version
 * never counts, because it could then allow itself to merge.
 */
export class RepositoryFiles {
  readonly #codeHost: Pick<CodeHost, "readRepositoryFile">;
  readonly #clock: Clock;
  readonly #broadcast: (repo: RepositoryRef, branch: string) => void;
  readonly #readings = new Map<
    string,
    { readonly at: number; readonly file: Promise<ParsedRepositoryFile> }
  >();

  /** The last valid content, however old. */
  readonly #last = new Map<string, RepositoryFile>();
  /** The files whose last valid content is outdated, as a webhook has reported. */
  readonly #outdated = new Set<string>();
  readonly #failedAt = new Map<string, number>();
  readonly #listeners: ((repo: RepositoryRef, branch: string) => void)[] = [];

  /** @param broadcast tells the other replicas that a file was changed */
  constructor(
    codeHost: Pick<CodeHost, "readRepositoryFile">,
    clock: Clock,
    broadcast: (repo: RepositoryRef, branch: string) => void = () => {},
  ) {
    this.#codeHost = codeHost;
    this.#clock = clock;
    this.#broadcast = broadcast;
  }

  /** Returns a reading of the last minutes, or a new one if `fresh`. */
  async read(repo: InstalledRepository, branch: string, fresh = false): Promise<ParsedRepositoryFile> {
    const key = keyOf(repo, branch);
    const now = this.#clock.now();
    const known = this.#readings.get(key);
    if (!fresh && known && now - known.at < freshMs) return known.file;
    const reading = { at: now, file: this.readAt(repo, branch) };
    if (this.#readings.size >= maxKept) this.#readings.clear();
    this.#readings.set(key, reading);
    try {
      const parsed = await reading.file;
      if (parsed.ok) this.#keep(key, parsed.file);
      return parsed;
    } catch (error) {
      if (this.#readings.get(key) === reading) this.#readings.delete(key);
      this.#failedAt.set(key, this.#clock.now());
      throw error;
    }
  }

  /** Like `read`. While the code host does not answer, returns the last valid content, unless it was reported to have changed since. */
  async readOrLast(repo: InstalledRepository, branch: string): Promise<ParsedRepositoryFile> {
    try {
      return await this.read(repo, branch);
    } catch (error) {
      const key = keyOf(repo, branch);
      const file = this.#outdated.has(key) ? undefined : this.#last.get(key);
      if (file) return { ok: true, file };
      throw error;
    }
  }

  /**
   * The content if it is known within a second, for responses that must not wait for the code host. Never
   * throws.
   */
  async known(repo: InstalledRepository, branch: string): Promise<RepositoryFile> {
    const key = keyOf(repo, branch);
    const last = () => this.lastValid(repo, branch);
    if (this.#clock.now() - (this.#failedAt.get(key) ?? 0) < failedMs) return last();
    const reading = this.read(repo, branch).then((parsed) => (parsed.ok ? parsed.file : last()), last);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, maxWaitMs, null);
    });
    const file = await Promise.race([reading, timeout]);
    clearTimeout(timer);
    if (file === null) this.#failedAt.set(key, this.#clock.now());
    return file ?? last();
  }

  /** The last valid content that was read; the defaults if there was none. It applies to labels, templates and `notify` while the file is invalid. */
  lastValid(repo: RepositoryRef, branch: string): RepositoryFile {
    return this.#last.get(keyOf(repo, branch)) ?? noRepositoryFile;
  }

  #keep(key: string, file: RepositoryFile): void {
    if (this.#last.size >= maxKept) this.#last.clear();
    this.#last.set(key, file);
    this.#outdated.delete(key);
    this.#failedAt.delete(key);
  }

  /** Reads the file now, at a branch or a commit. */
  async readAt(repo: InstalledRepository, ref: string): Promise<ParsedRepositoryFile> {
    return judgeRepositoryFile(await this.#codeHost.readRepositoryFile(repo, ref));
  }

  /** Invalidates the reading, because this replica received a webhook about a change of the file. */
  forget(repo: RepositoryRef, branch: string): void {
    this.#broadcast(repo, branch);
    this.receive(repo, branch);
  }

  /** Invalidates the reading, because another replica received such a webhook. */
  receive(repo: RepositoryRef, branch: string): void {
    const key = keyOf(repo, branch);
    this.#readings.delete(key);
    if (this.#last.has(key)) this.#outdated.add(key);
    for (const listener of this.#listeners) listener(repo, branch);
  }

  /** Calls back when a file was changed. The next reading is then fresh. */
  onForgotten(listener: (repo: RepositoryRef, branch: string) => void): void {
    this.#listeners.push(listener);
  }
}

function keyOf({ host, owner, name }: RepositoryRef, branch: string): string {
  return `${nameKey(`${host}/${owner}/${name}`)}/${branch}`;
}
