import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { ApiError, NetworkError } from "../../client/client.ts";
import { exchange } from "../../client/exchange.ts";
import { printable } from "../print-json.ts";
import { CallImpossible, type Credential, keepCredential, readCredential } from "./credentials.ts";
import { onOrganisation, serviceOf, withAddress } from "./service.ts";

const timeoutMs = 30_000;

/** What the service answers to a command line that asks to act for somebody. */
interface Begun {
  readonly secret: string;
  readonly url: string;
  readonly code: string;
  readonly expiresInMs: number;
  readonly pollMs: number;
}

/** Adds what `trainyard login` does. The instructions go to standard error, so that standard output has the result only. */
export function defineLogin(command: Command): void {
  withAddress(command)
    .option("--json", "print the service, the login and the end of the sign-in as JSON")
    .addHelpText(
      "after",
      `
It prints an address, which may be opened in a browser of any machine. Afterwards, the commands that call this service do what
GitHub lets you do in a repository, until \`trainyard logout\` or for 30 days. TRAINYARD_TOKEN is used instead if it is set.`,
    )
    .action((options) =>
      onOrganisation(options, async ({ print }) => {
        const service = serviceOf(options);
        const earlier = readCredential(service);
        const begun = await begin(service);
        console.error(
          `Open this page, and sign in with GitHub:\n\n  ${printable(begun.url)}\n\nConfirm there if it shows the code ${printable(begun.code)}.`,
        );
        const { login, expiresAt } = await untilConfirmed(service, begun);
        keepCredential(service, { secret: begun.secret, login, expiresAt });
        if (earlier !== null) await end(service, earlier);
        if (process.env.TRAINYARD_TOKEN)
          console.error("TRAINYARD_TOKEN is set, so the commands use that token instead.");
        print({ service, login, expiresAt }, () => [
          `Signed in at ${service} as ${printable(login)} until ${printable(expiresAt)}.`,
        ]);
        return "done";
      }),
    );
}

/** Adds what `trainyard logout` does. */
export function defineLogout(command: Command): void {
  withAddress(command)
    .option("--json", "print the service, and whether there was a sign-in, as JSON")
    .action((options) =>
      onOrganisation(options, async ({ print }) => {
        const service = serviceOf(options);
        const credential = readCredential(service);
        if (credential !== null) {
          await end(service, credential);
          keepCredential(service, null);
        }
        print({ service, ended: credential !== null }, () => [
          credential === null ? `Nobody was signed in at ${service}.` : `Signed out at ${service}.`,
        ]);
        return "done";
      }),
    );
}

async function begin(service: string): Promise<Begun> {
  try {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ from: hostname() }).toString();
    return (await call("POST", service, "begin", headers, body)) as Begun;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new CallImpossible(
      `Nobody can sign in at ${service} with GitHub: its operator has to set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET. Until then, set TRAINYARD_TOKEN to an API token.`,
    );
  }
}

async function untilConfirmed(service: string, { secret, expiresInMs, pollMs }: Begun) {
  const deadline = performance.now() + expiresInMs;
  while (performance.now() < deadline) {
    await sleep(pollMs);
    try {
      const signedIn = await call("GET", service, "session", bearing(secret));
      return signedIn as Omit<Credential, "secret">;
    } catch (error) {
      if (!(error instanceof NetworkError) && !(error instanceof ApiError)) throw error;
      // The service may be restarted meanwhile.
      const isPending = error instanceof NetworkError || error.status === 401 || error.status >= 500;
      if (!isPending) throw error;
    }
  }
  throw new CallImpossible("Nobody has confirmed the sign-in in time. Run `trainyard login` again.");
}

async function end(service: string, { secret }: Credential): Promise<void> {
  await call("POST", service, "end", bearing(secret));
}

const bearing = (secret: string) => ({ authorization: `Bearer ${secret}` });

function call(
  method: "GET" | "POST",
  service: string,
  step: string,
  headers: Record<string, string>,
  body?: string,
): Promise<unknown> {
  const url = `${service}/login/cli/${step}`;
  return exchange(fetch, { method, url, headers, timeoutMs, ...(body === undefined ? {} : { body }) });
}
