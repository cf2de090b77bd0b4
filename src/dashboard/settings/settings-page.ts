import { createHash } from "node:crypto";
import { html } from "ghtml";
import type { AuditRecord } from "../../store/access/audit-log.ts";
import { longestReason } from "../controls/action.ts";
import { auditPath } from "../paths.ts";
import { renderProse } from "../reference/api-document.ts";
import { type Row, renderTable } from "../table.ts";
import { renderAgo } from "../times.ts";
import type { EditableSettings, FieldProblems } from "./editable-settings.ts";
import {
  isSame,
  type SettingField,
  type SettingValue,
  type SettingValues,
  writtenValue,
} from "./setting-fields.ts";

/** Identifies the values that a form shows. A form with older values would undo the changes of others. */
export function versionOf(values: SettingValues): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, 16);
}

export interface SettingsView {
  readonly settings: EditableSettings;
  readonly fields: readonly SettingField[];
  /** The last change of each setting, if the audit log still contains it. */
  readonly last: ReadonlyMap<string, AuditRecord>;
  /** Null for somebody who may read the settings only. */
  readonly formToken: string | null;
  /** What was entered before and is to be corrected; empty = nothing. */
  readonly entered: Readonly<Record<string, unknown>>;
  readonly problems: FieldProblems;
  /** What is wrong with the whole form; null = nothing. */
  readonly problem: string | null;
  readonly now: number;
}

const formId = "settings";

/** Renders every setting: first those that differ from the default. */
export function renderSettings(view: SettingsView): string {
  const { settings, fields, problem, problems, formToken } = view;
  const { repo, branch, values, defaults, path } = settings;
  const isDefault = ({ name }: SettingField) => isSame(values[name] ?? null, defaults[name] ?? null);
  const table = (some: readonly SettingField[], heading: string) =>
    some.length === 0
      ? ""
      : html`<section><h2>${heading} <span class="count">${some.length}</span></h2>!${renderTable(
          columns,
          some.map((field) => rowOf(view, field)),
        )}</section>`;
  const subject =
    branch === null ? html` <span class="branch">tests</span>` : html` <span class="branch">${branch}</span>`;
  const faults =
    problems.size === 0 ? problem : `Nothing was changed: correct ${[...problems.keys()].join(", ")}.`;
  return html`<main class="settings">
<section class="head">
  <h1>Settings <span class="quiet">of ${repo.owner}/${repo.name}</span>!${subject}</h1>
  !${
    formToken === null
      ? html`<p class="quiet">Administrators of the repository can change them here.</p>`
      : html`<p class="facts"><span class="quiet">Change values below, then see what that does before anything happens.</span> <a href="${auditPath(repo, { action: settings.endpoint })}">All changes</a></p>`
  }
  !${faults === null ? "" : html`<p class="problem" role="alert">${faults}</p>`}
</section>
!${table(
    fields.filter((field) => !isDefault(field)),
    "Changed from the default",
  )}
!${table(fields.filter(isDefault), "Default values")}
!${
    formToken === null
      ? ""
      : html`<form class="choice save" id="${formId}" method="post" action="${path}"><input type="hidden" name="formToken" value="${formToken}"><input type="hidden" name="version" value="${versionOf(values)}"><button>See what the changes do</button> <button class="secondary" type="reset">Reset</button></form>`
  }
</main>`;
}

const columns = [{ label: "Setting", kind: "main" }, "Value", "Default", "Changed last"] as const;

