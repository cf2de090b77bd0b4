import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { nextStepsOf, nextStepsPath, renderNextSteps } from "../../dashboard/next-steps-page.ts";
import { renderPage } from "../../dashboard/page.ts";
import type { Settings } from "../../settings/settings.ts";
import type { AppManifest } from "../app-manifest.ts";
import { envFile } from "../load-env-file.ts";
import type { Log } from "../log.ts";
import { convertManifest, type EnteredApp, readExistingApp, saveVariables } from "./credentials.ts";
import { readAskedOrigin } from "./public-address.ts";
import type { SetupGuard } from "./setup-guard.ts";
import {
  createdPath,
  createPath,
  creationAddress,
  existingPath,
  type Owner,
  renderCodeRefused,
  renderExistingAppPage,
  renderRefusal,
  renderSetupPage,
  setupPath,
} from "./setup-page.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the page is shown after the set-up, too. */
    isLastPage?: boolean;
  }
}

interface SetupOptions {
  readonly settings: Settings;
  readonly manifest: AppManifest;
  /** The address to which GitHub sends webhooks. */
  readonly webhook: string;
  readonly guard: SetupGuard;
  readonly finish: () => void;
  readonly log: Log;
}

/** Variables that may have been set for this start by hand, and that the next start needs as well. */
const kept = ["TRAINYARD_PUBLIC_URL", "GHE_HOST", "GHE_PROTOCOL"] as const;

/** The steps of the set-up, for the browser that may use it. */
export function setupRoutes({
  settings,
  manifest,
  webhook,
  guard,
  finish,
  log,
}: SetupOptions): FastifyPluginAsync {
  const { webUrl } = settings.github;
  return async (app) => {
    app.get("/", (_request, reply) => reply.redirect(setupPath, 303));

    app.get(setupPath, (request, reply) => {
      const { organisation } = request.query as { organisation?: unknown };
      const page = readAskedOrigin(request.headers, settings.publicUrl);
      const nextSteps = `${settings.publicUrl ?? page}${nextStepsPath}`;
      const owner = readOwner(organisation, process.env.GH_ORG);
      const facts = { manifest, webUrl, webhook, page, nextSteps };
      return show(reply, renderSetupPage(facts, owner, guard.issueState()));
    });

    let publicPages = false;
    // The browser sends the form on to GitHub unchanged. GitHub reads only the manifest from it.
    app.post(createPath, (request, reply) => {
      const { state, organisation } = request.query as Record<"state" | "organisation", unknown>;
      publicPages = hasAgreed(request.body);
      const owner = readOwner(organisation, undefined);
      const address = creationAddress(webUrl, "problem" in owner ? null : owner.organisation);
      return reply.redirect(`${address}?${new URLSearchParams({ state: String(state ?? "") })}`, 307);
    });

    app.get(createdPath, async (request, reply) => {
      const { state, code } = request.query as Record<"state" | "code", unknown>;
      if (!guard.takeState(String(state ?? "")))
        return show(reply.code(403), renderRefusal("SETUP_STATE_MISMATCH"));
      const created = await convertManifest(settings.github, String(code ?? ""), log);
      if ("refused" in created) return show(reply.code(502), renderCodeRefused(created.refused));
      const problem = save({
        APP_ID: String(created.id),
        PRIVATE_KEY: created.privateKey,
        WEBHOOK_SECRET: created.webhookSecret,
        GITHUB_CLIENT_ID: created.clientId,
        GITHUB_CLIENT_SECRET: created.clientSecret,
        ...(publicPages ? agreed : {}),
      });
      if (problem !== null) return show(reply.code(502), renderCodeRefused(problem));
      finish();
      return reply.redirect(nextStepsOf(created.path), 303);
    });

    const existing = ({ headers }: FastifyRequest) => ({
      manifest,
      webhook,
      page: settings.publicUrl ?? readAskedOrigin(headers, settings.publicUrl),
    });
    app.get(existingPath, (request, reply) => show(reply, renderExistingAppPage(existing(request))));

    app.post(existingPath, async (request, reply) => {
      const entered = readEntered(request.body);
      const read = await readExistingApp(settings, entered, log);
      const problem =
        "problem" in read
          ? read.problem
          : save({
              APP_ID: entered.id,
              PRIVATE_KEY: read.privateKey,
              WEBHOOK_SECRET: entered.webhookSecret,
              ...oauthOf(entered),
              ...(hasAgreed(request.body) ? agreed : {}),
            });
      if ("problem" in read || problem !== null)
        return show(reply.code(422), renderExistingAppPage(existing(request), { id: entered.id, problem }));
      finish();
      return reply.redirect(nextStepsOf(read.path), 303);
    });

    app.get(nextStepsPath, { config: { isLastPage: true } }, (request, reply) => {
      const steps = renderNextSteps({ webUrl, ...settings }, request.query);
      return show(reply, renderPage("Next steps", steps, { isLive: false, hasLinks: false }));
    });

    app.all("/*", (_request, reply) => reply.redirect(setupPath, 303));
  };
}

const agreed = { TRAINYARD_PUBLIC_PAGES: "true" };

function hasAgreed(body: unknown): boolean {
  return ((body ?? {}) as Record<string, unknown>).public_pages === "true";
}

function save(credentials: Readonly<Record<string, string>>): string | null {
  const variables: Record<string, string> = { ...credentials };
  for (const name of kept) {
    const value = process.env[name];
    if (value) variables[name] = value;
  }
  return saveVariables(envFile, variables);
}

/** People can enter the client's credentials later: without them, the dashboard asks for tokens. */
function oauthOf({ clientId, clientSecret }: EnteredApp): Record<string, string> {
  return clientId && clientSecret ? { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } : {};
}

function readEntered(body: unknown): EnteredApp {
  const { id, private_key, webhook_secret, client_id, client_secret } = (body ?? {}) as Record<
    string,
    unknown
  >;
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return {
    id: text(id),
    // Forms send line breaks as CRLF.
    privateKey: text(private_key).replaceAll("\r\n", "\n"),
    webhookSecret: text(webhook_secret),
    clientId: text(client_id),
    clientSecret: text(client_secret),
  };
}

function show(reply: FastifyReply, page: string): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(page);
}

/**
 * Reads for which account the App is created.
 * @param asked what the form sent; undefined = nothing, empty = the personal account
 * @param preset `GH_ORG`
 */
function readOwner(asked: unknown, preset: string | undefined): Owner {
  const name = (typeof asked === "string" ? asked : (preset ?? "")).trim();
  if (name === "") return { organisation: null };
  if (/^[a-z\d](?:[a-z\d_-]{0,98}[a-z\d])?$/i.test(name)) return { organisation: name };
  return {
    problem: `"${name}" is not the name of an organisation. Enter the name as in its address on GitHub.`,
  };
}
