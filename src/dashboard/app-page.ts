import { html } from "ghtml";
import type { KnownApp } from "../service/access/app-check.ts";
import { findAppGaps } from "../service/access/app-gaps.ts";
import { severities } from "../service/doctor/finding.ts";
import type { KnownDiagnosis } from "../service/queues/queue-doctor.ts";
import type { QueueAddress } from "../service/runtime/directory.ts";
import { queuePath } from "./paths.ts";
import { renderTable } from "./table.ts";
import { renderAgo } from "./times.ts";

export interface AppView {
  readonly known: KnownApp;
  /** Whether people can sign in with their GitHub account. */
  readonly hasSignIn: boolean;
  /** The queues that the viewer administers, with what doctor found last. */
  readonly queues: readonly (QueueAddress & { readonly diagnosis: KnownDiagnosis | null })[];
  readonly now: number;
}

/** Renders the App's identity and permissions, and doctor's last findings for each queue. */
export function renderApp({ known, hasSignIn, queues, now }: AppView): string {
  const { app, wanted, fault } = known;
  const missing =
    app === null
      ? html`<p class="empty">GitHub has not said yet what the App may do. Reload the page in a few seconds.</p>`
      : "";
  const facts =
    app === null
      ? ""
      : html`<p class="facts"><span>id <code>${app.id}</code></span><a href="${app.settingsUrl}" rel="noreferrer">Settings on GitHub</a><span>people ${hasSignIn ? "sign in with GitHub" : "sign in with API tokens only: GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET are not set"}</span></p>`;
  return html`<main>
<section class="head">
  <h1>GitHub App !${app === null ? "" : html`<span class="quiet">${app.slug}</span>`}</h1>
  !${facts}
  !${fault === null ? "" : html`<p class="problem">${fault.problem}</p>`}
</section>
!${missing}
!${app === null ? "" : renderPermissions(app, wanted)}
!${app === null ? "" : renderEvents(app, wanted)}
<section><h2>Doctor</h2>
<p class="quiet">What an account's owner has granted can differ from what the App asks for. Doctor looks where the App is installed.</p>
!${
    queues.length === 0
      ? html`<p class="empty">You administer no repository with a queue.</p>`
      : renderTable(
          [{ label: "Queue", kind: "main" }, "Found last", { label: "Looked", kind: "time" }],
          queues.map((queue) => ({ cells: cellsOf(queue, now) })),
        )
  }
</section>
</main>`;
}

type App = NonNullable<KnownApp["app"]>;

function renderPermissions(app: App, wanted: KnownApp["wanted"]): string {
  const { essential, further } = findAppGaps(wanted, app);
  const isMissing = (list: readonly string[], name: string) =>
    list.some((gap) => gap.startsWith(`${name}: `));
  const names = [...new Set([...Object.keys(wanted.permissions), ...Object.keys(app.permissions)])].sort();
  const rows = names.map((name) => ({
    cells: [
      html`<code>${name}</code>`,
      html`${wanted.permissions[name] ?? "not needed"}`,
      html`${app.permissions[name] ?? "none"}`,
      isMissing(essential, name)
        ? html`<span class="state failed">missing</span><small>nothing can be merged without it</small>`
        : isMissing(further, name)
          ? html`<span class="state paused">missing</span><small>some features do not work without it</small>`
          : html`<span class="state merged">granted</span>`,
    ],
  }));
  const columns = [{ label: "Permission", kind: "main" }, "Needed", "The App has", "State"] as const;
  return html`<section><h2>Permissions</h2>!${renderTable(columns, rows)}</section>`;
}

function renderEvents(app: App, wanted: KnownApp["wanted"]): string {
  const { events } = findAppGaps(wanted, app);
  const problem =
    events.length === 0
      ? ""
      : html`<p class="problem">Not subscribed to ${events.join(", ")}: Trainyard notices these changes only by polling, so it reacts late. <a href="${app.settingsUrl}" rel="noreferrer">Subscribe on GitHub</a></p>`;
  return html`<section><h2>Events <span class="count">${app.events.length}</span></h2>!${problem}<p>!${app.events.map((event) => html`<code>${event}</code> `)}</p></section>`;
}

function cellsOf(queue: AppView["queues"][number], now: number): readonly string[] {
  const { repo, branch, diagnosis } = queue;
  const doctor = `${queuePath(queue)}/doctor`;
  const counts = severities.flatMap((severity) => {
    const count = diagnosis?.findings.filter((finding) => finding.severity === severity).length ?? 0;
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? "" : "s"}`];
  });
  const found = diagnosis === null ? "not examined yet" : counts.join(", ") || "nothing is wrong";
  return [
    html`<a href="${queuePath(queue)}">${repo.owner}/${repo.name}</a> <span class="branch">${branch}</span>`,
    html`${found} <a href="${doctor}" aria-label="Examine ${repo.owner}/${repo.name} ${branch}">examine</a>`,
    diagnosis === null ? "" : renderAgo(diagnosis.at, now),
  ];
}
