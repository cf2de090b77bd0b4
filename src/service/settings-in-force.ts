import type { RepositoryFile } from "../command/repository-file.ts";
import type { RequiredChecksSource } from "../engine/model/checks/required-checks.ts";
import type { QueueSettings } from "../engine/model/settings.ts";

/** What a queue's settings leave to the repository file, as it is now. */
export interface SettingsInForce {
  readonly requiredStatusesSource: RequiredChecksSource;
  /** The label that submits; null: none does. */
  readonly enqueueingLabel: string | null;
  readonly stateLabelsEnabled: boolean;
}

/** A setting of the queue comes before the repository file, and that before the default of the service. */
export function settingsInForce(
  settings: QueueSettings,
  file: RepositoryFile,
  submitLabel: string,
): SettingsInForce {
  const { submit = submitLabel } = file.labels;
  return {
    requiredStatusesSource: requiredStatusesSource(settings, file),
    enqueueingLabel: settings.enqueueingLabel ?? submit,
    stateLabelsEnabled: settings.stateLabelsEnabled ?? namesStates(file),
  };
}

export function requiredStatusesSource(
  { requiredStatuses }: QueueSettings,
  file: RepositoryFile,
): RequiredChecksSource {
  if (requiredStatuses !== null) return "merge_instance";
  return file.requiredStatuses === undefined ? "repo_provider_branch_protection" : "repository_config";
}

/** Whether the file names labels that show states. */
export function namesStates({ labels }: RepositoryFile): boolean {
  return Object.values(labels.states).some((label) => label !== undefined);
}
