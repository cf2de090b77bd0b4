import { renderOptionProblem } from "../../src/command/option-problem.ts";

/** A command of the tools. */
export interface ToolCommand<Options> {
  /** The words after `trainyard`. */
  readonly name: string;
  readonly usage: string;
  /** Its options by name, as `parseArgs` takes them. */
  readonly known: Readonly<Record<string, unknown>>;
  /** @throws an error that says what is wrong with the arguments */
  readonly parse: (argv: readonly string[]) => Options;
}

/**
 * Reads the options of a command. When it is asked for help, or the arguments are wrong, prints that and returns the exit code
 * instead.
 */
export function readOptions<Options extends object>(
  argv: readonly string[],
  { name, usage, known, parse }: ToolCommand<Options>,
): Options | number {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  try {
    return parse(argv);
  } catch (error) {
    console.error(renderOptionProblem(error, name, Object.keys(known)));
    return 2;
  }
}
