import { html } from "ghtml";
import type { SetupRefusal } from "./setup-guard.ts";
import { renderSetup, setupPath } from "./setup-page.ts";

const texts: Record<SetupRefusal, string> = {
  SETUP_TOKEN_NEEDED:
    "Trainyard is not set up yet. Open the address that its log shows: it contains a one-time token.",
  SETUP_TOKEN_USED:
    "The one-time token has been used. Continue in the browser that used it. If that was not yours, start Trainyard again.",
  SETUP_STATE_MISMATCH:
    "This App was not created from the set-up page that is open, so it was not saved. Open the set-up and create the App there.",
  SETUP_EXPIRED:
    "The set-up was open for an hour. Start Trainyard again, and open the address that its log shows.",
  SETUP_DONE: "The credentials are saved, and the set-up is over. Trainyard starts with them now.",
};

/** Renders why a request may not use the set-up. */
export function renderRefusal(code: SetupRefusal): string {
  const back = code === "SETUP_STATE_MISMATCH" ? html`<p><a href="${setupPath}">Open the set-up</a></p>` : "";
  return renderSetup(html`<h1>Set-up</h1><p>${texts[code]} (<code>${code}</code>)</p>!${back}`);
}

/** Renders why the credentials of the new App are not there. */
export function renderCodeRefused(why: string): string {
  return renderSetup(html`<h1>Set-up</h1>
<p>GitHub did not answer the App's credentials: ${why}. Create the App again, or enter its credentials by hand. (<code>SETUP_CODE_REFUSED</code>)</p>
<p><a href="${setupPath}">Open the set-up</a></p>`);
}

/** Renders a request that cannot be answered, such as one for a page that does not exist. */
export function renderFailure(status: number): string {
  const what =
    status >= 500
      ? "The set-up failed. Trainyard's log says why."
      : "The set-up does not understand this request.";
  return renderSetup(html`<h1>Set-up</h1><p>${what}</p><p><a href="${setupPath}">Open the set-up</a></p>`);
}
