import type { Installation } from "../ports/repository-reach.ts";
import type { Logger } from "../ports/runtime.ts";
import { findAppGaps } from "./app-gaps.ts";

/**
 * Warns about permissions that the App asks for and the owner of an account has not accepted: once for each installation and set of
 * permissions. Those that merging needs stop the queue (`APP_PERMISSIONS_NOT_GRANTED`) and are not among them.
 */
export class UnacceptedPermissions {
  readonly #wanted: Readonly<Record<string, string>>;
  readonly #log: Logger;
  /** By installation: what was missing when it was read last. */
  readonly #missing = new Map<number, string>();

  /** @param wanted what the App's manifest asks for */
  constructor(wanted: Readonly<Record<string, string>>, log: Logger) {
    this.#wanted = wanted;
    this.#log = log;
  }

  note({ id, owner, permissions: has, settingsUrl: url }: Installation): void {
    const { further: permissions } = findAppGaps(
      { permissions: this.#wanted, events: [] },
      { permissions: has, events: [] },
    );
    const missing = permissions.join(", ");
    const before = this.#missing.get(id) ?? "";
    this.#missing.set(id, missing);
    if (missing === "" || missing === before) return;
    this.#log.warn(
      { code: "APP_PERMISSIONS_NOT_ACCEPTED", owner, permissions, url },
      `The App's installation on ${owner} lacks ${missing}, so some features do not work there. Accept its new permissions at ${url}`,
    );
  }
}
