import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Finds a package's program: in the nearest `node_modules/.bin` at or above `cwd`, as npm and pnpm install it, else in the PATH. */
export function localProgram(name: string, cwd: string): string {
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    const file = join(directory, "node_modules", ".bin", name);
    if (existsSync(file)) return file;
    if (directory === dirname(directory)) return name;
  }
}
