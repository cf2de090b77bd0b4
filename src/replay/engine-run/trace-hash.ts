import { createHash } from "node:crypto";

/** A digest of everything that happened, in order. */
export class TraceHash {
  readonly #hash = createHash("sha256");

  add(what: string): void {
    this.#hash.update(what).update("\n");
  }

  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}
