import type { FastifyInstance, FastifyRequest } from "fastify";
import { html } from "ghtml";
import { type AskedSignIn, requestMs, signedInMs } from "../../service/access/command-line-sign-ins.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { commandLinePath, ownSignInsPath } from "../paths.ts";
import { acceptForm } from "./csrf.ts";
import { show, showLogin } from "./replies.ts";
import { originOf } from "./sign-in.ts";

/** How often a command line asks whether somebody has confirmed its request. */
const pollMs = 2_000;
const title = "Sign in a command line";

/**
 * `trainyard login`: a command line asks to act for somebody, who confirms it here after they have signed in with GitHub. Without the App's
 * client secret, nobody can sign in, but those who are signed in can end that.
 */
export function serveCommandLineSignIn(app: FastifyInstance, parts: DashboardServices): void {
  const { sessions, signIn, commandLineSignIns: signIns, publicUrl, now } = parts;

  app.get(`${commandLinePath}/session`, async (request, reply) => {
    const person = await signIns.identify(secretIn(request));
    if (person !== null) return { login: person.login, expiresAt: new Date(person.expiresAt).toISOString() };
    const detail = "Nobody has confirmed this sign-in, or it has ended.";
    return reply.code(401).send({ code: "NOT_SIGNED_IN", detail });
  });

  app.post(`${commandLinePath}/end`, async (request) => {
    await signIns.end(secretIn(request));
    return { ended: true };
  });

  if (signIn === null) return;

  app.post(`${commandLinePath}/begin`, async (request) => {
    const { from } = (request.body ?? {}) as { from?: unknown };
    const { secret, request: asked, code } = await signIns.begin(String(from ?? ""));
    const url = `${publicUrl ?? originOf(request)}${commandLinePath}?request=${asked}`;
    return { secret, url, code, expiresInMs: requestMs, pollMs };
  });

  app.get(commandLinePath, async (request, reply) => {
    const viewer = await sessions.viewer(request);
    if (!viewer?.person || viewer.formToken === null) {
      const problem = "A command line asks to act for you. Sign in with GitHub to see its request.";
      return showLogin(reply.code(401), { problem, next: request.url }, viewer);
    }
    const { request: text } = request.query as { request?: unknown };
    const asked = await signIns.read(String(text));
    if (asked === null) return show(reply.code(400), title, renderOutdated(), viewer, { isLive: false });
    const form = { request: String(text), formToken: viewer.formToken, until: now() + signedInMs };
    return show(reply, title, renderAsked(asked, viewer.person.login, form), viewer, { isLive: false });
  });

  acceptForm(app, parts, commandLinePath, async ({ reply, viewer, fields }) => {
    const { person } = viewer;
    const until = person && (await signIns.confirm(String(fields.request), person));
    if (person === null || until === null)
      return show(reply.code(400), title, renderOutdated(), viewer, { isLive: false });
    return show(reply, title, renderConfirmed(person.login, until), viewer, { isLive: false });
  });
}

function secretIn({ headers }: FastifyRequest): string {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

function renderAsked(
  { from, code }: AskedSignIn,
  login: string,
  { request, formToken, until }: { request: string; formToken: string; until: number },
): string {
  return html`<main><section>
<h1>Let a command line act as ${login}?</h1>
<p>A command line, on a machine that calls itself <b><bdi>${from}</bdi></b>, asks to act as <b>${login}</b> until ${dayOf(until)}. It could then do in every repository what Trainyard lets you do there.</p>
<p>Its code is <code>${code}</code>.</p>
<p>Confirm only if you have just run <code>trainyard login</code> yourself and it shows the same code. If somebody else has sent you this link, close the page: they would act as you.</p>
<form class="choice" method="post" action="${commandLinePath}">
<input type="hidden" name="formToken" value="${formToken}"><input type="hidden" name="request" value="${request}">
<button>Yes, it shows ${code}</button> <a class="back" href="/">No</a>
</form></section></main>`;
}

function renderConfirmed(login: string, until: number): string {
  return html`<main><section><h1>The command line is signed in</h1>
<p>It acts as <b>${login}</b> until ${dayOf(until)}, or until <code>trainyard logout</code>. <a href="${ownSignInsPath}">Your sign-ins</a> lists it, and ends it from anywhere.</p></section></main>`;
}

/** The same for every cause. */
function renderOutdated(): string {
  return html`<main><section><h1>This link is not valid</h1>
<p class="problem">It is incomplete, older than ten minutes, or was used. Run <code>trainyard login</code> again.</p></section></main>`;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
