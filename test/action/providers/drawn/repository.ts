import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { installTool, realTools } from "../playground.ts";
import type { Files } from "./truth.ts";

/** One repository for many cases, because creating one takes longer than a query. */
export class DrawnRepository {
  readonly directory: string;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;

  private constructor(directory: string, env: NodeJS.ProcessEnv) {
    this.directory = directory;
    this.workspace = join(directory, "workspace");
    this.env = env;
    this.#git("init", "--quiet", ".");
  }

  /**
   * @param tool the program that the provider runs; null if it runs none.
   * @param installed where the real Node.js tools are installed; null to use their recorded answers.
   */
  static async create(tool: string | null, installed: string | null): Promise<DrawnRepository> {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "trainyard-drawn-")));
    const workspace = join(directory, "workspace");
    const tools = join(directory, "tools");
    mkdirSync(workspace);
    mkdirSync(tools);
    if (installed !== null) symlinkSync(join(installed, "node_modules"), join(workspace, "node_modules"));
    else if (tool !== null) await installTool(tools, tool);
    return new DrawnRepository(directory, {
      ...process.env,
      PATH: `${tools}${delimiter}${process.env.PATH}`,
      // Otherwise each query would start a process for each plugin.
      NX_ISOLATE_PLUGINS: "false",
      GIT_CONFIG_GLOBAL: join(directory, "none"),
      TOOL_RECORDING: join(import.meta.dirname, `../recorded/drawn-${tool}.json.br`),
      TOOL_ROOT: workspace,
      TOOL_REAL: realTools,
    });
  }

  /** Commits both sides of a change, and checks out the head. Returns their SHAs. */
  commit(base: Files, head: Files): { baseSha: string; headSha: string } {
    const stream = `${commitOf("refs/remotes/origin/main", null, base)}${commitOf("refs/heads/topic", "refs/remotes/origin/main", head)}`;
    this.#git("update-ref", "-d", "refs/heads/topic");
    this.#git("update-ref", "-d", "refs/remotes/origin/main");
    execFileSync("git", ["fast-import", "--quiet", "--force"], {
      cwd: this.workspace,
      env: this.env,
      input: stream,
    });
    this.#git("checkout", "--quiet", "--force", "--detach", "refs/heads/topic");
    this.#git("clean", "-qffdx", "--exclude=node_modules");
    const [baseSha = "", headSha = ""] = this.#git(
      "rev-parse",
      "refs/remotes/origin/main",
      "refs/heads/topic",
    )
      .trim()
      .split("\n");
    return { baseSha, headSha };
  }

  close(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.workspace, env: this.env, encoding: "utf8" });
  }
}

function commitOf(ref: string, from: string | null, files: Files): string {
  const header = `commit ${ref}\ncommitter Alice <alice@example.com> 1700000000 +0000\ndata 1\nx\n`;
  const lines = Object.entries(files).map(([path, file]) => {
    const content = typeof file === "string" ? file : file.link;
    return `M ${typeof file === "string" ? "100644" : "120000"} inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
  });
  return `${header}${from === null ? "" : `from ${from}\n`}deleteall\n${lines.join("")}\n`;
}
