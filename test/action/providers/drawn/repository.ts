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

  /**
   * Commits both sides of a change, and checks out the head. Returns their SHAs.
   *
   * @param target the files of the target branch; by default it is at the base.
   * @param isCrossed the base and another commit are both merge bases.
   */
  commit(
    base: Files,
    head: Files,
    { target = null, isCrossed = false }: { target?: Files | null; isCrossed?: boolean } = {},
  ): { baseSha: string; headSha: string } {
    const [main, topic, first, second] = [
      "refs/remotes/origin/main",
      "refs/heads/topic",
      "refs/heads/base",
      "refs/heads/second",
    ] as const;
    const stream = [
      commitOf(first, [], base),
      ...(isCrossed ? [commitOf(second, [], base)] : []),
      commitOf(main, isCrossed ? [first, second] : [first], target ?? base),
      commitOf(topic, isCrossed ? [second, first] : target === null ? [main] : [first], head),
    ];
    for (const ref of [main, topic, first, second]) this.#git("update-ref", "-d", ref);
    execFileSync("git", ["fast-import", "--quiet", "--force"], {
      cwd: this.workspace,
      env: this.env,
      input: stream.join(""),
    });
    this.#git("checkout", "--quiet", "--force", "--detach", topic);
    this.#git("clean", "-qffdx", "--exclude=node_modules");
    const shas = this.#git("rev-parse", target === null ? main : first, topic);
    const [baseSha = "", headSha = ""] = shas.trim().split("\n");
    return { baseSha, headSha };
  }

  close(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.workspace, env: this.env, encoding: "utf8" });
  }
}

function commitOf(ref: string, [from, other]: readonly string[], files: Files): string {
  const header = `commit ${ref}\ncommitter Alice <alice@example.com> 1700000000 +0000\ndata ${ref.length}\n${ref}\n`;
  const lines = Object.entries(files).map(([path, file]) => {
    const content = typeof file === "string" ? file : file.link;
    return `M ${typeof file === "string" ? "100644" : "120000"} inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
  });
  const parents = `${from ? `from ${from}\n` : ""}${other ? `merge ${other}\n` : ""}`;
  return `${header}${parents}deleteall\n${lines.join("")}\n`;
}
