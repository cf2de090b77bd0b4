import type { RepositoryRef } from "../../../src/engine/model/queue.ts";
import type { Reach } from "../../../src/ports/code-host/app.ts";
import type { InstalledRepository } from "../../../src/ports/code-host/code-host.ts";
import { VirtualFailure } from "./virtual-calls.ts";

export const hostName = "github.test";
/** The default branch, which has a queue in every life. */
export const branch = "main";
/** The other branch that pull requests may be opened against. */
export const otherBranch = "next";
export const baseBranches = [branch, otherBranch] as const;
export type BaseBranch = (typeof baseBranches)[number];

/** The branch to which a pull request with this base branch is changed. */
export function otherThan(base: string): BaseBranch {
  return base === branch ? otherBranch : branch;
}

export const repositoryId = 1;
/** Of the App. */
export const appId = 1;
const permissions = {
  ...{ metadata: "read", contents: "write", pull_requests: "write", checks: "write" },
  ...{ statuses: "read", issues: "write", administration: "read", actions: "write" },
};

/** The events of a repository, or of the App on it. All but the first three end after some time. */
export const upheavals = [
  "rename",
  "transfer",
  "rename_branch",
  "suspend",
  "uninstall",
  "hide",
  "archive",
] as const;
export type Upheaval = (typeof upheavals)[number];

/** The repository's place at the code host, and whether the App reaches it. */
export class VirtualRepository {
  #owner = "acme";
  #name = "simulated";
  #installationId = 1;
  readonly #lasting = new Set<Upheaval>();
  #renames = 0;
  /** The names of the default branch, the current one last. */
  readonly #branchNames: string[] = [branch];

  /** A copy that does not change. */
  copy(): VirtualRepository {
    const copied = new VirtualRepository();
    copied.#owner = this.#owner;
    copied.#name = this.#name;
    copied.#installationId = this.#installationId;
    for (const kind of this.#lasting) copied.#lasting.add(kind);
    copied.#branchNames.splice(0, 1, ...this.#branchNames);
    return copied;
  }

  get ref(): RepositoryRef {
    return { host: hostName, owner: this.#owner, name: this.#name };
  }

  /** Whether the code host sends webhooks about it. */
  get isHeard(): boolean {
    return !this.#lasting.has("suspend") && !this.#lasting.has("uninstall") && !this.#lasting.has("hide");
  }

  /** The installation as webhooks and readings name it; null = there is none. */
  get installationId(): number | null {
    return this.#lasting.has("uninstall") ? null : this.#installationId;
  }

  begin(kind: Upheaval): void {
    switch (kind) {
      case "rename":
        this.#renames += 1;
        this.#name = `simulated-${this.#renames}`;
        return;
      case "transfer":
        this.#renames += 1;
        this.#owner = `owner-${this.#renames}`;
        this.#installationId += 1;
        return;
      case "rename_branch":
        this.#branchNames.push(`trunk-${this.#branchNames.length}`);
        return;
      default:
        this.#lasting.add(kind);
    }
  }

  /** The current name of a base branch. */
  nameOf(base: string): string {
    return base === branch ? (this.#branchNames.at(-1) ?? branch) : base;
  }

  /** The base branch that currently has this name; null = none has. */
  baseNamed(name: string): BaseBranch | null {
    return baseBranches.find((base) => this.nameOf(base) === name) ?? null;
  }

  /** The current name of a base branch, which the code host also finds by a former name; null when there is no such branch. */
  #presentName(name: string): string | null {
    if (this.#branchNames.includes(name)) return this.nameOf(branch);
    return this.baseNamed(name) === null ? null : name;
  }

  end(kind: Upheaval): void {
    if (this.#lasting.delete(kind) && kind === "uninstall") this.#installationId += 1;
  }

  /** The refusal of a call about the repository; null = it is permitted. A former name is redirected. */
  refusalOf({ installationId }: Pick<InstalledRepository, "installationId">, isChange: boolean) {
    if (this.#lasting.has("suspend")) return new VirtualFailure("denied", "the installation is suspended");
    if (installationId !== this.installationId)
      return new VirtualFailure("not_found", "there is no such installation");
    if (this.#lasting.has("hide")) return new VirtualFailure("not_found", "there is no such repository");
    return isChange && this.#lasting.has("archive")
      ? new VirtualFailure("denied", "the repository is archived")
      : null;
  }

  /** @param name the name of a branch, maybe a former one */
  reach(name: string): Reach {
    if (this.installationId === null) return { kind: "not_installed" };
    const installation = {
      id: this.#installationId,
      owner: this.#owner,
      isPersonal: false,
      permissions,
      settingsUrl: "",
    };
    if (this.#lasting.has("suspend")) return { kind: "suspended", installation };
    if (this.#lasting.has("hide")) return { kind: "not_visible" };
    const archived = this.#lasting.has("archive");
    return {
      kind: "reached",
      repo: this.ref,
      repositoryId,
      ownerId: 1,
      archived,
      isPublic: false,
      branch: this.#presentName(name),
      installation,
    };
  }

  /** The repository as webhooks name it. */
  get seen() {
    const { owner, name } = this.ref;
    return { owner, name, repositoryId, installationId: this.#installationId };
  }
}
