import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Person, SessionStore } from "../../store/access/session-store.ts";
import type { SealedKeys } from "./secret-seal.ts";

/** What a command line gets when it asks to act for a person. Nothing of it is stored. */
export interface BegunSignIn {
  /** What it authenticates with as soon as a person has confirmed the request. */
  readonly secret: string;
  /** What the person confirms: signed, so that nobody can extend it, and without the secret. */
  readonly request: string;
  /** Shown on both sides, so that the person sees that the request is their own. */
  readonly code: string;
}

/** A request that a person may confirm. */
export interface AskedSignIn {
  readonly idSha256: string;
  readonly code: string;
  /** How the command line calls its machine. Anybody can send anything. */
  readonly from: string;
}

/** A request can be confirmed for this time. */
export const requestMs = 10 * 60_000;
/** A command line is signed in for this time. */
export const signedInMs = 30 * 24 * 60 * 60_000;

/** The last use of a session is written at most this often, so that not every request writes. */
export const seenGrainMs = 10 * 60_000;

/** Longer than an id of a browser's session, so that neither can be used in place of the other. */
const secretForm = /^tyl_[\w-]{43}$/;
const requestForm = /^([\w-]{43})\.([0-9a-z]{1,12})\.([\w-]{0,400})\.([\w-]{22})$/;
const longestFrom = 64;
const macBytes = 16;
/** Without vowels, so that a code is no word (RFC 8628). */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

/** Whether a text has the form of a command line's secret. */
export function isCommandLineSecret(text: string): boolean {
  return secretForm.test(text);
}

/**
 * Lets a command line act for a person who has signed in in a browser. Over a row for each request: anybody may ask, so strangers could
 * fill the table, and a code that is looked up can be guessed.
 */
export class CommandLineSignIns {
  readonly #store: SessionStore;
  readonly #keys: SealedKeys;
  readonly #clock: Clock;

  constructor(store: SessionStore, keys: SealedKeys, clock: Clock) {
    this.#store = store;
    this.#keys = keys;
    this.#clock = clock;
  }

  /** @param from how the command line calls its machine */
  async begin(from: string): Promise<BegunSignIn> {
    const secret = `tyl_${randomBytes(32).toString("base64url")}`;
    const expiry = Math.ceil(this.#clock.now() + requestMs).toString(36);
    const machine = Buffer.from([...from].slice(0, longestFrom).join("")).toString("base64url");
    const unsigned = `${digestOf(secret).toString("base64url")}.${expiry}.${machine}`;
    const mac = await this.#sign(unsigned);
    return { secret, request: `${unsigned}.${mac.toString("base64url")}`, code: codeOf(mac) };
  }

  /** Null when it is not a request of this service, or too old. */
  async read(request: string): Promise<AskedSignIn | null> {
    const [, digest = "", expiry = "", machine = "", mac = ""] = requestForm.exec(request) ?? [];
    const expected = await this.#sign(`${digest}.${expiry}.${machine}`);
    const given = Buffer.from(mac, "base64url");
    if (given.length !== macBytes || !timingSafeEqual(given, expected)) return null;
    if (Number.parseInt(expiry, 36) <= this.#clock.now()) return null;
    const idSha256 = Buffer.from(digest, "base64url").toString("hex");
    return { idSha256, code: codeOf(expected), from: Buffer.from(machine, "base64url").toString("utf8") };
  }

  /** Returns when the command line's sign-in ends; null when the request is unknown, too old, or was confirmed before. */
  async confirm(request: string, { id, login }: Person): Promise<number | null> {
    const asked = await this.read(request);
    if (asked === null) return null;
    const now = this.#clock.now();
    const expiresAt = now + signedInMs;
    const session = {
      idSha256: asked.idSha256,
      signedIn: { kind: "person", id, login } as const,
      device: { kind: "command_line", machine: asked.from } as const,
      ...{ createdAt: now, seenAt: now, expiresAt },
    };
    return (await this.#store.add(session)) ? expiresAt : null;
  }

  /** Null when the secret is unknown, was not confirmed, or its sign-in has ended. */
  async identify(secret: string): Promise<(Person & { readonly expiresAt: number }) | null> {
    if (!isCommandLineSecret(secret)) return null;
    const session = await this.#store.find(digestOf(secret).toString("hex"));
    const now = this.#clock.now();
    if (session?.signedIn.kind !== "person" || session.expiresAt <= now) return null;
    if (now - session.seenAt > seenGrainMs) await this.#store.markSeen(session.idSha256, now);
    const { id, login } = session.signedIn;
    return { id, login, expiresAt: session.expiresAt };
  }

  async end(secret: string): Promise<void> {
    if (isCommandLineSecret(secret)) await this.#store.end([digestOf(secret).toString("hex")]);
  }

  async #sign(unsigned: string): Promise<Buffer> {
    const key = await this.#keys.obtain("command-line-sign-ins", randomBytes(32));
    return createHmac("sha256", key).update(unsigned).digest().subarray(0, macBytes);
  }
}

function codeOf(mac: Buffer): string {
  const code = [...mac.subarray(0, 8)].map((byte) => letters[byte % letters.length]).join("");
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
