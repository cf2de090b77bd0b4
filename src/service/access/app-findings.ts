import type { AppFault } from "../../ports/code-host/app.ts";
import type { AppGaps } from "./app-gaps.ts";

/** The result of a reading of the App, for the log and for `/readyz`. */
export interface AppFinding {
  readonly level: "info" | "warn" | "error";
  /** Contains a `code`, unless nothing is missing. */
  readonly fields: object;
  readonly message: string;
  /** Null when the service is ready despite the finding. */
  readonly fault: AppFault | null;
}

/** @param reason GitHub's reason */
export function describeRefusal(reason: string): AppFinding {
  const problem =
    "GitHub rejects the App's credentials. Compare APP_ID with the App's settings page, set PRIVATE_KEY to a key that is listed there, and GHE_HOST to the GitHub that has the App; then start Trainyard again.";
  const code = "APP_CREDENTIALS_REFUSED";
  return { level: "error", fields: { code, reason }, message: problem, fault: { code, problem } };
}

export function describeAbsence(error: unknown): Omit<AppFinding, "fault"> {
  const message =
    "GitHub does not answer what the App may do. Trainyard asks again, and takes webhooks meanwhile.";
  return { level: "warn", fields: { code: "APP_NOT_READ", err: error }, message };
}

/** @param url the page where the App's owner changes permissions and events */
export function describeGaps({ essential, further, events }: AppGaps, url: string): AppFinding {
  const permissions = [...essential, ...further];
  const add = addOnPage(permissions, events, url);
  const fields = { permissions, events, url };
  if (essential.length > 0) {
    const code = "APP_PERMISSIONS_MISSING";
    const problem = `Nothing can be merged: the GitHub App lacks ${essential.join(", ")}. ${add}`;
    return { level: "error", fields: { code, ...fields }, message: problem, fault: { code, problem } };
  }
  if (further.length > 0 || events.length > 0) {
    const code = further.length > 0 ? "APP_PERMISSIONS_INCOMPLETE" : "APP_EVENTS_MISSING";
    const message = `The GitHub App has less than app.yml asks for, so some features do not work or are slow. ${add}`;
    return { level: "warn", fields: { code, ...fields }, message, fault: null };
  }
  return {
    level: "info",
    fields: {},
    message: "Trainyard is ready: the GitHub App has all permissions and events",
    fault: null,
  };
}

function addOnPage(permissions: readonly string[], events: readonly string[], url: string): string {
  const changes = [
    ...(permissions.length > 0 ? [`set ${permissions.join(", ")}`] : []),
    ...(events.length > 0 ? [`subscribe to ${events.join(", ")}`] : []),
  ];
  const accept = permissions.length > 0 ? ", and accept the new permissions where the App is installed" : "";
  return `Open ${url}, ${changes.join(", ")}, click "Save changes"${accept}.`;
}
