import type { RepositoryRef } from "../../engine/queue.ts";
import type { Clock } from "../../ports/runtime.ts";
import type { TestRepository, TestResultStore } from "../../ports/test-result-store.ts";
import { answeringOutages } from "../answering-outages.ts";
import type { Directory } from "../directory.ts";
import { accepted, type Outcome, refused } from "../outcome.ts";

/** For so long the code host is not asked again about a repository where the App was not installed. */
const absentForMs = 60_000;
/** Absences that are remembered: whoever asks for more of them is asked for again. */
const mostAbsences = 1_000;

/** Repositories whose tests are kept: those where the App is installed. */
export class TestRepositories {
  readonly #store: Pick<TestResultStore, "repository" | "addRepository">;
  readonly #directory: Directory;
  readonly #clock: Clock;
  readonly #absent = new Map<string, number>();

  constructor(
    store: Pick<TestResultStore, "repository" | "addRepository">,
    directory: Directory,
    clock: Clock,
  ) {
    this.#store = store;
    this.#directory = directory;
    this.#clock = clock;
  }

  /** A repository whose tests are known. */
  async find(repo: RepositoryRef): Promise<Outcome<TestRepository>> {
    const unserved = this.#directory.checkHost(repo);
    if (unserved) return unserved;
    const known = await this.#store.repository(repo);
    return known ? accepted(known) : refused({ code: "REPOSITORY_NOT_FOUND" });
  }

  /** The same, which is made known if the App is installed on it: anybody can have a token issued for a workflow of theirs. */
  async findOrAdd(repo: RepositoryRef): Promise<Outcome<TestRepository>> {
    const found = await this.find(repo);
    if (found.ok || found.refusal.code !== "REPOSITORY_NOT_FOUND") return found;
    return answeringOutages(async () => {
      const refusal = await this.#refusalOf(repo);
      return refusal ?? accepted(await this.#store.addRepository(repo));
    });
  }

  async #refusalOf(repo: RepositoryRef): Promise<Outcome<never> | null> {
    const repository = `${repo.owner}/${repo.name}`;
    const key = repository.toLowerCase();
    const absent = refused<never>({ code: "APP_NOT_INSTALLED", repository });
    const now = this.#clock.now();
    if (now < (this.#absent.get(key) ?? 0)) return absent;
    this.#absent.delete(key);
    if ((await this.#directory.codeHost.findInstallation(repo)) !== null) return null;
    if (this.#absent.size >= mostAbsences) this.#absent.clear();
    this.#absent.set(key, now + absentForMs);
    return absent;
  }
}
