import type { ApiDocument, Schema } from "../reference/api-document.ts";

export type SettingValue = string | number | boolean | readonly string[] | null;
/** Settings by their names in the API. */
export type SettingValues = Readonly<Record<string, SettingValue>>;

/** How a setting is described and entered. */
export interface SettingField {
  readonly name: string;
  readonly description: string;
  readonly kind: "boolean" | "choice" | "number" | "text" | "list";
  /** Of a `choice`. */
  readonly choices: readonly string[];
  /** Of a `number`. */
  readonly least: number | null;
  readonly most: number | null;
  readonly isWhole: boolean;
  /** Of a `text`. */
  readonly longest: number | null;
  /** Whether it can be left open, so that something else decides. */
  readonly isNullable: boolean;
}

/** Describes the settings that an endpoint can change, in its order, from its description in the API's document. */
export function settingFields(
  { paths }: Pick<ApiDocument, "paths">,
  path: string,
  names: ReadonlySet<string>,
): readonly SettingField[] {
  const schema = paths[path]?.post?.requestBody?.content["application/json"]?.schema;
  return Object.entries(schema?.properties ?? {})
    .filter(([name]) => names.has(name))
    .map(([name, property]) => fieldOf(name, property));
}

function fieldOf(name: string, property: Schema): SettingField {
  const types = [property.type ?? []].flat();
  const options = property.anyOf ?? [];
  const isNullable = types.includes("null") || options.some(({ type }) => type === "null");
  const schema = options.find(({ type }) => type !== "null") ?? property;
  const [type] = [schema.type ?? []].flat().filter((one) => one !== "null");
  return {
    name,
    description: schema.description ?? property.description ?? "",
    kind: kindOf(schema, type),
    choices: (schema.enum ?? []).map(String),
    least: schema.minimum ?? null,
    most: schema.maximum ?? null,
    isWhole: type === "integer",
    longest: schema.maxLength ?? null,
    isNullable,
  };
}

function kindOf({ enum: choices }: Schema, type: string | undefined): SettingField["kind"] {
  if (choices) return "choice";
  if (type === "array") return "list";
  if (type === "boolean") return "boolean";
  return type === "integer" || type === "number" ? "number" : "text";
}

/** Returns the settings that a form changes, in the form of an API request. Other settings stay unchanged. */
export function changedSettings(
  fields: readonly SettingField[],
  form: Readonly<Record<string, unknown>>,
  values: SettingValues,
): SettingValues {
  const entered = fields.flatMap((field) => {
    const text = form[field.name];
    const value = values[field.name] ?? null;
    // Compares texts instead of values, because reading a list drops the spaces around its names.
    if (typeof text !== "string" || text.replaceAll("\r\n", "\n") === writtenValue(value)) return [];
    return [[field.name, readValue(field, text)] as const];
  });
  return Object.fromEntries(entered.filter(([name, value]) => !isSame(value, values[name] ?? null)));
}

/** A text that is no value of this kind is kept, so that the API refuses it with an explanation. */
function readValue({ kind, isNullable }: SettingField, text: string): SettingValue {
  const trimmed = text.trim();
  if (kind === "list") {
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    return lines.filter((line) => line !== "");
  }
  if (trimmed === "" && isNullable) return null;
  if (kind === "boolean" && /^(true|false)$/.test(trimmed)) return trimmed === "true";
  if (kind === "number" && /^-?\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  return trimmed;
}

export function isSame(one: SettingValue, other: SettingValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A value as the form contains it. */
export function writtenValue(value: SettingValue): string {
  if (value === null) return "";
  return typeof value === "object" ? value.join("\n") : String(value);
}
