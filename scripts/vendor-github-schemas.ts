/**
 * Vendors the part of GitHub's published API description that the sandbox validates against.
 *
 *     node scripts/vendor-github-schemas.ts
 *
 * Downloads two npm packages into a temporary directory, prunes them to the operations and webhooks in use,
 * turns OpenAPI 3.0 schemas into JSON Schema, hoists repeated subschemas, and writes
 * `tools/sandbox/schema/generated/*.subset.json`. The packages are not dependencies: unpacked they take 400 MB.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { operationIds } from "../tools/sandbox/schema/operations.ts";
import { webhookNames } from "../tools/sandbox/schema/webhook-names.ts";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);
const NESTED_KEYWORDS = new Set(["items", "additionalProperties"]);
const LIST_KEYWORDS = new Set(["allOf", "anyOf", "oneOf"]);
const KEPT_KEYWORDS = new Set(
  `$ref type format enum required pattern minimum maximum minLength maxLength minItems maxItems uniqueItems maxProperties`.split(
    " ",
  ),
);

/** Minimum length, in characters of JSON, of a subschema that gets its own definition when it occurs twice. */
const HOIST_FROM = 30;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectAt = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const mapValues = (object: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

/** Applies `change` to each direct subschema. Drops keywords that say nothing about shape (prose, examples, `x-`). */
function mapSubschemas(schema: JsonObject, change: (schema: Json) => Json): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") out[key] = mapValues(objectAt(value), change);
    else if (LIST_KEYWORDS.has(key) && Array.isArray(value)) out[key] = value.map(change);
    else if (NESTED_KEYWORDS.has(key)) out[key] = change(value);
    else if (KEPT_KEYWORDS.has(key)) out[key] = value;
  }
  return out;
}

/** OpenAPI 3.0.3 to JSON Schema: `nullable` becomes a type, an enum member, or an alternative. */
function toJsonSchema(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const out = mapSubschemas(schema, toJsonSchema);
  if (schema.nullable !== true || Object.keys(out).length === 0) return out;
  if (typeof out.type !== "string" || out.properties !== undefined) return { anyOf: [out, { type: "null" }] };
  const allowed = Array.isArray(out.enum) && !out.enum.includes(null) ? { enum: [...out.enum, null] } : {};
  return { ...out, ...allowed, type: [out.type, "null"] };
}

/** Collects all schemas that are reachable through `$ref`, as JSON Schema, with references of the form `#/schemas/NAME`. */
class SchemaCollector {
  readonly schemas: JsonObject = {};
  readonly #components: JsonObject;

  constructor(components: Json | undefined) {
    this.#components = objectAt(objectAt(components).schemas);
  }

  collect(schema: Json | undefined): Json {
    return this.#follow(toJsonSchema(schema ?? {}));
  }

  #follow(schema: Json): Json {
    if (!isObject(schema)) return schema;
    const out = mapSubschemas(schema, (inner) => this.#follow(inner));
    if (typeof schema.$ref !== "string") return out;
    const name = schema.$ref.replace("#/components/schemas/", "");
    if (!(name in this.schemas)) {
      this.schemas[name] = {};
      this.schemas[name] = this.collect(this.#components[name]);
    }
    return { $ref: `#/schemas/${name}` };
  }
}

/** Gives every subschema that occurs more than once a definition, so that it is stored and compiled once. */
function hoistRepeats(schemas: JsonObject, roots: JsonObject): { schemas: JsonObject; roots: JsonObject } {
  const occurrences = new Map<string, number>();
  const count = (schema: Json): Json => {
    if (isObject(schema)) {
      const text = JSON.stringify(schema);
      const seen = (occurrences.get(text) ?? 0) + 1;
      occurrences.set(text, seen);
      if (seen === 1) mapSubschemas(schema, count);
    }
    return schema;
  };
  mapValues(schemas, count);
  mapValues(roots, count);

  const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]));
  const hoisted: JsonObject = {};
  const hoist = (schema: Json): Json => {
    if (!isObject(schema)) return schema;
    const text = JSON.stringify(schema);
    if (text.length < HOIST_FROM || (occurrences.get(text) ?? 0) < 2) return mapSubschemas(schema, hoist);
    let name = names.get(text);
    if (name === undefined) {
      name = `s${names.size}`;
      names.set(text, name);
      hoisted[name] = mapSubschemas(schema, hoist);
    }
    return { $ref: `#/schemas/${name}` };
  };
  const named = mapValues(schemas, (schema) => mapSubschemas(objectAt(schema), hoist));
  const changedRoots = mapValues(roots, hoist);
  return { schemas: { ...named, ...hoisted }, roots: changedRoots };
}

