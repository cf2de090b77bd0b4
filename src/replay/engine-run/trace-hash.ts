import { createHash } from "node:crypto";

/** A digest of all events, in order. */
export class TraceHash {
  readonly #hash = createHash("sha256");

  add(what: string): void {
    this.#hash.update(what).update("\n");
  }

  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}
