import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Trainyard } from "../cli/run-trainyard.ts";
import { readImage } from "./image.ts";

const image = readImage();

/** Runs the commands of the Dockerfile as a container would, with its folders below a directory. */
export class Container {
  /** Everything that a container may write to. */
  readonly data: string;
  readonly #app: string;
  readonly #secrets: string;

  /** @param app the folder of the installed package */
  constructor(directory: string, app: string) {
    this.#app = app;
    this.data = join(directory, "data");
    this.#secrets = join(directory, "secrets");
  }

  async create(): Promise<void> {
    await mkdir(this.data, { recursive: true });
    await mkdir(this.#secrets, { recursive: true });
  }

  serve(env: Readonly<Record<string, string>>): Trainyard {
    return this.#run([...image.entrypoint, ...image.command], env);
  }

  checkHealth(env: Readonly<Record<string, string>>): Trainyard {
    return this.#run(image.healthCheck, env);
  }

  /** Writes each secret to a file, and returns an environment that names the files. */
  async moveSecrets(given: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const env = { ...given };
    for (const name of ["PRIVATE_KEY", "WEBHOOK_SECRET"]) {
      const path = join(this.#secrets, name);
      await writeFile(path, `${env[name] ?? ""}\n`);
      await chmod(path, 0o400);
      env[`${name}_FILE`] = path;
      delete env[name];
    }
    return env;
  }

  #run(command: readonly string[], env: Readonly<Record<string, string>>): Trainyard {
    const [node, first = "", ...rest] = command.map((text) => this.#inFolders(text));
    if (node !== "node") throw new Error(`the Dockerfile runs ${node}, and this can run only node`);
    const own = Object.entries(image.environment).map(([name, value]) => [name, this.#inFolders(value)]);
    const HOME = join(this.data, "../home");
    const cwd = this.#inFolders(image.workingDirectory ?? "");
    return new Trainyard(
      rest,
      { ...env, ...Object.fromEntries(own), HOME, PORT: env.PORT ?? "" },
      cwd,
      first,
    );
  }

  #inFolders(text: string): string {
    return text.replace(/\/app\b/, this.#app).replace(/\/data\b/, this.data);
  }
}