/**
 * Returns the operation id of each method and path of the whole API, as a tree of path segments. The sandbox needs it to name
 * the operations that it lacks.
 */
function routeTree(paths: JsonObject): JsonObject {
  const tree: JsonObject = {};
  for (const [path, operations] of Object.entries(paths)) {
    let node = tree;
    for (const segment of path.split("/").slice(1)) {
      const child = objectAt(node[segment]);
      node[segment] = child;
      node = child;
    }
    for (const [method, operation] of Object.entries(objectAt(operations))) {
      if (METHODS.has(method)) node[method.toUpperCase()] = objectAt(operation).operationId ?? null;
    }
  }
  return tree;
}

function restSubset(description: JsonObject): JsonObject {
  const components = objectAt(description.components);
  const collector = new SchemaCollector(components);
  const resolve = (value: Json, kind: string): JsonObject => {
    const name = objectAt(value).$ref;
    return typeof name === "string"
      ? objectAt(objectAt(components[kind])[name.split("/").at(-1) ?? ""])
      : objectAt(value);
  };
  const jsonSchema = (holder: JsonObject): Json | undefined => {
    const content = objectAt(holder.content);
    return objectAt(content["application/json"] ?? content["application/scim+json"]).schema;
  };
  const wanted = new Set<string>(operationIds);
  const operations: JsonObject = {};
  const roots: JsonObject = {};
  for (const [path, methods] of Object.entries(objectAt(description.paths))) {
    for (const [method, operation] of Object.entries(objectAt(methods))) {
      const { operationId, parameters, requestBody, responses } = objectAt(operation);
      if (typeof operationId !== "string" || !wanted.delete(operationId)) continue;
      const keep = (part: string, schema: Json | undefined): boolean => {
        if (schema !== undefined) roots[`${operationId} ${part}`] = collector.collect(schema);
        return schema !== undefined;
      };
      const declared = Array.isArray(parameters) ? parameters.map((one) => resolve(one, "parameters")) : [];
      const body = objectAt(requestBody);
      const hasBody = keep("body", jsonSchema(body));
      operations[operationId] = {
        method: method.toUpperCase(),
        path,
        parameters: declared
          .filter((parameter) => parameter.in === "path" || parameter.in === "query")
          .map((parameter) => ({
            name: parameter.name ?? null,
            in: parameter.in ?? null,
            ...(parameter.required === true ? { required: true } : {}),
            schema: collector.collect(parameter.schema),
          })),
        ...(hasBody ? { body: body.required === true ? "required" : "optional" } : {}),
        responses: Object.keys(objectAt(responses))
          .filter((status) => /^\d+$/.test(status))
          .map((status) => {
            const has = keep(status, jsonSchema(resolve(objectAt(responses)[status] ?? null, "responses")));
            return has ? Number(status) : -Number(status);
          }),
      };
    }
  }
  if (wanted.size > 0) throw new Error(`GitHub's description has no operation ${[...wanted].join(", ")}`);
  const { schemas, roots: bodies } = hoistRepeats(collector.schemas, roots);
  return { operations, bodies, schemas, routes: routeTree(objectAt(description.paths)) };
}

