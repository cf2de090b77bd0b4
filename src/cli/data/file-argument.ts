import { parseArgs } from "node:util";
import { renderOptionProblem } from "../../command/option-problem.ts";

/** The only argument of a command: a file. Otherwise a line that says what is wrong. */
export function parseFileArgument(
  argv: readonly string[],
  command: string,
): { readonly file: string } | { readonly problem: string } {
  try {
    const { positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: {} });
    const [file] = positionals;
    if (file && positionals.length === 1) return { file };
    return {
      problem: `Name one file: trainyard ${command} FILE. "trainyard ${command} --help" describes it.`,
    };
  } catch (error) {
    return { problem: renderOptionProblem(error, command, []) };
  }
}
