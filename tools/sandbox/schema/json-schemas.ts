import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import ajvFormats from "ajv-formats";

/** The part of a vendored description that its roots refer to. */
interface Description {
  schemas: Record<string, unknown>;
}

/**
 * Reads one of the vendored descriptions in this directory. They are large, so callers read each of them only once, when they
 * need it.
 */
export function readDescription<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`generated/${name}`, import.meta.url), "utf8"));
}

/**
 * Validates against the schemas of a vendored description. Compiling all schemas takes a quarter of a second, so each is compiled
 * at its first use.
 */
export class JsonSchemas {
  readonly #ajv = new Ajv({
    strict: false,
    validateSchema: false,
    allErrors: true,
    logger: false,
    // Halves the compile time. Compiling takes longer than all validations together.
    inlineRefs: false,
    code: { optimize: false },
  });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(description: Description & Record<string, unknown>) {
    ajvFormats.default(this.#ajv);
    // GitHub's own addresses for bots, `1+name[bot]@…`, are not a valid `email`. The other formats do not restrict the text.
    for (const format of ["timestamp", "repo.nwo", "email"]) this.#ajv.addFormat(format, true);
    this.#ajv.addSchema(description, "github");
  }

  /**
   * Validates a value. Returns its problems in one line, or null.
   * @param pointer segments below the description's root
   */
  check(pointer: readonly string[], value: unknown): string | null {
    const path = pointer
      .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    return this.#report(path, () => this.#ajv.compile({ $ref: `github#/${path}` }), value);
  }

  /** Like {@link check}, for an inline schema of the description. */
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
