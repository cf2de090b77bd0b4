import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AuditedAct } from "../../service/access/audit-trail.ts";
import { longestReason } from "../controls/action.ts";
import { describeAct } from "../controls/describe-act.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { renderForbidden } from "../home-page.ts";
import type { Crumb } from "../page.ts";
import type { ApiDocument } from "../reference/api-document.ts";
import type { Viewer } from "../session.ts";
import {
  type EditableSettings,
  lastChanges,
  settingsOfQueue,
  settingsOfTests,
} from "../settings/editable-settings.ts";

import { changedSettings, type SettingField, settingFields } from "../settings/setting-fields.ts";
import { renderSettings, renderSettingsConfirmation, versionOf } from "../settings/settings-page.ts";
import { acceptForm, type SentForm } from "./csrf.ts";
import { queueRoute, serveToMembers } from "./member-pages.ts";
import { addressOf, crumbsOf, fullName, notFound, overviewCrumb, show, showResult } from "./replies.ts";

/** Lists of names can be long. */
const bodyLimit = 200_000;

/** How settings are found from the path of their page, and the pages above it. */
interface Kind {
  readonly route: string;
  find(parts: DashboardServices, request: FastifyRequest): Promise<EditableSettings | null>;
  crumbs(settings: EditableSettings): readonly Crumb[];
}

const kinds: readonly Kind[] = [
  {
    route: `${queueRoute}/settings`,
    find: (parts, request) => settingsOfQueue(parts, addressOf(request)),
    crumbs: ({ repo, branch }) => crumbsOf({ repo, branch: branch ?? "" }),
  },
  {
    route: "/tests/:host/:owner/:name/settings",
    find: (parts, request) => settingsOfTests(parts, addressOf(request).repo),
    crumbs: ({ repo, above }) => [overviewCrumb, { path: above, text: `Tests of ${fullName(repo)}` }],
  },
];

/** The settings of queues and of the tests of repositories: members read them, administrators change them. */
export function serveSettingsPages(app: FastifyInstance, parts: DashboardServices): void {
  for (const kind of kinds) serveSettings(app, parts, kind);
}

function serveSettings(app: FastifyInstance, parts: DashboardServices, { route, find, crumbs }: Kind): void {
  const { audit, apiDocument, now } = parts;
  let described: readonly SettingField[] | null = null;
  const fieldsOf = ({ apiPath, values }: EditableSettings) => {
    described ??= settingFields(apiDocument() as ApiDocument, apiPath, new Set(Object.keys(values)));
    return described;
  };

  /** @param entered the values to correct, and why */
  const showSettings = async (
    reply: FastifyReply,
    viewer: Viewer,
    settings: EditableSettings,
    entered: Partial<Pick<Parameters<typeof renderSettings>[0], "entered" | "problems" | "problem">> = {},
  ) => {
    const formToken = (await viewer.mayAdministrate(settings.repo)) ? viewer.formToken : null;
    const body = renderSettings({
      ...{
        settings,
        fields: fieldsOf(settings),
        last: await lastChanges(parts, settings),
        formToken,
        now: now(),
      },
      ...{ entered: {}, problems: new Map(), problem: null, ...entered },
    });
    const title = `Settings · ${fullName(settings.repo)}`;
    return show(reply, title, body, viewer, { isLive: false, crumbs: crumbs(settings) });
  };

  serveToMembers(app, parts, route, "queue", async ({ request, reply, viewer }) => {
    const settings = await find(parts, request);
    return settings === null ? notFound(reply) : showSettings(reply, viewer, settings);
  });

  const change = async ({ request, reply, viewer, fields: form }: SentForm) => {
    const { repo } = addressOf(request);
    const settings = (await viewer.mayShow(repo)) ? await find(parts, request) : null;
    if (settings === null) return notFound(reply);
    const by = viewer.actor;
    const reason =
      typeof form.reason === "string" ? form.reason.trim().slice(0, longestReason) || null : null;
    const asked = { organisation: repo.owner, action: settings.endpoint, by, from: request };
    const actOf = (outcome: AuditedAct["outcome"], code: string | null): AuditedAct => ({
      ...describeAct(asked, outcome, code),
      ...{ repo: settings.repo, branch: settings.branch, reason },
    });
    // GitHub is asked only about viewers who seem to have the right, so that others cannot use up its rate limit.
    if (!((await viewer.mayAdministrate(repo)) && (await viewer.mayAdministrate(repo, true)))) {
      const code = by.kind === "token" ? "SCOPE_MISSING" : "PERMISSION_TOO_LOW";
      await audit.record(actOf("refused", code));
      // The right to see it may have been withdrawn, too.
      if (!(await viewer.mayShow(repo))) return notFound(reply);
      return show(reply.code(403), "Refused", renderForbidden(code), viewer);
    }
    if (form.version !== versionOf(settings.values)) {
      const problem =
        "Nothing was changed: somebody else has changed the settings since that page was shown. These are the present ones.";
      return showSettings(reply.code(409), viewer, settings, { problem });
    }
    const changes = changedSettings(fieldsOf(settings), form, settings.values);
    if (Object.keys(changes).length === 0)
      return showSettings(reply, viewer, settings, {
        problem: "Nothing was changed: all values are the present ones.",
      });
    const problems = settings.check(changes);
    if (problems.size > 0) {
      const problem = problems.get("") ?? null;
      return showSettings(reply.code(422), viewer, settings, { entered: form, problems, problem });
    }
    if (form.confirmed !== "yes") {
      const effects = await settings.price({ changes, by, reason });
      if ("refused" in effects)
        return showSettings(reply.code(409), viewer, settings, { entered: form, problem: effects.refused });
      const body = renderSettingsConfirmation({ settings, changes, effects, formToken: viewer.formToken });
      return show(reply, "Confirm", body, viewer, { isLive: false, crumbs: crumbs(settings) });
    }
    const done = await audit.execute(
      actOf,
      () => settings.change({ changes, by, reason }),
      (changed) => (changed.ok ? null : changed.code),
    );
    if (!done.ok)
      return showSettings(reply.code(409), viewer, settings, { entered: form, problem: done.text });
    const names = Object.keys(changes).join(", ");
    return showResult(reply, settings.path, [`Changed ${names}.`, ...done.notes].join(" "));
  };
  acceptForm(app, parts, route, change, { bodyLimit });
}
