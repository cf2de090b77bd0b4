/**
 * A hash of bytes, in lower-case hex, such as Node's `crypto.hash`. It is passed in because it is ten times as fast as any hash
 * that this layer could import.
 */
export type Digest = (algorithm: "sha1" | "sha256", bytes: Uint8Array) => string;
