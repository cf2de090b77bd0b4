import type { Installation } from "../../ports/code-host/app.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";
import { findAppGaps } from "./app-gaps.ts";

/**
 * Warns about permissions that the App asks for and an account's owner has not accepted, once for each
 * installation and set of permissions. Permissions that merging needs are not included: they stop the queue
 * (`APP_PERMISSIONS_NOT_GRANTED`).
 */
export class UnacceptedPermissions {
  readonly #wanted: Readonly<Record<string, string>>;
  readonly #log: Logger;
  /** By installation id: the missing permissions at the last reading. */
  readonly #missing = new Map<number, string>();

  /** @param wanted the permissions that the App's manifest asks for */
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
