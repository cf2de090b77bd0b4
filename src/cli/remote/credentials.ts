import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "../../service/workers/retry.ts";

/** What `trainyard login` has received from a service. */
export interface Credential {
  readonly secret: string;
  readonly login: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

type Credentials = Readonly<Record<string, Credential>>;

/** A state of this machine prevents a command from calling the service. The message says what to do. */
export class CallImpossible extends Error {
  override readonly name: string = "CallImpossible";
  readonly code: string = "CALL_IMPOSSIBLE";
}

/** Returns what was received from the service at this address; null when nobody is signed in there. @throws CallImpossible */
export function readCredential(service: string): Credential | null {
  return readAll()[service] ?? null;
}

/**
 * Keeps a credential in a file that only its owner can read, or forgets it (null).
 *
 * @param service the address of the service, which is the only one that gets it
 */
export function keepCredential(service: string, credential: Credential | null): void {
  const { [service]: _, ...others } = readAll();
  const kept = credential === null ? others : { ...others, [service]: credential };
  const file = credentialsFile();
  const written = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(written, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    // A process that reads the file meanwhile sees either the old or the new content.
    renameSync(written, file);
  } catch (error) {
    throw new CallImpossible(`${file} cannot be written: ${messageOf(error)}.`);
  }
}

function credentialsFile(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "trainyard", "credentials.json");
}

function readAll(): Credentials {
  const file = credentialsFile();
  try {
    const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (areCredentials(kept)) return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
  }
  throw new CallImpossible(`${file} cannot be read. Remove it, then run \`trainyard login\` again.`);
}

/** An earlier version, or another program, may have written the file. */
function areCredentials(kept: unknown): kept is Credentials {
  if (typeof kept !== "object" || kept === null || Array.isArray(kept)) return false;
  const fields = ["secret", "login", "expiresAt"] as const satisfies readonly (keyof Credential)[];
  return Object.values(kept).every((one) => fields.every((field) => typeof one?.[field] === "string"));
}
