import { spawn } from "node:child_process";

interface GitResult {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
}

/** Runs one git command in a bare repository. Resolves for every exit code. */
export function runGit(directory: string, args: readonly string[], input?: Buffer): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", args, { cwd: directory, env: gitEnvironment() });
    const out: Buffer[] = [];
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode: exitCode ?? 1, stdout: Buffer.concat(out), stderr }));
    // A command that ends early closes its input. The exit code shows whether it failed.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/**
 * The environment for git. It ignores the configuration of the user, who may have hooks, signatures and rewritten addresses, and the
 * repository of a hook or command of git that runs this process.
 */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(others),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
  };
}