/**
 * Corrects errors in GitHub's description that GitHub's real answers have revealed.
 *
 * @throws Error once an error is corrected at the source
 */
function correct(description: JsonObject): JsonObject {
  // An installation's account is a user or an enterprise, but the description says both.
  const list = objectAt(objectAt(objectAt(description.paths)["/app/installations"]).get);
  const answer = objectAt(objectAt(objectAt(list.responses)["200"]).content)["application/json"];
  const items = objectAt(objectAt(objectAt(answer).schema).items);
  const account = objectAt(objectAt(items.properties).account);
  if (account.allOf === undefined)
    throw new Error("the account of apps/list-installations needs no correction");
  account.anyOf = account.allOf;
  delete account.allOf;
  return description;
}

/**
 * Without the fork that it comes from, a pull request's head has no repository, and without the account of its owner it has no user
 * and no label, but the description says that it has them.
 *
 * @throws Error once that is corrected at the source
 */
function correctHead(description: JsonObject): JsonObject {
  const schemas = objectAt(objectAt(description.components).schemas);
  for (const name of ["pull-request", "pull-request-simple"].filter((one) => one in schemas)) {
    const head = objectAt(objectAt(objectAt(objectAt(schemas[name]).properties).head).properties);
    const { repo } = head;
    if (objectAt(repo).$ref !== "#/components/schemas/repository")
      throw new Error(`the head of a ${name} needs no correction`);
    for (const field of ["repo", "user", "label"])
      head[field] = { anyOf: [objectAt(head[field]), { type: "null" }] };
  }
  return description;
}

function webhookSubset(description: JsonObject): JsonObject {
  const collector = new SchemaCollector(description.components);
  const roots: JsonObject = {};
  for (const name of webhookNames) {
    const post = objectAt(objectAt(objectAt(description.webhooks)[name]).post);
    const content = objectAt(objectAt(post.requestBody).content);
    const schema = objectAt(content["application/json"]).schema;
    if (schema === undefined) throw new Error(`GitHub's description has no webhook ${name}`);
    roots[name] = collector.collect(schema);
  }
  const { schemas, roots: payloads } = hoistRepeats(collector.schemas, roots);
  return { payloads, schemas };
}

/** Downloads a package's tarball. Returns one of its documents, and a header that states its origin. */
function loadDescription(source: string, document: string): { header: JsonObject; description: JsonObject } {
  const directory = mkdtempSync(join(tmpdir(), "vendor-github-schemas-"));
  try {
    const run = (command: string, ...args: string[]) =>
      execFileSync(command, args, { cwd: directory, encoding: "utf8", maxBuffer: 1 << 28 });
    const tarball = run("npm", "pack", "--silent", source).trim();
    run("tar", "-xzf", tarball, "package/LICENSE", `package/${document}`);
    const text = readFileSync(join(directory, "package", document), "utf8");
    const header = {
      source,
      document,
      sha256: createHash("sha256").update(text).digest("hex"),
      licence: readFileSync(join(directory, "package/LICENSE"), "utf8"),
      writtenBy: "scripts/vendor-github-schemas.ts",
    };
    return { header, description: JSON.parse(text) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function vendor(source: string, prune: (description: JsonObject) => JsonObject, name: string): void {
  const { header, description } = loadDescription(source, "generated/api.github.com.json");
  const text = `${JSON.stringify({ $comment: header, ...prune(description) })}\n`;
  const target = join(dirname(fileURLToPath(import.meta.url)), "../tools/sandbox/schema/generated", name);
  writeFileSync(target, text);
  console.error(`${name}: ${text.length} bytes`);
}

vendor(
  "@octokit/openapi@23.0.2",
  (description) => restSubset(correct(correctHead(description))),
  "api.subset.json",
);
vendor(
  "@octokit/openapi-webhooks@12.1.0",
  (description) => webhookSubset(correctHead(description)),
  "webhooks.subset.json",
);
