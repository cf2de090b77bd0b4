import type { Role } from "./people.ts";

/** What somebody may do, in the widest sense; GitHub's answers and the scopes of tokens decide. */
const readers: readonly Role[] = [
  "a reader",
  "a writer",
  "the author",
  "an administrator",
  "an owner of the organisation",
  "a token that may read",
  "a token that may submit",
  "a token that may administrate queues",
  "a token that may do everything",
];
const administrators: readonly Role[] = [
  "an administrator",
  "an owner of the organisation",
  "a token that may administrate queues",
  "a token that may do everything",
];
const submitters: readonly Role[] = [
  "the author",
  "an administrator",
  "an owner of the organisation",
  "a token that may submit",
  "a token that may do everything",
];
const ofOrganisation: readonly Role[] = ["an owner of the organisation", "a token that may do everything"];

/**
 * Who sees each page. Everybody else gets what they get for something that does not exist.
 */
export const pages: Readonly<Record<string, readonly Role[]>> = {
  "GET /": readers,
  "GET /search": readers,
  "GET /queues/:host/:owner/:name/:branch": readers,
  "GET /queues/:host/:owner/:name/:branch/live": readers,
  "GET /queues/:host/:owner/:name/:branch/history": readers,
  "GET /queues/:host/:owner/:name/:branch/doctor": administrators,
  "GET /queues/:host/:owner/:name/:branch/pulls/:number": readers,
  "GET /queues/:host/:owner/:name/:branch/pulls/:number/live": readers,
  "GET /live": readers,
  "GET /queues/:host/:owner/:name/:branch/settings": readers,
  "GET /queues/:host/:owner/:name/:branch/past": readers,
  "GET /queues/:host/:owner/:name/:branch/health": readers,
  "GET /queues/:host/:owner/:name/:branch/health/:chart.csv": readers,
  "GET /queues/:host/:owner/:name/:branch/what-if": administrators,
  "GET /tests/:host/:owner/:name/settings": readers,
  "GET /tokens/:organisation": ofOrganisation,
  "GET /tests/:host/:owner/:name": readers,
  "GET /tests/:host/:owner/:name/:id": readers,
  "GET /tests/:host/:owner/:name/pulls/:number": readers,
  "GET /audit/:host/:owner/:name": administrators,
  "GET /webhooks/:organisation": ofOrganisation,
  "GET /webhooks/:organisation/:id": ofOrganisation,
  "GET /app": administrators,
  // They say nothing about any queue.
  "GET /*": [],
  "GET /docs": [],
  "GET /setup/next": [],
  "GET /login": [],
  "GET /login/cli": [],
  "GET /login/own": [],
  "GET /auth/github": [],
  "GET /auth/github/callback": [],
  "GET /assets/htmx.min.js": [],
  "GET /assets/hx-sse.min.js": [],
  "GET /assets/style.css": [],
  "GET /assets/icon.svg": [],
  "GET /favicon.ico": [],
  "GET /assets/administration.css": [],
  "GET /assets/charts.css": [],
  "GET /assets/charts.js": [],
  "GET /assets/past.css": [],
  "GET /assets/past.js": [],
  "GET /assets/tests.css": [],
  "GET /assets/tracks.css": [],
  "GET /assets/tracks.js": [],
  "GET /assets/uPlot.iife.min.js": [],
  "GET /assets/uPlot.min.css": [],
};
/** Pages that tell those who may see the queue that they need more rights. */
export const refusing = [
  "GET /queues/:host/:owner/:name/:branch/doctor",
  "GET /queues/:host/:owner/:name/:branch/what-if",
];
/** The routes of pages that people look at: no files, no streams, and nothing that only leads elsewhere. */
const pagesOnly =
  /^GET (?!\/(\*|assets\/.*|auth\/.*|favicon\.ico|tests\/.*\/pulls\/.*)$)(?!.*(\/live|\.csv)$)/;

/** Returns the routes of pages that none of these paths belongs to. */
export function routesWithout(paths: readonly string[]): readonly string[] {
  const visited = paths.map((path) => new URL(path, "http://here.invalid").pathname);
  return Object.keys(pages).filter((route) => {
    if (!pagesOnly.test(route)) return false;
    const pattern = new RegExp(`^${route.slice("GET ".length).replaceAll(/:\w+/g, "[^/]+")}$`);
    return !visited.some((path) => pattern.test(path));
  });
}

