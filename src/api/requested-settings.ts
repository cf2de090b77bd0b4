import type { QueueChanges } from "../engine/model/input.ts";
import type { QueueSettings } from "../engine/model/settings.ts";
import type { QueueBody } from "./schema/queue-address.ts";
import type { QueueChangesBody } from "./schema/queue-settings.ts";

type Requested = QueueBody & QueueChangesBody;

/** The settings in a request body. An empty `requiredStatuses` removes the list. */
export function requestedSettings(body: Requested): Partial<QueueSettings> {
  const {
    repo: _repo,
    targetBranch: _branch,
    state: _state,
    requiredStatuses,
    acceptFromHead,
    deleteRequiredStatuses,
    allowedBotSubmitters,
    extensionEnabled: _extension,
    batchingRules: _rules,
    testBranchConstructionMode: _construction,
    ...settings
  } = body;
  return {
    ...defined(settings),
    ...(allowedBotSubmitters === undefined
      ? {}
      : { allowedBotSubmitters: [...new Set(allowedBotSubmitters)] }),
    ...(acceptFromHead === undefined ? {} : { acceptFromHead: [...new Set(acceptFromHead)] }),
    ...(deleteRequiredStatuses ? { requiredStatuses: null } : listed(requiredStatuses)),
  };
}

function listed(requiredStatuses: readonly string[] | undefined): Partial<QueueSettings> {
  if (requiredStatuses === undefined) return {};
  return { requiredStatuses: requiredStatuses.length > 0 ? [...new Set(requiredStatuses)] : null };
}

/** Returns the changes to a queue that a body requests: its settings and its state. */
export function requestedChanges(body: Requested): QueueChanges {
  return { ...requestedSettings(body), ...(body.state === undefined ? {} : { status: body.state }) };
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
