import type { Logger } from "../ports/runtime.ts";
import type { KeptKey, SigningKeys } from "../ports/signing-keys.ts";
import { messageOf } from "./retry.ts";
import type { SecretSeal } from "./webhooks/secret-seal.ts";

/**
 * Keys that the service makes for itself, sealed in the database where there is a key to seal with. Without one they are kept in
 * the clear: they guard nothing that is not in the database, too.
 */
export class SealedKeys {
  readonly #keys: SigningKeys;
  readonly #seal: SecretSeal;

  constructor(keys: SigningKeys, seal: SecretSeal) {
    this.#keys = keys;
    this.#seal = seal;
  }

  /**
   * The key of this name: the one that is kept, or else the one given, which is kept from then on.
   *
   * @throws Error when it is sealed with a key that is not there.
   */
  async obtain(name: string, fresh: Uint8Array): Promise<Uint8Array> {
    const value = await this.#keys.obtain({ name, value: this.#close(name, fresh) });
    return this.#open({ name, value });
  }

  /** Seals what is kept in the clear, or was sealed with a previous key. One that cannot be opened stays, and the log says so. */
  async resealAll(log: Logger): Promise<void> {
    for (const key of await this.#keys.list()) {
      if (this.#seal.canSeal ? this.#seal.isCurrent(key.value) : !isSealed(key.value)) continue;
      try {
        await this.#keys.replace(key, this.#close(key.name, this.#open(key)));
      } catch (error) {
        log.error(
          { code: "KEY_NOT_OPENED", key: key.name, err: error },
          `the signing key ${key.name} cannot be used: ${messageOf(error)}`,
        );
      }
    }
  }

  #close(name: string, key: Uint8Array): string {
    const text = Buffer.from(key).toString("base64");
    return this.#seal.canSeal ? this.#seal.seal(text, ownerOf(name)) : text;
  }

  #open({ name, value }: KeptKey): Uint8Array {
    const text = isSealed(value) ? this.#seal.open(value, ownerOf(name)) : value;
    return Buffer.from(text, "base64");
  }
}

/** Base64 has no dot. */
function isSealed(value: string): boolean {
  return value.includes(".");
}

/** What a key is bound to, so that it cannot stand for another. */
function ownerOf(name: string): string {
  return `signing key ${name}`;
}
