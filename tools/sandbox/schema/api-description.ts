import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import ajvFormats from "ajv-formats";
import type { OperationId } from "./operations.ts";

interface Parameter {
  name: string;
  in: "path" | "query";
  required?: boolean;
  schema: unknown;
}

interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  body?: "required" | "optional";
  /** Documented statuses. A negative one is documented without a body. */
  responses: number[];
}

/** Maps a path segment (`{name}` for a parameter) to the tree below it, and an upper-case method to its operation id. */
export interface RouteTree {
  [segment: string]: RouteTree | string;
}

interface ApiDescription extends Record<string, unknown> {
  operations: Record<OperationId, Operation>;
  bodies: Record<string, unknown>;
  schemas: Record<string, unknown>;
  routes: RouteTree;
}

let description: ApiDescription | undefined;
let schemas: JsonSchemas | undefined;

export function apiDescription(): ApiDescription {
  description ??= readDescription<ApiDescription>("api.subset.json");
  return description;
}

function apiSchemas(): JsonSchemas {
  const { bodies, schemas: definitions } = apiDescription();
  schemas ??= new JsonSchemas({ bodies, schemas: definitions });
  return schemas;
}

type Parameters = Record<string, unknown>;

const typesOf = (schema: unknown): unknown[] => {
  const { type, anyOf, oneOf } = schema as { type?: unknown; anyOf?: unknown[]; oneOf?: unknown[] };
  return [type, ...(anyOf ?? oneOf ?? []).flatMap(typesOf)].flat();
};

/** Converts the text of a parameter to the type in its schema, if possible. */
function coerce(text: string, schema: unknown): unknown {
  const types = typesOf(schema);
  if ((types.includes("integer") || types.includes("number")) && /^-?\d+$/.test(text)) return Number(text);
  if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

/**
 * Reads and validates a request's parameters and body. Unknown query parameters are problems, too: GitHub ignores them, so the
 * caller's intention would be lost.
 */
export function checkRequest(
  operationId: OperationId,
  request: { path: Record<string, string>; query: URLSearchParams; body: unknown },
): { path: Parameters; query: Parameters; problems: string[] } {
  const operation = apiDescription().operations[operationId];
  const found: { path: Parameters; query: Parameters; problems: string[] } = {
    path: {},
    query: {},
    problems: [],
  };
  const known = new Set<string>();
  for (const parameter of operation.parameters) {
    const { name, in: place, schema } = parameter;
    if (place === "query") known.add(name);
    const text = place === "path" ? request.path[name] : request.query.get(name);
    if (text === undefined || text === null) {
      if (parameter.required) found.problems.push(`parameter "${name}" wasn't supplied`);
      continue;
    }
    const value = coerce(text, schema);
    const problem = apiSchemas().checkInline(`${operationId} ${place} ${name}`, schema, value);
    if (problem !== null) found.problems.push(`parameter "${name}"${problem}`);
    found[place][name] = value;
  }
  for (const name of request.query.keys()) {
    if (!known.has(name)) found.problems.push(`unknown query parameter "${name}"`);
  }
  if (operation.body === "required" || (operation.body === "optional" && request.body !== undefined)) {
    const problem = apiSchemas().check(["bodies", `${operationId} body`], request.body ?? {});
    if (problem !== null) found.problems.push(`body${problem}`);
  }
  return found;
}

/** Returns the problem of a response: an undocumented status, or a body that its schema does not allow. Null = no problem. */
export function checkResponse(operationId: OperationId, status: number, body: unknown): string | null {
  const { responses } = apiDescription().operations[operationId];
  if (responses.includes(status)) return apiSchemas().check(["bodies", `${operationId} ${status}`], body);
  return responses.includes(-status) ? null : `status ${status} is not documented`;
}

/** Checks an error body that any operation may return. */
export function checkError(body: unknown): string | null {
  return apiSchemas().check(["schemas", "basic-error"], body);
}

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
