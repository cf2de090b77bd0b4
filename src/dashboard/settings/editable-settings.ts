import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import { apiNamed, defaultTestSettings } from "../../flaky/test-settings.ts";
import { changesBetween } from "../../service/access/audit-changes.ts";
import { noteChanges } from "../../service/access/audit-trail.ts";
import { renderPrice } from "../../service/queues/price-action.ts";
import { settingsOfNewQueue } from "../../service/queues/queue-settings.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { QueueView } from "../../service/runtime/views.ts";
import type { AuditRecord } from "../../store/access/audit-log.ts";
import { describeRefusal } from "../controls/action.ts";
import { actorOf } from "../controls/carry-out.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { queuePath, testsPath } from "../paths.ts";
import type { SignedInActor } from "../session.ts";
import type { SettingValues } from "./setting-fields.ts";

/** The requested changes, and the reason. */
export interface AskedChanges {
  readonly changes: SettingValues;
  readonly by: SignedInActor;
  readonly reason: string | null;
}

/** Why the API refuses the value of a field. */
export type FieldProblems = ReadonlyMap<string, string>;

/** The settings of a queue, or of a repository's tests, as a page shows and changes them. */
export interface EditableSettings {
  /** The endpoint that changes them, whose name is also that of the action in the audit log; and its path. */
  readonly endpoint: "updateQueue" | "updateTestSettings";
  readonly apiPath: string;
  readonly repo: RepositoryRef;
  /** Null = they belong to the repository. */
  readonly branch: string | null;
  /** The page that they belong to, and their own page. */
  readonly above: string;
  readonly path: string;
  readonly values: SettingValues;
  readonly defaults: SettingValues;
  /** The values in force for settings that are not set. */
  readonly open: Readonly<Record<string, string>>;
  /** Returns what the API finds wrong with changes; empty = nothing. */
  check(changes: SettingValues): FieldProblems;
  /** Returns what the changes would do, in sentences; or why they are refused. */
  price(asked: AskedChanges): Promise<readonly string[] | { readonly refused: string }>;
  /** Returns what has to be said after the change; or why it is refused. */
  change(asked: AskedChanges): Promise<Changed>;
}

export type Changed =
  | { readonly ok: true; readonly notes: readonly string[] }
  | { readonly ok: false; readonly code: string; readonly text: string };

export type SettingsParts = Pick<DashboardServices, "queues" | "testSettings" | "readSettings">;

/** Returns null when there is no such queue. */
export async function settingsOfQueue(
  { queues, readSettings }: SettingsParts,
  queue: QueueAddress,
): Promise<EditableSettings | null> {
  const read = await queues.readQueue(queue);
  if (!read.ok) return null;
  const view = read.value;
  const changesOf = (changes: SettingValues) => {
    const result = readSettings.queue(queue, changes);
    if ("problems" in result) throw new Error("the settings were not checked");
    return result.changes;
  };
  return {
    endpoint: "updateQueue",
    apiPath: "/v1/updateQueue",
    repo: view.repo,
    branch: view.branch,
    above: queuePath(view),
    path: `${queuePath(view)}/settings`,
    values: shownSettings({ ...view.settings, ...view.next, publicPage: view.inForce.publicPage }),
    defaults: shownSettings(settingsOfNewQueue({})),
    open: openSettings(view),
    check: (changes) => problemsIn(readSettings.queue(queue, changes)),
    async price({ changes, by }) {
      const action = { type: "configure", changes: changesOf(changes), actor: actorOf(by) } as const;
      const priced = await queues.price({ ...queue, actions: [action] });
      if (!priced.ok) return { refused: describeRefusal(priced.refusal) };
      const [refused] = priced.value.refusals;
      if (refused) return { refused: describeRefusal(refused.refusal) };
      const publishes =
        changes.publicPage === true
          ? [
              "Anyone can then read this queue's pages without signing in, with everything that happened in it before.",
            ]
          : [];
      return [
        ...renderPrice(priced.value),
        ...publishes,
        ...readSettings.warnings(queue, changes, view.settings),
      ];
    },
    async change({ changes, by, reason }) {
      const actor = { ...actorOf(by), ...(reason === null ? {} : { reason }) };
      const done = await queues.configureQueue({ ...queue, changes: changesOf(changes), actor });
      if (!done.ok) return { ok: false, code: done.refusal.code, text: describeRefusal(done.refusal) };
      const faults = done.value.diagnosis.findings.filter(({ severity }) => severity !== "note");
      const waits = done.value.view.status === "switching_modes";
      return {
        ok: true,
        notes: [
          ...(waits ? ["The queue switches when nothing is in test any more."] : []),
          ...faults.map(({ severity, title }) => `Doctor, ${severity}: ${title}.`),
        ],
      };
    },
  };
}

