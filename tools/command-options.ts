import { parseArgs } from "node:util";
import { renderOptionProblem } from "../src/command/option-problem.ts";

/** An option of a command: its value without the option, and how its text becomes a value. */
interface Option<Value> {
  readonly initial: Value;
  /** Null = it takes no text, and is there or not. Throws an error that says what the option takes. */
  readonly read: ((text: string, name: string) => Value) | null;
}

/** The options of a command, by name. `atOnce` is `--at-once`. */
export type Options = Readonly<Record<string, Option<unknown>>>;

export type ValuesOf<Known extends Options> = {
  readonly [Name in keyof Known]: Known[Name] extends Option<infer Value> ? Value : never;
};

export const flag: Option<boolean> = { initial: false, read: null };

export function option<Value, Initial>(
  initial: Initial,
  read: (text: string, name: string) => Value,
): Option<Value | Initial> {
  return { initial, read };
}

export const text = <Initial extends string | null>(initial: Initial): Option<string | Initial> =>
  option(initial, (value) => value);

/** A number that fits. */
export const number = <Initial extends number | null>(
  initial: Initial,
  wanted: string,
  fits: (value: number) => boolean,
): Option<number | Initial> =>
  option(initial, (given, name) => {
    const value = given.trim() === "" ? Number.NaN : Number(given);
    if (fits(value)) return value;
    throw new Error(`--${name} must be ${wanted}, not "${given}".`);
  });

export const between = <Initial extends number | null>(initial: Initial, min: number, max: number) =>
  number(initial, `a number from ${min} to ${max}`, (value) => value >= min && value <= max);

export const whole = <Initial extends number | null>(
  initial: Initial,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
) => {
  const wanted = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `of ${min} or more`;
  const fits = (value: number) => Number.isInteger(value) && value >= min && value <= max;
  return number(initial, `a whole number ${wanted}`, fits);
};

export const oneOf = <Name extends string, Initial extends Name | null>(
  names: readonly Name[],
  initial: Initial,
): Option<Name | Initial> => option(initial, (given, name) => findName(names, given, name));

/** Several names, with commas between them. */
export const someOf = <Name extends string, Initial extends readonly Name[] | null>(
  names: readonly Name[],
  initial: Initial,
): Option<readonly Name[] | Initial> =>
  option(initial, (given, name) => given.split(",").map((one) => findName(names, one, name)));

/** @throws an error that lists the names, when there is none such */
export function findName<Name extends string>(names: readonly Name[], given: string, option: string): Name {
  const found = names.find((name) => name === given);
  if (found !== undefined) return found;
  const listed = names.length === 2 ? names.join(" or ") : `one of ${names.join(", ")}`;
  throw new Error(`--${option} must be ${listed}, not "${given}".`);
}

export const seedList = (initial: readonly number[]) =>
  option(initial, (given, name) => {
    const seeds = given.split(",").map(Number);
    if (given !== "" && seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0)) return seeds;
    throw new Error(`--${name} must be whole numbers such as 201,202, not "${given}".`);
  });

/** A command of the tools. */
export interface ToolCommand<Known extends Options> {
  /** The words after `trainyard`. */
  readonly name: string;
  readonly usage: string;
  readonly options: Known;
  /** Throws an error when options contradict each other. */
  readonly check?: (values: ValuesOf<Known>) => void;
}

const dashed = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** @throws an error that says what is wrong with the arguments */
export function parseOptions<Known extends Options>(
  argv: readonly string[],
  { options, check }: Pick<ToolCommand<Known>, "options" | "check">,
): ValuesOf<Known> {
  const known = Object.entries(options).map(([name, one]) => ({ name, given: dashed(name), ...one }));
  const types = known.map(({ given, read }) => [given, { type: read ? "string" : "boolean" }] as const);
  const { values } = parseArgs({ args: [...argv], options: Object.fromEntries(types) });
  const read = known.map(({ name, given, initial, read }) => {
    const value = values[given];
    return [name, typeof value === "string" ? read?.(value, given) : (value ?? initial)];
  });
  const all = Object.fromEntries(read) as ValuesOf<Known>;
  check?.(all);
  return all;
}

/**
 * Reads the options of a command. When it is asked for help, or the arguments are wrong, prints that and returns the exit code
 * instead.
 */
export function readOptions<Known extends Options>(
  argv: readonly string[],
  command: ToolCommand<Known>,
): ValuesOf<Known> | number {
  if (argv.includes("--help")) {
    console.log(command.usage);
    return 0;
  }
  try {
    return parseOptions(argv, command);
  } catch (error) {
    console.error(renderOptionProblem(error, command.name, Object.keys(command.options).map(dashed)));
    return 2;
  }
}
