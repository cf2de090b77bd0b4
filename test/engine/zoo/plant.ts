import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Defect } from "./defects.ts";

const root = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** A copy of the engine and its simulator, in which one defect after the other is planted. */
export class PlantedEngine {
  readonly #directory = mkdtempSync(join(tmpdir(), "engine-"));

  constructor() {
    for (const part of ["src/engine", "src/simulate", "src/main.ts", "package.json"])
      cpSync(join(root, part), join(this.#directory, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(this.#directory, "node_modules"));
  }

  /** The first broken invariant that the scenarios of the first seeds come upon, e.g. `I13: …`; null = none. */
  async hunt(defect: Defect, seeds: number): Promise<string | null> {
    return this.plant(defect, () =>
      this.#play(seeds, JSON.stringify({ policy: "fixed", ...defect.settings })),
    );
  }

  /**
   * Does something while the defect is planted.
   * @param act given the directory in which `src` is. Throws when the engine's text has no such place as the defect
   *   replaces any more, or several.
   */
  async plant<T>({ name, file, replace, by }: Defect, act: (directory: string) => Promise<T>): Promise<T> {
    const path = join(this.#directory, "src/engine", file);
    const healthy = readFileSync(path, "utf8");
    const [before, after, ...others] = healthy.split(replace);
    if (before === undefined || after === undefined || others.length > 0)
      throw new Error(`"${name}": ${file} must contain exactly once what it replaces`);
    writeFileSync(path, `${before}${by}${after}`);
    try {
      return await act(this.#directory);
    } finally {
      writeFileSync(path, healthy);
    }
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #play(seeds: number, settings: string): Promise<string | null> {
    const hunter = join(import.meta.dirname, "hunt.ts");
    const options = [
      "--disable-warning=ExperimentalWarning",
      hunter,
      this.#directory,
      String(seeds),
      settings,
    ];
    // All but one file are the same each time.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(this.#directory, "cache") };
    const { stdout } = await run(process.execPath, options, { env });
    return JSON.parse(stdout).violation ?? null;
  }
}
