import type { Stage } from "../scenarios/stage.ts";
import { Browser } from "./signed-in-browser.ts";

export interface Begun {
  readonly secret: string;
  readonly url: string;
  readonly code: string;
}

/** Asks to act for somebody, as `trainyard login` does. */
export async function beginSignIn({ url }: Stage, from = "laptop"): Promise<Begun> {
  const body = new URLSearchParams({ from });
  return (await (await fetch(`${url}/login/cli/begin`, { method: "POST", body })).json()) as Begun;
}

/** Confirms what a command line asks for, in the browser of somebody who has signed in. */
export function confirm(browser: Browser, url: string): Promise<Response> {
  const request = new URL(url).searchParams.get("request") ?? "";
  return browser.post("/login/cli", { formToken: browser.formToken, request });
}

/** Returns the secret of a command line that acts for somebody. */
export async function signInCommandLine(stage: Stage, login: string): Promise<string> {
  const begun = await beginSignIn(stage);
  const browser = new Browser(stage);
  await browser.signIn(begun.url, login);
  await confirm(browser, begun.url);
  return begun.secret;
}
