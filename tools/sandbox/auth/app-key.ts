import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

export interface AppKey {
  /** In PKCS #1 PEM, as GitHub provides it. */
  privateKey: string;
  publicKey: KeyObject;
}

let made: Promise<AppKey> | undefined;

/** Returns the key of the App. Creating one takes a tenth of a second, so the sandboxes of one process share it. */
export function appKey(): Promise<AppKey> {
  made ??= promisify(generateKeyPair)("rsa", { modulusLength: 2048 }).then(({ publicKey, privateKey }) => ({
    publicKey,
    privateKey: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
  }));
  return made;
}