function rowOf(
  { settings, entered, problems, formToken, last, now }: SettingsView,
  field: SettingField,
): Row {
  const { name, description } = field;
  const { values, defaults, open } = settings;
  const value = values[name] ?? null;
  const inForce = open[name];
  const label = html`<code>${name}</code>`;
  const problem = problems.get(name);
  const again = entered[name];
  const changed = last.get(name);
  // The creation of a queue sets every setting, even those that nobody chose.
  const isAsCreated = changed?.action === "createQueue" && isSame(value, defaults[name] ?? null);
  const change = isAsCreated ? undefined : changed;
  return {
    id: `setting-${name}`,
    cells: [
      html`!${formToken === null ? label : html`<label for="input-${name}">!${label}</label>`}<small>!${renderProse(description)}</small>`,
      html`!${formToken === null ? shown(value) : input(field, typeof again === "string" ? again : writtenValue(value), problem !== undefined)}!${
        inForce === undefined ? "" : html`<small>now: ${inForce}</small>`
      }!${problem === undefined ? "" : html`<small class="problem" id="problem-${name}">${problem}</small>`}`,
      shown(defaults[name] ?? null),
      change === undefined
        ? ""
        : html`<bdi>${change.actor.name}</bdi> !${renderAgo(change.at, now)}!${change.reason === null ? "" : html`<small class="long"><bdi>${change.reason}</bdi></small>`}`,
    ],
  };
}

function input(field: SettingField, text: string, isWrong: boolean): string {
  const { name, kind, choices, least, most, isWhole, longest, isNullable } = field;
  const common = html`id="input-${name}" name="${name}" form="${formId}"!${isWrong ? html` aria-invalid="true" aria-describedby="problem-${name}"` : ""}`;
  if (kind === "list")
    return html`<textarea !${common} rows="${Math.min(6, text.split("\n").length + 1)}" spellcheck="false" placeholder="one per line">${text}</textarea>`;
  if (kind === "boolean" || kind === "choice") {
    const words = kind === "choice" ? choices.map((choice) => [choice, choice]) : yesOrNo;
    const options = [...(isNullable ? [["", "not set"]] : []), ...words].map(
      ([value, word]) => html`<option value="${value}"!${value === text ? " selected" : ""}>${word}</option>`,
    );
    return html`<select !${common}>!${options}</select>`;
  }
  if (kind === "text")
    return html`<input !${common} value="${text}"!${longest === null ? "" : html` maxlength="${longest}"`} autocomplete="off" spellcheck="false"!${isNullable ? ' placeholder="not set"' : " required"}>`;
  return html`<input !${common} type="number" value="${text}" step="${isWhole ? "1" : "any"}"!${least === null ? "" : html` min="${least}"`}!${most === null ? "" : html` max="${most}"`}!${isNullable ? ' placeholder="as by default"' : " required"}>`;
}

const yesOrNo: readonly (readonly string[])[] = [
  ["true", "yes"],
  ["false", "no"],
];

function shown(value: SettingValue): string {
  if (value === null) return html`<span class="quiet">not set</span>`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return html`<bdi>${value}</bdi>`;
  return value.length === 0
    ? html`<span class="quiet">none</span>`
    : html`<span class="long">!${value.map((one) => html`<bdi>${one}</bdi><br>`)}</span>`;
}

export interface SettingsConfirmation {
  readonly settings: EditableSettings;
  readonly changes: SettingValues;
  readonly effects: readonly string[];
  readonly formToken: string;
}

/** Renders the page that says what changes would do, and asks whether they are wanted. */
export function renderSettingsConfirmation({
  settings,
  changes,
  effects,
  formToken,
}: SettingsConfirmation): string {
  const { path, values, repo, branch } = settings;
  const names = Object.keys(changes);
  const what = names.length === 1 ? "1 setting" : `${names.length} settings`;
  const items = Object.entries(changes).map(
    ([name, value]) =>
      html`<li><code>${name}</code>: !${shown(values[name] ?? null)} → !${shown(value)}<input type="hidden" name="${name}" value="${writtenValue(value)}"></li>`,
  );
  return html`<main><section>
<h1>Change ${what} of ${branch ?? `the tests of ${repo.owner}/${repo.name}`}?</h1>
<form class="choice" method="post" action="${path}">
<input type="hidden" name="formToken" value="${formToken}"><input type="hidden" name="version" value="${versionOf(values)}">
<ul class="subjects">!${items}</ul>
<p class="price">!${effects.map((sentence) => html`${sentence}<br>`)}</p>
<label class="reason">Reason (optional) <input name="reason" maxlength="${longestReason}" autocomplete="off"></label>
<button name="confirmed" value="yes">Yes, change ${what}</button> <a class="back" href="${path}">Back, change nothing</a>
</form>
</section></main>`;
}
