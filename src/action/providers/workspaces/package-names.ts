import { posix } from "node:path";
import { folderNeed, type Manifest } from "./manifest.ts";

/** The names that identify the packages of a workspace. */
export class PackageNames {
  readonly #byFolder = new Map<string, string>();

  constructor(manifests: ReadonlyMap<string, Manifest>) {
    for (const [folder, { name }] of manifests) {
      const need = folderNeed(folder);
      this.#byFolder.set(need, name ?? (folder === "." ? need : folder));
    }
  }

  of(folder: string): string {
    return this.#byFolder.get(folderNeed(folder)) ?? folder;
  }

  /** Replaces folders by the names of the packages there. A path inside a package, such as a tarball, belongs to that package. */
  all(needs: readonly string[]): string[] {
    return needs.map((need) => (need.startsWith("./") ? this.#nameAt(need) : need));
  }

  #nameAt(need: string): string {
    for (let folder = need; folder.length > 1; folder = posix.dirname(folder)) {
      const name = this.#byFolder.get(folder);
      if (name !== undefined) return name;
    }
    return this.#byFolder.get("./") ?? need;
  }
}
