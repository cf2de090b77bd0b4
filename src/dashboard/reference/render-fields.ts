import { html } from "ghtml";
import type { Schema } from "./api-document.ts";
import { renderProse, renderType } from "./render-type.ts";

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
  return html`<table class="fields"><thead><tr><th>Field</th><th>Type</th><th></th></tr></thead><tbody>!${cells}</tbody></table>`;
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
