import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import ajvFormats from "ajv-formats";

/** What a vendored description holds besides its roots: the schemas that they refer to. */
interface Description {
  schemas: Record<string, unknown>;
}

/**
 * Reads one of the vendored descriptions beside this file. They are large: each is read once, when first
 * asked for.
 */
export function readDescription<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
}

/**
 * Validates against the schemas of a vendored description. Compiling all of them takes a quarter of a second, so
 * each is compiled when it is first used.
 */
export class JsonSchemas {
  readonly #ajv = new Ajv({
    strict: false,
    validateSchema: false,
    allErrors: true,
    logger: false,
    // Halves the time to compile, which is more than all that validating ever takes.
    inlineRefs: false,
    code: { optimize: false },
  });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(description: Description & Record<string, unknown>) {
    ajvFormats.default(this.#ajv);
    // Formats that say nothing about the text; and GitHub's own addresses for bots, `1+name[bot]@…`, are no
    // valid `email`.
    for (const format of ["timestamp", "repo.nwo", "email"]) this.#ajv.addFormat(format, true);
    this.#ajv.addSchema(description, "github");
  }

  /** @param pointer segments below the description's root. Answers what is wrong, in one line, or null. */
  check(pointer: readonly string[], value: unknown): string | null {
    const path = pointer
      .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    return this.#report(path, () => this.#ajv.compile({ $ref: `github#/${path}` }), value);
  }

  /** As {@link check}, for a schema that stands inline in the description. */
  checkInline(key: string, schema: unknown, value: unknown): string | null {
    const anchored = JSON.parse(JSON.stringify(schema).replaceAll('"#/schemas/', '"github#/schemas/'));
    return this.#report(key, () => this.#ajv.compile(anchored), value);
  }

  #report(key: string, compile: () => ValidateFunction, value: unknown): string | null {
    let validate = this.#compiled.get(key);
    if (validate === undefined) {
      validate = compile();
      this.#compiled.set(key, validate);
    }
    return validate(value) ? null : this.#ajv.errorsText(validate.errors, { dataVar: "", separator: "; " });
  }
}
