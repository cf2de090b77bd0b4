import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { installTool, realTools } from "../playground.ts";
import type { Files } from "./truth.ts";

/** The sides of a change: each the commit, and a name for its files. */
export type DrawnSides = Readonly<Record<"base" | "head" | "target", { sha: string; name: string }>>;

/** One repository for many cases, because creating one takes longer than a query. */
export class DrawnRepository {
  readonly directory: string;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;

  /** Only the tools of Node.js look at the checkout. */
  readonly #isCheckedOut: boolean;
  #commit: (name: string, branch: number | null) => DrawnSides["base"] = () => ({ sha: "", name: "" });

  private constructor(directory: string, env: NodeJS.ProcessEnv, isCheckedOut: boolean) {
    this.#isCheckedOut = isCheckedOut;
    this.directory = directory;
    this.workspace = join(directory, "workspace");
    this.env = env;
    this.#git("init", "--quiet", ".");
    this.#git("config", "core.fsync", "none");
  }

  /**
   * @param tool the program that the provider runs; null if it runs none.
   * @param isReal whether the real tool answers instead of its recorded answers. It is asked once about each commit.
   */
  static async create(tool: string | null, isReal: boolean): Promise<DrawnRepository> {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "trainyard-drawn-")));
    const workspace = join(directory, "workspace");
    const tools = join(directory, "tools");
    mkdirSync(workspace);
    mkdirSync(tools);
    mkdirSync(join(directory, "answers"));
    if (tool !== null && isReal) copyFileSync(join(import.meta.dirname, "ask-once.sh"), join(tools, tool));
    else if (tool !== null) await installTool(tools, tool);
    return new DrawnRepository(
      directory,
      {
        ...process.env,
        PATH: `${tools}${delimiter}${process.env.PATH}`,
        // Otherwise each query would start a process for each plugin.
        NX_ISOLATE_PLUGINS: "false",
        GIT_CONFIG_GLOBAL: join(directory, "none"),
        TOOL_RECORDING: join(import.meta.dirname, `../recorded/drawn-${tool}.json.br`),
        TOOL_ANSWERS: join(directory, "answers"),
        TOOL_ROOT: workspace,
        TOOL_REAL: realTools,
      },
      tool === "nx" || tool === "turbo",
    );
  }

  /** Commits a workspace, and branches of it. */
  commit(base: Files, branches: readonly Files[]): void {
    const commits = branches.flatMap((files, at) => [
      commitOf(`branch-${at}`, ["base"], files),
      commitOf(`main-${at}`, ["base", "second"], files),
      commitOf(`topic-${at}`, ["second", "base"], files),
    ]);
    const input = [commitOf("base", [], base), commitOf("second", [], base), ...commits].join("");
    execFileSync("git", ["fast-import", "--quiet", "--force"], { cwd: this.workspace, env: this.env, input });
    const refs = this.#git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/drawn");
    const shas = new Map(refs.split("\n").map((line) => line.split(" ", 2) as [string, string]));
    this.#commit = (name, at) => {
      const files = at === null ? base : (branches[at] ?? {});
      return { sha: shas.get(name) ?? "", name: hash("sha256", JSON.stringify(files)).slice(0, 12) };
    };
  }

  /**
   * Makes one branch the head, and another one the target branch.
   *
   * @param target null: the target branch is at the base.
   * @param isCrossed the base and another commit are both merge bases.
   */
  merge(head: number, target: number | null, isCrossed = false): DrawnSides {
    const sides = {
      base: this.#commit("base", null),
      head: this.#commit(`${isCrossed ? "topic" : "branch"}-${head}`, head),
      target: this.#commit(target === null ? "base" : `${isCrossed ? "main" : "branch"}-${target}`, target),
    };
    const main = join(this.workspace, ".git/refs/remotes/origin/main");
    mkdirSync(dirname(main), { recursive: true });
    writeFileSync(main, `${sides.target.sha}\n`);
    if (this.#isCheckedOut) {
      this.#git("checkout", "--quiet", "--force", "--detach", sides.head.sha);
      this.#git("clean", "-qffdx");
    }
    return sides;
  }

  close(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.workspace, env: this.env, encoding: "utf8" });
  }
}

function commitOf(name: string, [from, other]: readonly string[], files: Files): string {
  const ref = `refs/drawn/${name}`;
  const header = `reset ${ref}\ncommit ${ref}\ncommitter Alice <alice@example.com> 1700000000 +0000\ndata ${name.length}\n${name}\n`;
  const lines = Object.entries(files).map(([path, file]) => {
    const content = typeof file === "string" ? file : file.link;
    return `M ${typeof file === "string" ? "100644" : "120000"} inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
  });
  const parents = `${from ? `from refs/drawn/${from}\n` : ""}${other ? `merge refs/drawn/${other}\n` : ""}`;
  return `${header}${parents}deleteall\n${lines.join("")}\n`;
}
