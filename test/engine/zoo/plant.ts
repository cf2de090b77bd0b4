import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { QueueSettings } from "../../../src/engine/settings.ts";
import type { Defect } from "./defects.ts";

const root = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** A copy of the engine and its simulator. */
export class PlantedEngine {
  readonly directory = mkdtempSync(join(tmpdir(), "engine-"));

  constructor() {
    for (const part of ["src/engine", "src/simulate", "package.json"])
      cpSync(join(root, part), join(this.directory, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(this.directory, "node_modules"));
  }

  /** Throws when the engine's text has no such place any more, or several. */
  plant({ name, file, replace, by }: Defect): void {
    const path = join(this.directory, "src/engine", file);
    const [before, after, ...others] = readFileSync(path, "utf8").split(replace);
    if (before === undefined || after === undefined || others.length > 0)
      throw new Error(`"${name}": ${file} must contain exactly once what it replaces`);
    writeFileSync(path, `${before}${by}${after}`);
  }

  /** The first broken invariant, e.g. `I13`, that the scenarios of the first seeds come upon; null = none. */
  async hunt(
    seeds: number,
    settings: Partial<QueueSettings> = {},
  ): Promise<{ readonly seed: number; readonly violation: string } | null> {
    const hunter = join(import.meta.dirname, "hunt.ts");
    const options = [
      "--disable-warning=ExperimentalWarning",
      hunter,
      this.directory,
      String(seeds),
      JSON.stringify(settings),
    ];
    const { stdout } = await run(process.execPath, options);
    const found = JSON.parse(stdout);
    return "seed" in found ? found : null;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
