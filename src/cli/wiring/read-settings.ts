import { parseBody } from "../../api/bodies/parse-json.ts";
import { requestedChanges } from "../../api/endpoints/queue-settings.ts";
import { updateQueue } from "../../api/endpoints/queues.ts";
import { settingWarnings } from "../../api/endpoints/setting-warnings.ts";
import type { Problem } from "../../api/problems/problem.ts";
import type { SettingValues } from "../../dashboard/settings/setting-fields.ts";
import type { SettingsReader } from "../../dashboard/settings/settings-reader.ts";
import { requestedTestSettings, updateTestSettings } from "../../flaky/endpoints/settings.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";

/** Reads the settings of the dashboard's forms as the bodies of the API's endpoints. */
export const settingsReader: SettingsReader = {
  queue(queue, changes) {
    const read = readQueueBody(queue, changes);
    return read.ok ? { changes: requestedChanges(read.body) } : { problems: problemsOf(read.problem) };
  },
  warnings(queue, changes, settings) {
    const read = readQueueBody(queue, changes);
    return read.ok ? settingWarnings(read.body, { ...settings, ...requestedChanges(read.body) }) : [];
  },
  tests(repo, changes) {
    const read = parseBody(updateTestSettings.body, { repo, ...changes });
    if (!read.ok) return { problems: problemsOf(read.problem) };
    const { repo: _, ...asked } = read.body;
    return { changes: requestedTestSettings(asked) };
  },
};

function readQueueBody({ repo, branch }: QueueAddress, changes: SettingValues) {
  return parseBody(updateQueue.body, { repo, targetBranch: branch, ...changes });
}

/** An error about an element of a list is shown at the list's field. */
function problemsOf({ detail, errors = [] }: Problem): ReadonlyMap<string, string> {
  const named = errors.map(({ path, message }) => [path.replace(/\[.*$/, ""), message] as const);
  return new Map(named.length === 0 ? [["", detail]] : named);
}
