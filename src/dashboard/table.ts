import { html } from "ghtml";

export interface Column {
  readonly label: string;
  /** `number` and `time` do not wrap; `line` is cut at the end of the line; `words` has room for some. */
  readonly kind?: "number" | "time" | "line" | "words" | "main";
}

export interface Row {
  readonly id?: string;
  /** Escaped HTML, one for each column. */
  readonly cells: readonly string[];
}

/** Renders a table. On a narrow screen its rows become blocks, in which every cell has the label of its column. */
export function renderTable(columns: readonly (string | Column)[], rows: readonly Row[]): string {
  const all = columns.map((column): Column => (typeof column === "string" ? { label: column } : column));
  return html`<table class="stacks">!${tableHead(all)}<tbody>!${renderRows(all, rows)}</tbody></table>`;
}

const classOf = ({ kind }: Column) => (kind ? html` class="${kind}"` : "");

export function tableHead(columns: readonly Column[]): string {
  const heads = columns.map((column) => html`<th scope="col"!${classOf(column)}>${column.label}</th>`);
  return html`<thead><tr>!${heads}</tr></thead>`;
}

export function renderRows(all: readonly Column[], rows: readonly Row[]): string {
  const body = rows.map(({ id, cells }) => {
    const cellsOfRow = all.map(
      (column, index) =>
        html`<td data-label="${column.label}"!${classOf(column)}>!${cells[index] ?? ""}</td>`,
    );
    return id === undefined ? html`<tr>!${cellsOfRow}</tr>` : html`<tr id="${id}">!${cellsOfRow}</tr>`;
  });
  return body.join("");
}
