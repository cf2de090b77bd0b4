import type { FastifyInstance } from "fastify";
import { html } from "ghtml";
import type { SignIn } from "../../service/access/dashboard-sessions.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { ownSignInsPath } from "../paths.ts";
import type { Viewer } from "../session.ts";
import { renderTable } from "../table.ts";
import { renderAgo, renderDuration, renderTime } from "../times.ts";
import { acceptForm } from "./csrf.ts";
import { askToSignIn, overviewCrumb, show, showResult } from "./replies.ts";

/** The page with the visitor's own sign-ins, where they end one of them, or all others. */
export function serveOwnSignIns(app: FastifyInstance, parts: DashboardServices): void {
  const { sessions, now } = parts;

  app.get(ownSignInsPath, async (request, reply) => {
    const viewer = await sessions.viewer(request);
    if (!viewer?.actor) return askToSignIn(request, reply);
    const body = renderSignIns(viewer, await sessions.signInsOf(request), now());
    return show(reply, "Your sign-ins", body, viewer, { isLive: false, crumbs: [overviewCrumb] });
  });

  acceptForm(app, parts, ownSignInsPath, async ({ request, reply, fields }) => {
    const ended = await sessions.endSignIns(request, String(fields.end));
    const result = ended === 0 ? "Nothing was done: it had ended before." : `Ended ${counted(ended)}.`;
    return showResult(reply, ownSignInsPath, result);
  });
}

function counted(signIns: number): string {
  return signIns === 1 ? "1 sign-in" : `${signIns} sign-ins`;
}

/** A program can sign in with a token any number of times. */
const mostShown = 100;

const columns = [
  { label: "Where", kind: "main" },
  { label: "Signed in", kind: "time" },
  { label: "Last used", kind: "time" },
  { label: "Ends", kind: "time" },
  { label: "Action", kind: "number" },
] as const;

function renderSignIns(
  { actor, person, formToken }: Pick<Viewer, "actor" | "person" | "formToken">,
  signIns: readonly SignIn[],
  now: number,
): string {
  const form = (which: string, label: string, text: string) =>
    html`<form method="post" action="${ownSignInsPath}"><input type="hidden" name="formToken" value="${formToken}"><button class="button secondary" name="end" value="${which}" aria-label="${label}">${text}</button></form>`;
  const rows = signIns.slice(0, mostShown).map(({ id, device, isThis, createdAt, seenAt, expiresAt }) => {
    const name = nameOf(device);
    return {
      cells: [
        html`<bdi>${name}</bdi>!${isThis ? html` <span class="tag">this one</span>` : ""}<small>${device?.kind === "command_line" ? "command line" : "browser"}</small>`,
        renderAgo(createdAt, now),
        isThis ? "now" : renderAgo(seenAt, now),
        renderTime(expiresAt, `in ${renderDuration(expiresAt - now)}`),
        isThis ? "" : form(id, `End ${name}, signed in ${renderDuration(now - createdAt)} ago`, "End"),
      ],
    };
  });
  const who =
    person === null ? html`with the token <bdi>${actor?.name}</bdi>` : html`of <bdi>${actor?.name}</bdi>`;
  return html`<main>
<h1>Your sign-ins <span class="quiet">!${who}</span> <span class="count">${signIns.length}</span></h1>
<p class="quiet">Browsers and command lines that may act for you here, as they describe themselves. End those that you do not know: they are refused from then on. A browser that nobody uses for a day is signed out by itself.</p>
!${renderTable(columns, rows)}
!${signIns.length > mostShown ? html`<p class="quiet">Only the ${mostShown} that were used last are listed.</p>` : ""}
!${rows.length < 2 ? "" : html`<div class="choice">!${form("others", "End all other sign-ins", "End all others")}</div>`}
</main>`;
}

/** The first match counts: most user agents also name other browsers and systems. */
const browsers = { Edg: "Edge", OPR: "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" };
const systems = {
  ...{ Windows: "Windows", Android: "Android", iPhone: "iPhone", iPad: "iPad" },
  ...{ "Mac OS X": "macOS", CrOS: "ChromeOS", Linux: "Linux" },
};

/** What somebody calls a machine, such as `Firefox on Linux`. Where a browser is not known, its whole user agent. */
function nameOf(device: SignIn["device"]): string {
  if (device === null) return "unknown";
  if (device.kind === "command_line") return device.machine || "unnamed";
  const { userAgent } = device;
  const browser = Object.entries(browsers).find(([mark]) => userAgent.includes(`${mark}/`));
  const system = Object.entries(systems).find(([mark]) => userAgent.includes(mark));
  return browser && system ? `${browser[1]} on ${system[1]}` : userAgent || "unknown";
}
