import { renderObstacle } from "../../engine/reasons/render-reason.ts";
import { findAppGaps, findUnaccepted } from "../access/app-gaps.ts";
import { examination, list } from "./finding.ts";

/** Findings about the App, its installation and the repository. */

const plain = (text: string) => text;

const credentialsRefused = examination("APP_CREDENTIALS_REFUSED", ["app"], ({ app }) =>
  app.kind === "read"
    ? null
    : {
        severity: "error",
        title: "GitHub rejects the App's credentials",
        cause: "APP_ID, PRIVATE_KEY or GHE_HOST belongs to another App or another GitHub.",
        evidence: app.reason,
        fix: {
          text: "Compare APP_ID with the App's settings page, generate a private key there, and start Trainyard with both.",
          url: null,
        },
      },
);

const notInstalled = examination("APP_NOT_INSTALLED", ["reach"], ({ reach }) =>
  reach.kind !== "not_installed" && reach.kind !== "not_visible"
    ? null
    : {
        severity: "error",
        title: "The App is not installed on this repository",
        cause: "Trainyard can neither read the repository nor merge into it.",
        evidence:
          reach.kind === "not_installed"
            ? "GitHub has no installation of the App there"
            : "the App is installed on the account, but has no access to this repository",
        fix: {
          text: "Open the App's settings, choose Install App, and give it access to this repository. Check the spelling of its name, too.",
          url: null,
        },
      },
);

const suspended = examination("APP_SUSPENDED", ["reach"], ({ reach }) => {
  if (reach.kind !== "suspended") return null;
  const { owner, settingsUrl: url } = reach.installation;
  return {
    severity: "error",
    title: "The App is suspended",
    cause: "GitHub refuses every call of a suspended App.",
    evidence: `the installation on ${owner} is suspended`,
    fix: { text: 'Open the installation and click "Unsuspend".', url },
  };
});

const permissionsMissing = examination("APP_PERMISSIONS_MISSING", ["app"], ({ app }, { wanted }) => {
  if (app.kind !== "read") return null;
  const { essential, further } = findAppGaps(wanted, app);
  if (essential.length + further.length === 0) return null;
  return {
    severity: essential.length > 0 ? "error" : "warning",
    title: "The App asks for fewer permissions than Trainyard needs",
    cause:
      essential.length > 0
        ? "Without them nothing can be tested or merged."
        : "Some features do not work without them.",
    evidence: `missing: ${list([...essential, ...further])}`,
    fix: {
      text: `Set ${list([...essential, ...further])}, save, and accept the new permissions where the App is installed.`,
      url: `${app.settingsUrl}/permissions`,
    },
  };
});

const permissionsNotAccepted = examination(
  "APP_PERMISSIONS_NOT_ACCEPTED",
  ["app", "reach"],
  ({ app, reach }, { wanted }) => {
    if (app.kind !== "read" || reach.kind !== "reached") return null;
    const { owner, settingsUrl: url } = reach.installation;
    const lacking = new Set(findAppGaps(wanted, app).essential.concat(findAppGaps(wanted, app).further));
    const gaps = findUnaccepted(reach.installation, wanted);
    const isOfOwner = (gap: string) => !lacking.has(gap);
    const [essential, further] = [gaps.essential.filter(isOfOwner), gaps.further.filter(isOfOwner)];
    if (essential.length + further.length === 0) return null;
    return {
      severity: essential.length > 0 ? "error" : "warning",
      title: "Permissions of the App are not accepted",
      cause: "The App asks for them, but the account's owner has not granted them yet.",
      evidence: `not granted on ${owner}: ${list([...essential, ...further])}`,
      fix: { text: 'Open the installation, click "Review request" and accept the new permissions.', url },
    };
  },
);

const eventsMissing = examination("APP_EVENTS_MISSING", ["app"], ({ app }, { wanted }) => {
  const missing = app.kind === "read" ? findAppGaps(wanted, app).events : [];
  if (app.kind !== "read" || missing.length === 0) return null;
  return {
    severity: "warning",
    title: "The App is not subscribed to all events",
    cause: "Without them, Trainyard notices changes only by polling, so the queue reacts late.",
    evidence: `not subscribed to: ${list(missing)}`,
    fix: { text: `Subscribe to ${list(missing)} and save.`, url: `${app.settingsUrl}/permissions` },
  };
});

