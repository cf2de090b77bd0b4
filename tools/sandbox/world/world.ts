import type { Background } from "../background.ts";
import { type Account, type App, hasRole, type Installation, type Role } from "./account.ts";
import type { Repository } from "./repository.ts";
import type { WorldEvent, WorldListener } from "./world-event.ts";

/** The id of `ghost` on github.com. */
const GHOST_ID = 10_137;

/** The simulated delays of GitHub's asynchronous work, in milliseconds. */
export interface Delays {
  /** From a change of the head, or from the first request after a change of the base, to a known `mergeable`. */
  mergeability: number;
  /** From a push that contains a pull request's head to the pull request's merged state. */
  indirectMerge: number;
  /** From a request for an asynchronous merge to the merge. */
  asyncMerge: number;
}

/** GitHub's state, in memory. Names are compared case-insensitively, as on GitHub. */
export class World {
  readonly seed: number;
  readonly background: Background;
  readonly delays: Delays;
  readonly apps: App[] = [];
  readonly installations: Installation[] = [];
  readonly #accounts = new Map<string, Account>();
  readonly #defaultRoles = new Map<string, Role>();
  readonly #repositories = new Map<string, Repository>();
  /** Repositories by their former names, while no other repository has the name. */
  readonly #formerNames = new Map<string, Repository>();
  /** Includes deleted repositories. */
  readonly everyRepository: Repository[] = [];
  readonly #listeners: WorldListener[] = [];
  #lastId = 1_000_000;

  constructor(seed: number, background: Background, delays: Delays) {
    this.seed = seed;
    this.delays = delays;
    this.background = background;
  }

  now(): Date {
    return new Date();
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Calls each listener in turn and waits for it, so that a listener reads the state at the time of the event. */
  async emit(event: WorldEvent): Promise<void> {
    for (const listener of this.#listeners) await listener(event);
  }

  subscribe(listener: WorldListener): void {
    this.#listeners.push(listener);
  }

  account(login: string): Account | null {
    return this.#accounts.get(login.toLowerCase()) ?? null;
  }

  /** Returns the account with this login. Creates it if necessary. */
  ensureAccount(login: string, type: Account["type"], id = this.nextId()): Account {
    const existing = this.account(login);
    if (existing !== null) return existing;
    const account: Account = { id, login, type, createdAt: this.now() };
    this.#accounts.set(login.toLowerCase(), account);
    return account;
  }

  /** Deletes a person's account and its repositories. From then on, its actions belong to `ghost`. */
  deleteAccount(login: string): void {
    const account = this.account(login);
    if (account?.type !== "User") throw new Error(`${login} is not a user`);
    const { id } = this.ensureAccount("ghost", "User", GHOST_ID);
    for (const repository of this.repositories())
      if (repository.owner === account) this.removeRepository(repository);
    this.#accounts.delete(login.toLowerCase());
    Object.assign(account, { id, login: "ghost", isDeleted: true });
  }

  users(): Account[] {
    return [...this.#accounts.values()].filter(({ type }) => type === "User");
  }

  /** Sets a user's role in every repository. A repository may grant a stronger one. */
  setDefaultRole(account: Account, role: Role): void {
    this.#defaultRoles.set(account.login, role);
  }

  roleIn(repository: Repository, account: Account): Role {
    if (account === repository.owner) return "admin";
    const { role, state } = repository.owner.members?.get(account) ?? {};
    if (role === "admin" && state === "active") return "admin";
    return repository.roleOf(account, this.#defaultRoles.get(account.login) ?? "none");
  }

  repository(owner: string, name: string): Repository | null {
    return this.#repositories.get(`${owner}/${name}`.toLowerCase()) ?? null;
  }

  repositories(): Repository[] {
    return [...this.#repositories.values()];
  }

  forksOf(repository: Repository): Repository[] {
    return this.repositories().filter(({ parent }) => parent === repository);
  }

  addRepository(repository: Repository): void {
    // Reviews of bots count, too: bots are Apps with permission to write reviews.
    repository.isWriter = (account) =>
      account.type === "Bot" || hasRole(this.roleIn(repository, account), "write");
    this.everyRepository.push(repository);
    this.#enter(repository);
  }

  /** Returns the repository that had this name before a rename or transfer. */
  formerly(owner: string, name: string): Repository | null {
    return this.#formerNames.get(`${owner}/${name}`.toLowerCase()) ?? null;
  }

  repositoryById(id: number): Repository | null {
    return this.repositories().find((repository) => repository.id === id) ?? null;
  }

  moveRepository(repository: Repository, owner: Account, name: string): void {
    if (this.repository(owner.login, name) !== null) throw new Error(`${owner.login}/${name} exists already`);
    const before = repository.fullName.toLowerCase();
    this.#repositories.delete(before);
    this.#formerNames.set(before, repository);
    Object.assign(repository, { owner, name });
    this.#enter(repository);
  }

  removeRepository(repository: Repository): void {
    repository.deleted = true;
    this.#repositories.delete(repository.fullName.toLowerCase());
    for (const [name, moved] of this.#formerNames) if (moved === repository) this.#formerNames.delete(name);
  }

  #enter(repository: Repository): void {
    const name = repository.fullName.toLowerCase();
    this.#formerNames.delete(name);
    this.#repositories.set(name, repository);
  }

  installationOf(app: App, account: Account): Installation | null {
    return this.installations.find((one) => one.app === app && one.account === account) ?? null;
  }
}
