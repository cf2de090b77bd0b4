import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Logger } from "../../ports/code-host/runtime.ts";
import type { KeptKey, SigningKeys } from "../../store/access/signing-keys.ts";
import { messageOf } from "../workers/retry.ts";

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;
const version = "v1";

/**
 * Seals secrets for the database, so that a copy of the database alone does not reveal them: AES-256-GCM,
 * bound to the owner of the secret. The first key seals, and all keys open, so that keys can be rotated.
 */
export class SecretSeal {
  readonly #keys: readonly Buffer[];

  /** @param keys of 32 bytes. When empty, nothing can be sealed. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys;
  }

  get canSeal(): boolean {
    return this.#keys.length > 0;
  }

  /** Whether it was sealed with the current key. */
  isCurrent(sealed: string): boolean {
    const [key] = this.#keys;
    return key !== undefined && sealed.startsWith(`${version}.${fingerprint(key)}.`);
  }

  /** @throws Error when there is no key. */
  seal(secret: string, owner: string): string {
    const [key] = this.#keys;
    if (!key) throw new Error("there is no key to seal with: set TRAINYARD_ENCRYPTION_KEY");
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${version}.${fingerprint(key)}.${sealed.toString("base64url")}`;
  }

  /** @throws Error when none of the keys has sealed it, or it belongs to another owner. */
  open(sealed: string, owner: string): string {
    const [form, by, text = ""] = sealed.split(".");
    const key = this.#keys.find((one) => fingerprint(one) === by);
    if (form !== version || !key)
      throw new Error("none of the keys has sealed it: set TRAINYARD_ENCRYPTION_KEY, or the previous one");
    const bytes = Buffer.from(text, "base64url");
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-tagBytes));
    const open = decipher.update(bytes.subarray(ivBytes, -tagBytes));
    return Buffer.concat([open, decipher.final()]).toString("utf8");
  }
}

/** Identifies the key without revealing anything about it. */
function fingerprint(key: Buffer): string {
  return createHash("sha256").update("trainyard key id").update(key).digest("hex").slice(0, 8);
}

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
