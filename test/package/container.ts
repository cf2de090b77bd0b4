import { execFile } from "node:child_process";
import { chmod, chown, copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RunAs, Trainyard } from "../cli/run-trainyard.ts";
import { readImage, type Start } from "./image.ts";

const run = promisify(execFile);
const image = readImage();

/**
 * Runs the commands of a deployment as it would, with its folders below a directory: as a user other than root, who can write to
 * nothing but the folder of the data.
 */
export class Container {
  /** Everything that a container may write to. */
  readonly data: string;
  readonly #directory: string;
  readonly #app: string;
  readonly #secrets: string;
  readonly #start: Start;
  #user: RunAs | null = null;

  /** @param app the folder of the installed package */
  constructor(directory: string, app: string, start: Start) {
    this.#directory = directory;
    this.#app = app;
    this.#start = start;
    this.data = join(directory, "data");
    this.#secrets = join(directory, "secrets");
  }

  async create(): Promise<void> {
    await mkdir(this.data, { recursive: true });
    await mkdir(this.#secrets, { recursive: true });
    await run("chmod", ["-R", "a-w", this.#app]);
    if (process.getuid?.() !== 0) return;
    // Root could write everywhere.
    const uid = Number(image.user.split(":")[0]);
    const node = join(this.#directory, "node");
    await copyFile(process.execPath, node);
    this.#user = { uid, node };
    await chown(this.data, uid, uid);
    await chmod(this.#directory, 0o755);
  }

  /** Makes the files of the package writable again. */
  async remove(): Promise<void> {
    await run("chmod", ["-R", "u+w", this.#app]);
  }

  serve(env: Readonly<Record<string, string>>): Trainyard {
    return this.#run(this.#start.command, env);
  }

  checkHealth(env: Readonly<Record<string, string>>): Trainyard {
    return this.#run(image.healthCheck, env);
  }

  /** Writes each secret to a file, and returns an environment that names the files. */
  async moveSecrets(given: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const env = { ...given };
    for (const name of ["PRIVATE_KEY", "WEBHOOK_SECRET"]) {
      const path = join(this.#secrets, name);
      await writeFile(path, `${env[name] ?? ""}\n`, { mode: 0o400 });
      if (this.#user) await chown(path, this.#user.uid, this.#user.uid);
      env[`${name}_FILE`] = path;
      delete env[name];
    }
    return env;
  }

  #run(command: readonly string[], env: Readonly<Record<string, string>>): Trainyard {
    const [node, first = "", ...rest] = command.map((text) => this.#inFolders(text));
    if (node !== "node") throw new Error(`the command runs ${node}, and this can run only node`);
    const { environment, workingDirectory } = this.#start;
    const own = Object.entries(environment).map(([name, value]) => [name, this.#inFolders(value)]);
    const all = {
      ...env,
      ...Object.fromEntries(own),
      HOME: join(this.data, "../home"),
      PORT: env.PORT ?? "",
    };
    return new Trainyard(rest, all, this.#inFolders(workingDirectory), first, this.#user);
  }

  #inFolders(text: string): string {
    return text
      .replace(/\/app\b|\/opt\/trainyard\/node_modules\/trainyard\b/, this.#app)
      .replace(/\/data\b|\/var\/lib\/trainyard\b/, this.data);
  }
}