/** What a page is asked for. */
export const queries: Readonly<Record<string, string>> = {
  "GET /search": "?q=classified",
  "GET /tests/:host/:owner/:name": "?q=moon&state=any",
};

export interface Form {
  /**
   * `from the page` stands for what the page of the form says, `another` for another number each time, and `the newest token` for its id,
   * which nobody has to see to send it; `of the secret` for the version of a webhook's secret.
   */
  readonly fields: Readonly<Record<string, string>>;
  readonly doneBy: readonly Role[];
  /** Those who may see the subject, so that they are told why the form is refused. */
  readonly refusedTo: readonly Role[];
  /** What the answer then says. */
  readonly done: string;
}
const without = (some: readonly Role[], others: readonly Role[]) =>
  some.filter((role) => !others.includes(role));
const toEntry = (action: string, done: string): Form => ({
  fields: { action, pr: "1", priority: "low" },
  doneBy: submitters,
  refusedTo: without(readers, submitters),
  done,
});
const toQueue = (action: string, state: string): Form => ({
  fields: { action, reason: "A release." },
  doneBy: administrators,
  refusedTo: without(readers, administrators),
  done: `The queue of main is ${state} now.`,
});
const toSettings = (setting: string): Form => ({
  fields: { [setting]: "another", version: "from the page" },
  doneBy: administrators,
  refusedTo: without(readers, administrators),
  done: `Changed ${setting}.`,
});
const toWebhook = (fields: Form["fields"], done: string): Form => ({
  ...{ fields, done, doneBy: ofOrganisation, refusedTo: [] },
});

/** The forms that each route carries out, in an order in which each of them has something to do. */
export const forms: Readonly<Record<string, readonly Form[]>> = {
  "POST /queues/:host/:owner/:name/:branch/actions": [
    toEntry("priority", "Changed the priority of #1 to low."),
    toEntry("restart", "Restarted the tests of #1."),
    toEntry("submit", "Submitted #1 again."),
    toEntry("cancel", "Cancelled #1."),
    toQueue("pause", "paused"),
    toQueue("drain", "draining"),
    toQueue("resume", "running"),
  ],
  "POST /tests/:host/:owner/:name/:id/quarantine": [
    {
      fields: { mode: "NEVER", reason: "It matters." },
      ...{ doneBy: administrators, refusedTo: [], done: "From now on: never forgive its failures." },
    },
  ],
  "POST /webhooks/:organisation/:id/actions": [
    toWebhook({ action: "disable" }, "The webhook is disabled now."),
    toWebhook({ action: "enable" }, "The webhook is enabled now."),
    toWebhook({ action: "rotate", version: "of the secret" }, "whsec_"),
    toWebhook({ action: "resend", delivery: "nosuch" }, "WEBHOOK_DELIVERY_NOT_FOUND"),
  ],
  "POST /queues/:host/:owner/:name/:branch/settings": [toSettings("concurrency")],
  "POST /tests/:host/:owner/:name/settings": [toSettings("quarantine_days")],
  "POST /tokens/:organisation": [
    {
      fields: { action: "create", name: "ci", scope: "read", newest: "from the page" },
      ...{ doneBy: ofOrganisation, refusedTo: [], done: "The new token" },
    },
    {
      fields: { action: "revoke", id: "the newest token" },
      ...{ doneBy: ofOrganisation, refusedTo: [], done: "is revoked." },
    },
  ],
  // They belong to no session. See sessions.test.ts.
  "POST /login": [],
  // See command-line.test.ts.
  "POST /login/cli": [],
  // It ends only sign-ins of the same account. See sessions.test.ts.
  "POST /login/own": [],
  "POST /logout": [],
};

/** What the service serves that is not for people: it asks for a token, for a signature, or for nothing. */
export const notPages =
  /^\S+ (\/v1\/.*|\/mcp|\/login\/cli\/(begin|session|end)|\/(healthz|readyz|openapi\.json|trainyard\.schema\.json)|\/api\/github\/webhooks)$/;
