import type { QueueChanges } from "../../engine/model/input.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { TestSettingChanges } from "../../flaky/test-settings.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { SettingValues } from "./setting-fields.ts";

/** Changes as they are carried out; or the problem of each field, as the rest of a sentence that begins with its name. */
export type ReadSettings<Changes> =
  | { readonly changes: Changes }
  | { readonly problems: ReadonlyMap<string, string> };

/** Reads settings as the API does. */
export interface SettingsReader {
  queue(queue: QueueAddress, changes: SettingValues): ReadSettings<QueueChanges>;
  /** Says which changes will not have their full effect. Empty when they are refused. */
  warnings(queue: QueueAddress, changes: SettingValues, settings: QueueSettings): readonly string[];
  tests(repo: RepositoryRef, changes: SettingValues): ReadSettings<TestSettingChanges>;
}
