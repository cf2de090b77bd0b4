import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { openApiDocument } from "../../src/api/openapi/document.ts";

export interface Schema {
  readonly $ref?: string;
  readonly [keyword: string]: unknown;
}

interface Response {
  readonly $ref?: string;
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The schema of its body; null if it has none. */
  readonly body: Schema | null;
  /** Its possible responses, by status. */
  readonly responses: Readonly<Record<string, Response>>;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly requestBody?: {
              readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
            };
            readonly responses: Readonly<Record<string, Response>>;
          }
        >
      >
    >
  >;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

const document = openApiDocument() as Document;
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  // These options halve the compilation time, which exceeds the validation time.
  inlineRefs: false,
  code: { optimize: false },
});
formats.default(ajv);
ajv.addSchema(document, "document");
const validators = new Map<Schema, ValidateFunction>();

/** Every operation of the API's description. */
export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, requestBody, responses }]) => ({
    operationId,
    method: method.toUpperCase() as Operation["method"],
    path,
    body: requestBody?.content["application/json"]?.schema ?? null,
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        response.$ref ? (document.components.responses[status] ?? response) : response,
      ]),
    ),
  })),
);

const byPath = new Map(operations.map((operation) => [operation.path, operation]));

function validatorOf(schema: Schema): ValidateFunction {
  const known =
    validators.get(schema) ?? ajv.compile(schema.$ref ? { $ref: `document${schema.$ref}` } : schema);
  validators.set(schema, known);
  return known;
}

/** Returns why the API's description does not allow this response of a path; null if it does. */
export function undocumented(
  path: string,
  { status, type, body }: { status: number; type: string | null; body: unknown },
): string | null {
  const operation = byPath.get(path);
  if (!operation) return `${path} is not documented`;
  // The content type of Prometheus includes parameters; the others are documented without parameters.
  const content = operation.responses[status]?.content;
  const schema = content?.[type ?? ""]?.schema ?? content?.[type?.split(";")[0] ?? ""]?.schema;
  if (!schema) return `${path} answers ${status} as ${type}, which is not documented`;
  const validate = validatorOf(schema);
  return validate(body)
    ? null
    : `${path} answers ${status} otherwise than documented: ${ajv.errorsText(validate.errors)}`;
}
