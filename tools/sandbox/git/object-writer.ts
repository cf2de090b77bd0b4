import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { constants, deflateSync } from "node:zlib";
import type { ObjectType } from "./git-object.ts";

let temporaryFiles = 0;

/**
 * Writes a loose object and returns its id. `git hash-object` would need a process for each object, and a loose object is only
 * one deflated file:
 * https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_object_storage
 */
export function writeObject(directory: string, type: ObjectType, content: Buffer): string {
  const stored = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const sha = createHash("sha1").update(stored).digest("hex");
  const path = join(directory, "objects", sha.slice(0, 2), sha.slice(2));
  if (existsSync(path)) return sha;
  mkdirSync(dirname(path), { recursive: true });
  // A reader must never see a partially written object.
  temporaryFiles += 1;
  const temporary = join(directory, "objects", `tmp_obj_${process.pid}_${temporaryFiles}`);
  writeFileSync(temporary, deflateSync(stored, { level: constants.Z_BEST_SPEED }), { mode: 0o444 });
  renameSync(temporary, path);
  return sha;
}
