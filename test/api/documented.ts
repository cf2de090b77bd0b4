import { expect } from "@jest/globals";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { openApiDocument } from "../../src/api/openapi/document.ts";

interface Response {
  readonly $ref?: string;
  readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, { post: { responses: Readonly<Record<string, Response>> } }>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

const document = openApiDocument() as Document;
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, "document");
const validators = new Map<string, ValidateFunction>();

function validatorOf(ref: string): ValidateFunction {
  const known = validators.get(ref) ?? ajv.compile({ $ref: `document${ref}` });
  validators.set(ref, known);
  return known;
}

/** Fails unless the API's description allows an endpoint to answer so. */
export function expectDocumented(endpoint: string, status: number, type: string | null, body: unknown): void {
  const path = document.paths[`/v1/${endpoint}`];
  if (!path) return;
  const found = path.post.responses[status];
  const response = found?.$ref ? document.components.responses[status] : found;
  const content = response?.content[type?.split(";")[0] ?? ""];
  if (!content) throw new Error(`${endpoint} answers ${status} as ${type}, which is not documented`);
  const validate = validatorOf(content.schema.$ref);
  expect({ endpoint, status, problems: validate(body) ? [] : validate.errors, body }).toMatchObject({
    problems: [],
  });
}
