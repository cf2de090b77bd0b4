import type { Logger } from "../../ports/code-host/runtime.ts";
import type { KeptKey, SigningKeys } from "../../store/access/signing-keys.ts";
import { messageOf } from "../workers/retry.ts";
import type { SecretSeal } from "./secret-seal.ts";

/**
 * Keys that the service generates for itself. They are sealed in the database if there is an encryption key.
 * Without one they are stored in clear text, because all that they protect is in the same database.
 */
export class SealedKeys {
  readonly #keys: SigningKeys;
  readonly #seal: SecretSeal;

  constructor(keys: SigningKeys, seal: SecretSeal) {
    this.#keys = keys;
    this.#seal = seal;
  }

  /**
   * Returns the stored key of this name. If there is none, stores the given one and returns it.
   *
   * @throws Error when it is sealed with a key that is not available.
   */
  async obtain(name: string, fresh: Uint8Array): Promise<Uint8Array> {
    const value = await this.#keys.obtain({ name, value: this.#close(name, fresh) });
    return this.#open({ name, value });
  }

  /**
   * Seals keys that are stored in clear text or sealed with a previous encryption key. A key that cannot be
   * opened stays unchanged and is logged.
   */
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

/** Base64 contains no dot. */
function isSealed(value: string): boolean {
  return value.includes(".");
}

/** The owner that the seal binds a key to, so that it cannot be used in place of another. */
function ownerOf(name: string): string {
  return `signing key ${name}`;
}
