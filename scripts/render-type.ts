/** The part of JSON Schema that the API's description uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** Lists in requests are readonly, because the client does not change them. Lists in answers belong to the caller and are not. */
export type Direction = "request" | "answer";

const primitives: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** Renders a named type in TypeScript. */
export function renderInterface(name: string, schema: JsonSchema, direction: Direction): string {
  const comment = schema.description ? `/** ${schema.description} */\n` : "";
  return schema.type === "object" && hasFields(schema)
    ? `${comment}export interface ${name} ${renderObject(schema, direction)}`
    : `${comment}export type ${name} = ${renderType(schema, direction)};`;
}

/**
 * Renders a schema as a type in TypeScript.
 *
 * @throws Error for a kind of schema that the API does not use yet.
 */
export function renderType(schema: JsonSchema, direction: Direction): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => renderType(one, direction)).join(" | ");
  if (typeof schema.type === "string") return renderOne(schema.type, schema, direction);
  if (schema.type) return schema.type.map((type) => renderOne(type, schema, direction)).join(" | ");
  if (Object.keys(schema).every((key) => key === "description")) return "unknown";
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}

function renderOne(type: string, schema: JsonSchema, direction: Direction): string {
  if (type === "object") return renderObject(schema, direction);
  if (type === "array") {
    const items = `(${renderType(schema.items ?? {}, direction)})[]`;
    return direction === "request" ? `readonly ${items}` : items;
  }
  const primitive = primitives[type];
  if (primitive === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return primitive;
}

function hasFields({ properties = {} }: JsonSchema): boolean {
  return Object.keys(properties).length > 0;
}

function renderObject({ properties = {}, required = [] }: JsonSchema, direction: Direction): string {
  if (!hasFields({ properties })) return "Record<string, never>";
  const fields = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `/** ${schema.description} */\n` : "";
    const type = renderType(schema, direction);
    const isRequired = required.includes(name);
    return `${comment}${name}${isRequired ? "" : "?"}: ${type}${isRequired ? "" : " | undefined"};`;
  });
  return `{\n${fields.join("\n")}\n}`;
}
