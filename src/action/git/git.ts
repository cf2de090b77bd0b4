import { itemsPrintedBy, type Program, ProgramFailed } from "../child-process.ts";

export type GitEnvironment = Pick<Program, "cwd" | "env" | "signal">;

/** The items that git prints. @throws ProgramFailed */
export function gitItems(
  git: GitEnvironment,
  separator: "\n" | "\0",
  ...args: string[]
): AsyncGenerator<readonly string[]> {
  // No prompt for credentials, and messages in English.
  const env = { ...git.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  return itemsPrintedBy({ ...git, env, file: "git", label: `git ${args[0]}`, args }, separator, "keep");
}

/** Runs git for its side effects. @throws ProgramFailed */
export async function runGit(git: GitEnvironment, ...args: string[]): Promise<void> {
  for await (const _ of gitItems(git, "\n", ...args));
}

/** The first line that git prints; null when it prints nothing or ends with exit code 1. */
export async function gitLine(git: GitEnvironment, ...args: string[]): Promise<string | null> {
  let first: string | null = null;
  try {
    for await (const lines of gitItems(git, "\n", ...args)) first ??= lines[0] ?? null;
  } catch (error) {
    if (error instanceof ProgramFailed && error.exit?.code === 1) return null;
    throw error;
  }
  return first;
}
