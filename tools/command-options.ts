import { renderOptionProblem } from "../src/command/option-problem.ts";

/** @throws an error that says which numbers the option takes */
export function numberOption(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text !== "" && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a number from ${min} to ${max}, not "${text}".`);
}

/** @throws an error that says which whole numbers the option takes */
export function wholeOption(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text !== "" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}

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
