import { html } from "ghtml";

/** The part of JSON Schema that the API's description uses. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<
    Record<string, Content & { readonly examples?: Readonly<Record<string, unknown>> }>
  >;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The API's description in OpenAPI 3.1. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<
      Record<string, { readonly type: string; readonly name?: string; readonly description: string }>
    >;
  };
}

/** Returns the anchor of the section that describes an object. */
export function objectAnchor(ref: string): string {
  return `object-${ref.slice(ref.lastIndexOf("/") + 1)}`;
}

/** Renders a description. Text in `backticks` becomes code. */
export function renderProse(text: string): string {
  const parts = text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
  return parts.join("");
}

/** Renders a type in a few words, with its bounds. */
export function renderType(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
    return html`<a href="#${objectAnchor(schema.$ref)}">${name}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum) return schema.enum.map((word) => html`<code>${String(word)}</code>`).join(", ");
  const options =
    schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : null);
  if (options) return options.map(renderType).join(" or ");
  switch (schema.type) {
    case "array":
      return html`list of !${renderType(schema.items ?? {})}!${renderBounds(schema.minItems, schema.maxItems)}`;
    case "integer":
      return html`whole number!${renderBounds(schema.minimum, schema.maximum)}`;
    case "string":
      if (schema.format === "date-time") return "time";
      return schema.format === "uuid"
        ? "UUID"
        : html`text!${renderBounds(undefined, schema.maxLength)}!${schema.maxLength === undefined ? "" : " characters"}`;
    default:
      return html`${String(schema.type ?? "anything")}`;
  }
}

function renderBounds(least: number | undefined, most: number | undefined): string {
  // Bounds beyond JavaScript's safe integers carry no information.
  const [from, to] = [least, most].map((bound) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER
      ? undefined
      : bound.toLocaleString("en"),
  );
  if (from !== undefined && to !== undefined) return html`, ${from} to ${to}`;
  if (to !== undefined) return html`, at most ${to}`;
  return from === undefined ? "" : html`, at least ${from}`;
}

interface Row {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Renders the fields of an object as a table, with nested fields by their path. Empty when it has no fields. */
export function renderFields(schema: Schema, columns: { readonly required: boolean }): string {
  const rows = rowsOf(schema, "");
  if (rows.length === 0) return "";
  const cells = rows.map(
    ({ path, schema: one, isRequired }) => html`
<tr>
  <td><code>${path}</code>!${columns.required && isRequired ? '<span class="tag">required</span>' : ""}</td>
  <td class="type">!${renderType(one)}!${one.default === undefined ? "" : html`; default <code>${JSON.stringify(one.default)}</code>`}</td>
  <td>!${renderProse(one.description ?? "")}</td>
</tr>`,
  );
  return html`<table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>!${cells}</tbody></table>`;
}

function rowsOf({ properties = {}, required = [] }: Schema, prefix: string): Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const row = { path: prefix + name, schema, isRequired: required.includes(name) };
    return [row, ...innerRows(schema, row.path)];
  });
}

/** Returns the rows of an object, of the objects in a list, or of an object that may be null. */
function innerRows(schema: Schema, path: string): Row[] {
  if (schema.items) return innerRows(schema.items, `${path}[]`);
  if (schema.anyOf) return schema.anyOf.flatMap((one) => innerRows(one, path));
  return rowsOf(schema, `${path}.`);
}