const archived = examination("REPOSITORY_ARCHIVED", ["reach", "repository"], ({ reach, repository }) =>
  reach.kind !== "reached" || !reach.archived
    ? null
    : {
        severity: "error",
        title: "The repository is archived",
        cause: "Nothing can be pushed or merged there.",
        evidence: `${reach.repo.owner}/${reach.repo.name} is archived`,
        fix: { text: "Unarchive it at the bottom of its settings.", url: `${repository.url}/settings` },
      },
);

const branchMissing = examination("BRANCH_MISSING", ["reach"], ({ reach }, { branch }) =>
  reach.kind !== "reached" || reach.branch !== null
    ? null
    : {
        severity: "error",
        title: "The branch does not exist",
        cause: "A queue needs an existing branch to merge into.",
        evidence: renderObstacle({ code: "BRANCH_MISSING", branch }, plain),
        fix: { text: `Create ${branch}, or create the queue for another branch.`, url: null },
      },
);

export const appExaminations = [
  credentialsRefused,
  notInstalled,
  suspended,
  permissionsMissing,
  permissionsNotAccepted,
  eventsMissing,
  archived,
  branchMissing,
];

/** Findings about the App's webhook. */

const addressDiffers = examination(
  "WEBHOOK_ADDRESS_DIFFERS",
  ["app", "hook"],
  ({ app, hook }, { webhookUrl }) => {
    if (app.kind !== "read") return null;
    const url = app.settingsUrl;
    if (hook.url === null)
      return {
        severity: "error",
        title: "The App has no webhook address",
        cause: "GitHub sends no events, so Trainyard notices comments and CI results only by polling.",
        evidence: "GET /app/hook/config returns no address",
        fix: { text: `Enter ${webhookUrl ?? "Trainyard's address"} as Webhook URL and activate it.`, url },
      };
    if (webhookUrl === null)
      return { unknown: "TRAINYARD_PUBLIC_URL is not set, so the correct webhook address is unknown" };
    if (hook.url.replace(/\/+$/, "") === webhookUrl) return null;
    return {
      severity: "warning",
      title: "Webhooks go to another address than this service's",
      cause: "They do not reach this service unless something forwards them.",
      evidence: `the App sends them to ${hook.url}; this service expects them at ${webhookUrl}`,
      fix: { text: `Set the Webhook URL to ${webhookUrl}, or correct TRAINYARD_PUBLIC_URL.`, url },
    };
  },
);

/** How many of the last deliveries are examined. */
const counted = 20;

const deliveriesFailing = examination(
  "WEBHOOK_DELIVERIES_FAILING",
  ["app", "deliveries"],
  ({ app, deliveries }) => {
    if (app.kind !== "read") return null;
    const arrived = new Set(deliveries.filter(isSuccess).map(({ guid }) => guid));
    const last = deliveries.slice(0, counted);
    const failed = last.filter(({ guid }) => !arrived.has(guid));
    if (failed.length === 0) return null;
    const kinds = new Set(failed.map(({ event, status }) => `${event}: ${status}`));
    return {
      severity: failed.length === last.length ? "error" : "warning",
      title: "Webhooks do not arrive",
      cause: "Trainyard notices changes only by polling, which takes minutes.",
      evidence: `${failed.length} of the last ${last.length} deliveries failed (${list([...kinds])})`,
      fix: {
        text: "Look at Recent deliveries. Make the address reachable for GitHub, and compare WEBHOOK_SECRET with the App's webhook secret.",
        url: `${app.settingsUrl}/advanced`,
      },
    };
  },
);

const isSuccess = ({ statusCode }: { statusCode: number }) => statusCode >= 200 && statusCode < 300;

export const webhookExaminations = [addressDiffers, deliveriesFailing];
