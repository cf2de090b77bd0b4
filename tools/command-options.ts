import { type Command, Option } from "commander";

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

/** The options of a tool by name, without dashes. One with a `value` takes it as text; another one is true or false. */
export type KnownOptions = Readonly<
  Record<string, { readonly about: string; readonly value?: string; readonly default?: string }>
>;

/** The given options, or their default values. */
export type ValuesOf<Known extends KnownOptions> = {
  readonly [Name in keyof Known]: Known[Name] extends { readonly value: string }
    ? Known[Name] extends { readonly default: string }
      ? string
      : string | undefined
    : boolean;
};

export interface ToolCommand<Known extends KnownOptions, Options> {
  /** What it does, at length. */
  readonly about: string;
  readonly known: Known;
  /** @throws an error that says what is wrong with the options */
  readonly parse: (values: ValuesOf<Known>) => Options;
}

/** Adds the options of a tool to a command, and its action, which returns the exit code. */
export function defineTool<Known extends KnownOptions, Options>(
  command: Command,
  { about, known, parse }: ToolCommand<Known, Options>,
  run: (options: Options) => Promise<number>,
): void {
  const options = Object.entries(known).map(([name, { value, about, default: otherwise }]) => {
    const option = new Option(value === undefined ? `--${name}` : `--${name} <${value}>`, about);
    command.addOption(otherwise === undefined ? option : option.default(otherwise));
    return { name, attribute: option.attributeName(), isSwitch: value === undefined };
  });
  const read = (): Options => {
    const values = options.map(({ name, attribute, isSwitch }) => [
      name,
      command.getOptionValue(attribute) ?? (isSwitch ? false : undefined),
    ]);
    try {
      return parse(Object.fromEntries(values));
    } catch (error) {
      return command.error(error instanceof Error ? error.message : String(error));
    }
  };
  command.addHelpText("after", `\n${about}`).action(async () => {
    process.exitCode = await run(read());
  });
}
