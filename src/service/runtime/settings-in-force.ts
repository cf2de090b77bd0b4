import type { RepositoryFile } from "../../command/repository-file.ts";
import type { RequiredChecksSource } from "../../engine/model/checks/required-checks.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";

/** The settings that a queue leaves to the repository file, with their current values. */
export interface SettingsInForce {
  readonly requiredStatusesSource: RequiredChecksSource;
  /** The label that submits; null when none does. */
  readonly enqueueingLabel: string | null;
  readonly stateLabelsEnabled: boolean;
}

/**
 * A setting of the queue takes precedence over the repository file, and the file over the service's default.
 */
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

export function namesStates({ labels }: RepositoryFile): boolean {
  return Object.values(labels.states).some((label) => label !== undefined);
}
