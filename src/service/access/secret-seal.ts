import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

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
