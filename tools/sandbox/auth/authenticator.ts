import { generateKeyPair, type KeyObject, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { Refusal, suspended } from "../rest/refusal.ts";
import type { Account, App, Installation, Permissions } from "../world/account.ts";
import type { Caller } from "./authorize.ts";

const TOKEN_LIFETIME_MS = 3_600_000;
/** In seconds: how far ahead GitHub lets a JWT expire, and the tolerance for clocks that differ. */
const MAX_JWT_LIFETIME = 600;
const CLOCK_TOLERANCE = 60;

const UNDECODABLE = "A JSON web token could not be decoded";

const randomToken = (prefix: string): string =>
  `${prefix}_${randomBytes(27).toString("base64url").replace(/[-_]/g, "0")}`;

/** Installation tokens also contain a JWT, and so they contain dots, too. */
const isJwt = (value: string): boolean => value.split(".").length === 3 && !/^gh[a-z]_/.test(value);

/**
 * Creates a token of the form `ghs_APPID_JWT`, about 520 characters long. Its JWT contains dots and underscores.
 * https://github.blog/changelog/2026-04-24-notice-about-upcoming-new-format-for-github-app-installation-tokens/
 */
function installationToken(appId: number): string {
  const part = (bytes: number) => randomBytes(bytes).toString("base64url");
  return `ghs_${appId}_eyJ${part(24)}.eyJ_${part(84)}.${part(256)}`;
}

interface IssuedToken {
  caller: Caller;
  expiresAt: Date | null;
}

/** Issues tokens, and identifies the caller of a request by its token. */
export class Authenticator {
  readonly #tokens = new Map<string, IssuedToken>();
  readonly #now: () => Date;
  readonly #app: App;
  readonly #key: AppKey;

  constructor(app: App, key: AppKey, now: () => Date) {
    this.#app = app;
    this.#key = key;
    this.#now = now;
  }

  issueUserToken(account: Account): string {
    const token = randomToken("ghp");
    this.#tokens.set(token, { caller: { kind: "user", account }, expiresAt: null });
    return token;
  }

  /** The token that an App gets for somebody who signs in to it. */
  issueSignInToken(account: Account, lifetimeMs: number): string {
    const token = randomToken("ghu");
    const expiresAt = new Date(this.#now().getTime() + lifetimeMs);
    this.#tokens.set(token, { caller: { kind: "user", account }, expiresAt });
    return token;
  }

  /** @param repositories ids of the repositories that the token is narrowed to; null = all repositories of the installation */
  issueInstallationToken(
    installation: Installation,
    permissions: Permissions,
    repositories: ReadonlySet<number> | null,
  ): { token: string; expiresAt: Date } {
    const token = installationToken(this.#app.id);
    const expiresAt = new Date(this.#now().getTime() + TOKEN_LIFETIME_MS);
    this.#tokens.set(token, {
      caller: { kind: "installation", installation, permissions, repositories },
      expiresAt,
    });
    return { token, expiresAt };
  }

  /**
   * Identifies the caller of a request.
   * @param header the `Authorization` header: `token` or `Bearer` and a token or JWT, or `Basic` with the token as password (or,
   * as with GitHub, as user name)
   * @throws a 401 refusal for unknown or expired credentials
   */
  async identify(header: string | undefined): Promise<Caller> {
    if (header === undefined || header === "") return { kind: "anonymous" };
    const [scheme = "", value = ""] = header.trim().split(/\s+/, 2);
    switch (scheme.toLowerCase()) {
      case "token":
      case "bearer":
        return isJwt(value) ? this.#identifyApp(value) : this.#identifyToken(value);
      case "basic": {
        const [user = "", password = ""] = Buffer.from(value, "base64").toString("utf8").split(":", 2);
        return this.#identifyToken(password === "" || password === "x-oauth-basic" ? user : password);
      }
      default:
        throw new Refusal(401, "Bad credentials");
    }
  }

  #identifyToken(token: string): Caller {
    const issued = this.#tokens.get(token);
    const expired = issued?.expiresAt !== null && issued !== undefined && issued.expiresAt <= this.#now();
    const isGone = issued?.caller.kind === "user" && issued.caller.account.isDeleted;
    if (issued === undefined || expired || isGone) throw new Refusal(401, "Bad credentials");
    const { caller } = issued;
    if (caller.kind !== "installation") return caller;
    if (caller.installation.removed) throw new Refusal(401, "Bad credentials");
    if (caller.installation.suspendedAt !== null) throw suspended();
    return caller;
  }

  /**
   * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
   */
  async #identifyApp(jwt: string): Promise<Caller> {
    const currentDate = this.#now();
    let payload: JWTPayload;
    try {
      payload = decodeJwt(jwt);
      await jwtVerify(jwt, this.#key.publicKey, {
        algorithms: ["RS256"],
        clockTolerance: CLOCK_TOLERANCE,
        requiredClaims: ["iat", "exp", "iss"],
        currentDate,
      });
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        throw new Refusal(
          401,
          "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
        );
      }
      throw new Refusal(401, UNDECODABLE);
    }
    const now = Math.floor(currentDate.getTime() / 1000);
    if ((payload.exp ?? 0) > now + MAX_JWT_LIFETIME + CLOCK_TOLERANCE) {
      throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
    }
    if ((payload.iat ?? 0) > now + CLOCK_TOLERANCE) {
      throw new Refusal(
        401,
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
      );
    }
    if (String(payload.iss) !== String(this.#app.id) && payload.iss !== this.#app.clientId) {
      throw new Refusal(401, "Integration not found");
    }
    return { kind: "app", app: this.#app };
  }
}

interface AppKey {
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
