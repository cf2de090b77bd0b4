/**
 * A hash of bytes, in lower-case hex; `crypto.hash` of Node is one. It is an argument because it is ten times as fast as
 * what this layer could import.
 */
export type Digest = (algorithm: "sha1" | "sha256", bytes: Uint8Array) => string;
