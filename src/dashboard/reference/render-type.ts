import { html } from "ghtml";
import type { Schema } from "./api-document.ts";

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
