import { type Command, InvalidArgumentError, Option } from "commander";
import { HttpWebhookPoster } from "../../receivers/http-webhook-poster.ts";
import { SecretSeal } from "../../service/access/secret-seal.ts";
import { renderRefusal } from "../../service/runtime/outcome.ts";
import { type Subscription, subscriptions, webhookFormats } from "../../service/webhooks/event-names.ts";
import { describeWebhookChange, disguiseAddress } from "../../service/webhooks/webhook-changes.ts";
import { Webhooks } from "../../service/webhooks/webhooks.ts";
import { parseWebhookSettings } from "../../settings/webhook-settings.ts";
import { openStore } from "../../store/sqlite/open-store.ts";
import type { WebhookEndpoint } from "../../store/webhooks/webhook-endpoints.ts";
import { confirm, withConfirmation } from "../confirm.ts";
import { requireDatabaseUrl } from "../named-database.ts";
import { noteInAuditLog, type OperatorAct } from "../note-in-audit-log.ts";
import { printable, printerOf, printFailure, printJson } from "../print-json.ts";
import { renderTable } from "../render-table.ts";
import { readOwner } from "./token.ts";

/** Adds the subcommands of `trainyard webhook`, which create, list and delete webhooks. */
export function defineWebhook(command: Command): void {
  command.addHelpText("after", "\nThe database is the one in DATABASE_URL.");
  const what = "the owner of the repositories whose events it receives";
  const owner = ["--organisation <owner>", what, readOwner] as const;
  command
    .command("create")
    .description("create a webhook, and print its secret once")
    .requiredOption(...owner)
    .requiredOption("--url <url>", "where it sends events")
    .addOption(
      new Option("--events <list>", "which ones, separated by commas")
        .argParser(readEvents)
        .default(["*"], "all"),
    )
    .option("--description <text>", "what it is for", "")
    .addOption(new Option("--format <format>", "who reads it").choices(webhookFormats).default("json"))
    .option("--json", "print the webhook as JSON")
    .addHelpText("after", `\nEvents:\n  ${subscriptions.join("\n  ")}`)
    .action((options: NewWebhook) =>
      onWebhooks({ json: options.json, mustExist: false }, (webhooks, note) =>
        create(webhooks, note, options),
      ),
    );
  command
    .command("list")
    .description("list the webhooks, without their secrets")
    .option("--organisation <owner>", "only the webhooks of this owner", readOwner)
    .option("--json", "print each webhook as a line of JSON")
    .action(({ organisation, json }: { readonly organisation?: string; readonly json?: true }) =>
      onWebhooks({ json, mustExist: true }, async (webhooks) =>
        list(await webhooks.list(organisation ?? null), json ?? false),
      ),
    );
  withConfirmation(command.command("delete"))
    .description("delete a webhook")
    .argument("<id>", "its id, as in webhook list")
    .requiredOption(...owner)
    .option("--json", "print whether there was such a webhook as JSON, as deleteWebhook answers")
    .action((id: string, { organisation, json }: WebhookOptions, called: Command) =>
      onWebhooks({ json, mustExist: true }, async (webhooks, note) => {
        const describe = async () => {
          const known = (await webhooks.list(organisation)).find((one) => one.id === id);
          return known ? describeDeletion(known) : null;
        };
        if (!(await confirm(called, describe))) return 1;
        const deleted = await remove(webhooks, note, organisation, id);
        if (json) printJson({ deleted });
        else console.log(deleted ? `The webhook ${id} is deleted.` : `${organisation} has no webhook ${id}.`);
        return 0;
      }),
    );
}

interface WebhookOptions {
  readonly organisation: string;
  readonly json?: true;
}

interface NewWebhook extends WebhookOptions {
  readonly url: string;
  readonly events: readonly Subscription[];
  readonly description: string;
  readonly format: (typeof webhookFormats)[number];
}

type Note = (act: OperatorAct) => Promise<void>;

async function onWebhooks(
  { json, mustExist }: { readonly json: true | undefined; readonly mustExist: boolean },
  run: (webhooks: Webhooks, note: Note) => number | Promise<number>,
): Promise<void> {
  const databaseUrl = requireDatabaseUrl(mustExist);
  const settings = parseWebhookSettings(process.env);
  if ("issues" in settings) {
    const problems = settings.issues.map(({ variable, problem }) => `${variable} ${problem}`);
    printFailure("SETTINGS_NOT_VALID", problems.join("; "), json);
    process.exitCode = 1;
    return;
  }
  const store = await openStore(databaseUrl);
  const outbound = {
    endpoints: store.webhookEndpoints,
    deliveries: store.webhookDeliveries,
    poster: new HttpWebhookPoster({
      allowPrivate: settings.webhooksAllowPrivate,
      ports: settings.webhookPorts,
    }),
    seal: new SecretSeal(settings.encryptionKeys),
    clock: { now: () => Date.now() },
  };
  // The service checks for changes every few seconds.
  const webhooks = new Webhooks(outbound, () => {});
  try {
    process.exitCode = await run(webhooks, (act) => noteInAuditLog(store.audit, act));
  } finally {
    await store.close();
  }
}

function readEvents(text: string): readonly Subscription[] {
  return text.split(",").map((word) => {
    const event = subscriptions.find((known) => known === word.trim());
    if (event) return event;
    throw new InvalidArgumentError(`"${word.trim()}" is not an event.`);
  });
}

async function create(webhooks: Webhooks, note: Note, { json, ...wanted }: NewWebhook): Promise<number> {
  const created = await webhooks.create(wanted);
  if (!created.ok) {
    printFailure(created.refusal.code, renderRefusal(created.refusal), json);
    return 1;
  }
  const { secret, webhook: made } = created.value;
  await note({
    organisation: wanted.organisation,
    action: "createWebhook",
    ...describeWebhookChange(null, made),
  });
  if (json) printJson({ ...visible(made), secret });
  else {
    console.log(`${made.id}\t${secret}`);
    console.error("Keep the secret: it is not shown again.");
  }
  return 0;
}

function list(all: readonly WebhookEndpoint[], json: boolean): number {
  if (json) for (const one of all) printJson(visible(one));
  else
    printerOf(false)({}, () =>
      renderTable(
        all.map(({ id, organisation, url, events, enabled }) => [
          id,
          organisation,
          enabled ? "enabled" : "disabled",
          printable(url),
          events.join(","),
        ]),
      ),
    );
  return 0;
}

async function remove(webhooks: Webhooks, note: Note, organisation: string, id: string): Promise<boolean> {
  const deleted = await webhooks.delete(organisation, id);
  if (deleted) await note({ organisation, action: "deleteWebhook", ...describeWebhookChange(deleted, null) });
  return deleted !== null;
}

function describeDeletion({ url, organisation }: WebhookEndpoint): string {
  return `This deletes the webhook to ${disguiseAddress(url)} of ${organisation}, with its secret. Messages that wait for it are not sent. That cannot be undone.`;
}

function visible({ secret: _, previous: __, ...webhook }: WebhookEndpoint) {
  return webhook;
}
