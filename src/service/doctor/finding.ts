import type { MergeMethod, QueueSettings } from "../../engine/model/settings.ts";
import type { AppAccess } from "../../ports/code-host/app.ts";
import type { DoctorFacts, FactName, OwnBranchNames } from "../../ports/code-host/doctor-facts.ts";

/** All possible findings. Documented in docs/reference/doctor.md. */
export const findingCodes = [
  "APP_CREDENTIALS_REFUSED",
  "APP_NOT_INSTALLED",
  "APP_SUSPENDED",
  "APP_PERMISSIONS_MISSING",
  "APP_PERMISSIONS_NOT_ACCEPTED",
  "APP_EVENTS_MISSING",
  "WEBHOOK_ADDRESS_DIFFERS",
  "WEBHOOK_DELIVERIES_FAILING",
  "REPOSITORY_ARCHIVED",
  "BRANCH_MISSING",
  "REPOSITORY_FILE_INVALID",
  "REPOSITORY_FILE_UNREAD",
  "UPDATES_RESTRICTED",
  "BRANCH_LOCKED",
  "DEPLOYMENTS_REQUIRED",
  "BYPASS_NOT_EXEMPT",
  "MERGE_QUEUE_RULE",
  "LINEAR_HISTORY_REQUIRED",
  "MERGE_METHOD_OFF",
  "SIGNATURES_REQUIRED",
  "COMMIT_MESSAGES_RESTRICTED",
  "UP_TO_DATE_REQUIRED",
  "OWN_CHECK_REQUIRED",
  "REVIEWS_DISMISSED_ON_PUSH",
  "OWN_BRANCHES_NOT_CREATABLE",
  "OWN_BRANCH_NAMES_REFUSED",
  "OWN_BRANCHES_RESTRICTED",
  "OWN_BRANCH_OBSTRUCTED",
  "PLAN_WITHOUT_RULES",
  "PROTECTION_HIDDEN",
  "NO_REQUIRED_CHECKS",
  "REQUIRED_CHECK_NOT_ON_PUSH",
  "REQUIRED_CHECK_UNBOUND",
  "DIRECT_MERGE_POSSIBLE",
  "CI_NOT_LISTENING",
  "CI_STARTS_TWICE",
  "CI_CANCELS_ITSELF",
  "CI_FILTERS_PATHS",
  "WORKFLOW_NOT_READABLE",
  "FORKS_RUN_WITH_SECRETS",
  "AUTO_MERGE_ON",
  "SECOND_SERVICE",
  "BRANCH_NAME_RESERVED",
  "OLDER_INSTANCE",
  "DATABASE_DAMAGED",
  "CLOCK_SKEW",
  "API_VERSION_UNKNOWN",
  "CALL_BUDGET_LOW",
] as const;

export type FindingCode = (typeof findingCodes)[number];

/**
 * `error`: pull requests cannot be merged, or are merged wrongly. `warning`: it costs time or safety. `note`:
 * good to know.
 */
export const severities = ["error", "warning", "note"] as const;
export type Severity = (typeof severities)[number];

export interface Fault {
  readonly severity: Severity;
  readonly title: string;
  /** Why it matters. */
  readonly cause: string;
  /** The observed facts. */
  readonly evidence: string;
  /** What to do, and the page where to do it. */
  readonly fix: { readonly text: string; readonly url: string | null };
  /** While this lasts, the queue can never merge anything, according to GitHub itself. */
  readonly isFatal?: true;
}

export interface Finding extends Fault {
  readonly code: FindingCode;
}

/** An examination that was not possible, and why. */
export interface Unexamined {
  readonly code: FindingCode;
  readonly why: string;
}

export interface DoctorContext {
  readonly branch: string;
  readonly mergeMethod: MergeMethod;
  /** The required checks of the queue's own settings; null when not set. */
  readonly requiredStatuses: readonly string[] | null;
  readonly submitByAutoMerge: boolean;
  readonly directMergeMode: QueueSettings["directMergeMode"];
  readonly ownBranches: OwnBranchNames;
  /** The access that the App's manifest asks for. */
  readonly wanted: AppAccess;
  /** The expected webhook address; null when the service has no known public address. */
  readonly webhookUrl: string | null;
  /** What is damaged in the database's file; null when nothing is known to be. */
  readonly databaseDamage: string | null;
  /** What shows that an older service with the same App works here; null when nothing does. */
  readonly olderInstance: string | null;
  /** When the code host was asked for its time, by our clock. */
  readonly serverAskedAt: { readonly from: number; readonly to: number };
}

/** Why the facts do not determine whether something is wrong. */
interface Doubt {
  readonly unknown: string;
}

/** One possible problem. A pure function judges it after the required facts were read. */
export interface Examination {
  readonly code: FindingCode;
  readonly needs: readonly FactName[];
  /** Facts that add details, if they can be read. */
  readonly uses: readonly FactName[];
  examine(facts: Partial<DoctorFacts>, context: DoctorContext): Fault | Doubt | null;
}

export function examination<Needed extends FactName, Used extends FactName = never>(
  code: FindingCode,
  needs: readonly Needed[],
  examine: (
    facts: Pick<DoctorFacts, Needed> & Partial<Pick<DoctorFacts, Used>>,
    context: DoctorContext,
  ) => Fault | Doubt | null,
  uses: readonly Used[] = [],
): Examination {
  // `Doctor` reads all needed facts before it calls this.
  return { code, needs, uses, examine: (facts, context) => examine(facts as DoctorFacts, context) };
}

export function isDoubt(judgement: Fault | Doubt): judgement is Doubt {
  return "unknown" in judgement;
}

export function list(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(", ");
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown;
}
