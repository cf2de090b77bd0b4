import type { RepositoryRef } from "../../../src/engine/model/queue.ts";
import type { InstalledRepository } from "../../../src/ports/code-host/code-host.ts";
import type { Reach } from "../../../src/ports/code-host/repository-reach.ts";
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

/** What may happen to a repository, or to the App on it. All but the first two end after a time. */
export const upheavals = ["rename", "transfer", "suspend", "uninstall", "hide", "archive"] as const;
export type Upheaval = (typeof upheavals)[number];

/** The repository's place at the code host, and whether the App reaches it. */
export class VirtualRepository {
  #owner = "acme";
  #name = "simulated";
  #installationId = 1;
  readonly #lasting = new Set<Upheaval>();
  #renames = 0;

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
    if (kind !== "rename" && kind !== "transfer") {
      this.#lasting.add(kind);
      return;
    }
    this.#renames += 1;
    if (kind === "rename") this.#name = `simulated-${this.#renames}`;
    else {
      this.#owner = `owner-${this.#renames}`;
      this.#installationId += 1;
    }
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

  reach(base: string): Reach {
    if (this.installationId === null) return { kind: "not_installed" };
    const installation = { id: this.#installationId, owner: this.#owner, permissions, settingsUrl: "" };
    if (this.#lasting.has("suspend")) return { kind: "suspended", installation };
    if (this.#lasting.has("hide")) return { kind: "not_visible" };
    const archived = this.#lasting.has("archive");
    return { kind: "reached", repo: this.ref, repositoryId, archived, branch: base, installation };
  }

  /** As webhooks name it. */
  get seen() {
    const { owner, name } = this.ref;
    return { owner, name, repositoryId, installationId: this.#installationId };
  }
}