/** An absent public page is a private one. Who disabled commands is not a setting. */
function shownSettings({ commandsDisabledBy: _, ...settings }: QueueSettings): SettingValues {
  return {
    ...settings,
    requiredStatuses: settings.requiredStatuses ?? [],
    publicPage: settings.publicPage ?? false,
  };
}

const sources = {
  merge_instance: "this list",
  repository_config: "the repository file",
  repo_provider_branch_protection: "the branch's protection",
} as const;

function openSettings({ inForce, settings }: QueueView): EditableSettings["open"] {
  const { enqueueingLabel, stateLabelsEnabled, requiredStatusesSource } = inForce;
  return {
    ...(settings.enqueueingLabel === null ? { enqueueingLabel: enqueueingLabel ?? "no label" } : {}),
    ...(settings.stateLabelsEnabled === null
      ? { stateLabelsEnabled: stateLabelsEnabled ? "yes" : "no" }
      : {}),
    ...(settings.requiredStatuses === null
      ? { requiredStatuses: `from ${sources[requiredStatusesSource]}` }
      : {}),
  };
}

/** Returns null when there is no such repository. */
export async function settingsOfTests(
  { testSettings, readSettings }: SettingsParts,
  repo: RepositoryRef,
): Promise<EditableSettings | null> {
  const read = await testSettings.get(repo);
  if (!read.ok) return null;
  return {
    endpoint: "updateTestSettings",
    apiPath: "/v1/flaky-tests/update-test-settings",
    repo: read.value.repo,
    branch: null,
    above: testsPath(repo),
    path: `${testsPath(repo)}/settings`,
    values: apiNamed(read.value.settings),
    defaults: apiNamed(defaultTestSettings),
    open: {},
    check: (changes) => problemsIn(readSettings.tests(repo, changes)),
    price: async () => ["Changes no running test. What was uploaded is judged again by the new rules."],
    async change({ changes }) {
      const asked = readSettings.tests(repo, changes);
      if ("problems" in asked) throw new Error("the settings were not checked");
      const done = await testSettings.update(repo, asked.changes);
      if (!done.ok) return { ok: false, code: done.refusal.code, text: describeRefusal(done.refusal) };
      const { before, settings } = done.value;
      noteChanges({ changes: changesBetween(apiNamed(before), apiNamed(settings)) });
      return { ok: true, notes: [] };
    },
  };
}

function problemsIn(
  read: { readonly problems: FieldProblems } | { readonly changes: unknown },
): FieldProblems {
  return "problems" in read ? read.problems : new Map();
}

/** The number of newest changes that are searched. Pauses count, too. */
const mostRead = 300;

/** Returns the last entry of the audit log that changed each setting. */
export async function lastChanges(
  { audit }: Pick<DashboardServices, "audit">,
  { endpoint, repo, branch }: EditableSettings,
): Promise<ReadonlyMap<string, AuditRecord>> {
  const list = async (action: string) => {
    const { records } = await audit.list({
      ...{ organisation: nameKey(repo.owner), repo, action, actor: null },
      ...{ since: null, until: null, after: null, limit: mostRead },
    });
    return records.filter((record) => record.branch === branch);
  };
  const created = branch === null ? [] : await list("createQueue");
  const changed = [...(await list(endpoint)), ...created].flatMap((record) =>
    (record.changes ?? []).map(({ field }) => [field, record] as const),
  );
  // `Map` keeps the last of several entries of a field, so the newest one must come last.
  return new Map(changed.reverse());
}
