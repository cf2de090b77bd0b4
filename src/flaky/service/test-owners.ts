import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { Directory } from "../../service/runtime/directory.ts";
import {
  type Codeowners,
  codeownersPaths,
  defaultOwnersOf,
  ownersOf,
  parseCodeowners,
} from "../codeowners.ts";
import type { OwnedTest, TestOwnerStore } from "../store/reads/test-owner-store.ts";
import { repositoryPathOf } from "./repository-path.ts";
import type { TestServiceOptions } from "./test-context.ts";

/** How long a reading is valid. */
const freshMs = 10 * 60_000;
const testsAtOnce = 1_000;
const mostParsed = 100;

/**
 * The owners of tests, from the CODEOWNERS file of the default branch. The pull request's own version is not
 * used, because it could name any owner.
 */
export class TestOwners {
  readonly #store: TestOwnerStore;
  readonly #directory: Directory;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #parsed = new Map<string, Codeowners>();
  readonly #nextTry = new Map<number, number>();
  readonly #assignedLast = new Set<number>();

  constructor({ stores, directory, clock, log }: TestServiceOptions) {
    this.#store = stores.testOwners;
    this.#directory = directory;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Returns a function that gives a test's owners by the last reading of the file; null when no rule matches.
   */
  async finder(
    repositoryId: number,
  ): Promise<(test: Pick<OwnedTest, "file" | "classname">) => readonly string[] | null> {
    const { text, repo } = await this.#store.codeowners(repositoryId);
    if (text === null) return () => null;
    const rules = this.#parse(text);
    const others = defaultOwnersOf(rules);
    const byPath = new Map<string, readonly string[] | null>();
    return (test) => {
      const path = repositoryPathOf(test, repo);
      if (path === null) return others;
      const known = byPath.get(path);
      if (known !== undefined) return known;
      const owners = ownersOf(rules, path);
      byPath.set(path, owners);
      return owners;
    };
  }

  /**
   * Reads the file if the last reading is old, and applies its changes. If the code host fails, it is read
   * again later.
   */
  async refresh(repositoryId: number): Promise<void> {
    const now = this.#clock.now();
    if (now < (this.#nextTry.get(repositoryId) ?? 0)) return;
    this.#nextTry.set(repositoryId, now + freshMs);
    const known = await this.#store.codeowners(repositoryId);
    if (known.readAt !== null && now - known.readAt < freshMs) return;
    let text: string | null;
    try {
      text = await this.#read(known.repo);
    } catch (error) {
      this.#log.warn({ err: error, repo: known.repo }, "could not read CODEOWNERS; trying again later");
      return;
    }
    await this.#store.keepCodeowners(repositoryId, text, now);
    if (text === known.text && !this.#assignedLast.has(repositoryId)) return;
    // Uploads in progress may have used the previous text, so the next reading assigns the owners of all tests once more.
    if (text === known.text) this.#assignedLast.delete(repositoryId);
    else this.#assignedLast.add(repositoryId);
    if (text !== null) this.#logIssues(known.repo, this.#parse(text));
    await this.#assign(repositoryId);
  }

  async #read(repo: RepositoryRef): Promise<string | null> {
    const place = await this.#directory.findInstalled(repo);
    if (place === null) return null;
    for (const path of codeownersPaths) {
      const text = await this.#directory.codeHost.readFile(place, null, path);
      if (text !== null) return text;
    }
    return null;
  }

  async #assign(repositoryId: number): Promise<void> {
    const ownersIn = await this.finder(repositoryId);
    let after = 0;
    for (;;) {
      const tests = await this.#store.tests(repositoryId, after, testsAtOnce);
      const changes = new Map<string, { owners: readonly string[] | null; sks: number[] }>();
      for (const test of tests) {
        const owners = ownersIn(test);
        const key = JSON.stringify(owners);
        if (key === JSON.stringify(test.owners)) continue;
        const change = changes.get(key) ?? { owners, sks: [] };
        change.sks.push(test.sk);
        changes.set(key, change);
      }
      for (const { owners, sks } of changes.values()) await this.#store.setOwners(sks, owners);
      const last = tests.at(-1);
      if (!last || tests.length < testsAtOnce) return;
      after = last.sk;
    }
  }

  #parse(text: string): Codeowners {
    const known = this.#parsed.get(text);
    if (known) return known;
    const rules = parseCodeowners(text);
    if (this.#parsed.size >= mostParsed) this.#parsed.clear();
    this.#parsed.set(text, rules);
    return rules;
  }

  #logIssues(repo: object, { issues }: Codeowners): void {
    if (issues.length > 0)
      this.#log.warn(
        { repo, issues: issues.slice(0, 5) },
        "some lines of CODEOWNERS are skipped, as GitHub does",
      );
  }
}
