import { parseArgs } from "node:util";
import { renderOptionProblem } from "../../command/option-problem.ts";
import { HttpWebhookPoster } from "../../receivers/http-webhook-poster.ts";
import { SecretSeal } from "../../service/access/secret-seal.ts";
import { renderRefusal } from "../../service/runtime/outcome.ts";
import { type Subscription, subscriptions, webhookFormats } from "../../service/webhooks/event-names.ts";
import { describeWebhookChange } from "../../service/webhooks/webhook-changes.ts";
import { Webhooks } from "../../service/webhooks/webhooks.ts";
import { readDatabaseUrl } from "../../settings/database-url.ts";
import { parseWebhookSettings } from "../../settings/webhook-settings.ts";
import { openStore } from "../../store/sqlite/open-store.ts";
import type { WebhookEndpoint } from "../../store/webhooks/webhook-endpoints.ts";
import { loadEnvFile } from "../load-env-file.ts";
import { noteInAuditLog, type OperatorAct } from "../note-in-audit-log.ts";

const usage = `Usage:
  trainyard webhook create --organisation OWNER --url URL [--events NAME,NAME] [--description TEXT]
                          [--format json|slack|teams] [--json]
  trainyard webhook list [--organisation OWNER] [--json]
  trainyard webhook delete --organisation OWNER ID

OWNER is the owner of the repositories whose events the webhook receives; NAME is one of
  ${subscriptions.join("\n  ")}
The database is the one in DATABASE_URL.`;

const verbs = ["create", "list", "delete"] as const;
const isVerb = (word: string | undefined): word is (typeof verbs)[number] =>
  verbs.some((verb) => verb === word);

/** `trainyard webhook`: creates, lists and deletes webhooks. */
export async function webhook(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const [verb, ...rest] = argv;
  if (verb?.startsWith("-")) return complain(renderOptionProblem(`Unknown option '${verb}'`, "webhook", []));
  if (!isVerb(verb))
    return complain(verb === undefined ? "A subcommand is missing." : `There is no "webhook ${verb}".`);
  const parsed = parse(rest);
  if (typeof parsed === "string") return complain(parsed);
  const { values, positionals } = parsed;
  loadEnvFile();
  const settings = parseWebhookSettings(process.env);
  if ("issues" in settings) {
    for (const { variable, problem } of settings.issues) console.error(`${variable} ${problem}`);
    return 1;
  }
  const store = await openStore(readDatabaseUrl(process.env));
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
  const note: Note = (act) => noteInAuditLog(store.audit, act);
  try {
    switch (verb) {
      case "create":
        return await create(webhooks, note, values);
      case "list":
        return list(await webhooks.list(values.organisation ?? null), values.json);
      case "delete":
        return await remove(webhooks, note, values.organisation, positionals[0]);
    }
  } finally {
    await store.close();
  }
}

const options = {
  organisation: { type: "string" },
  url: { type: "string" },
  events: { type: "string", default: "*" },
  description: { type: "string", default: "" },
  format: { type: "string", default: "json" },
  json: { type: "boolean", default: false },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    return renderOptionProblem(error, "webhook", Object.keys(options));
  }
}

type Note = (act: OperatorAct) => Promise<void>;

async function create(
  webhooks: Webhooks,
  note: Note,
  values: {
    organisation?: string;
    url?: string;
    events: string;
    description: string;
    format: string;
    json: boolean;
  },
): Promise<number> {
  const { organisation, url, description, json } = values;
  if (!organisation) return complain("--organisation is missing.");
  if (!url) return complain("--url is missing.");
  const events = values.events.split(",").map((name) => name.trim());
  const unknown = events.find((name) => !isSubscription(name));
  if (unknown !== undefined) return complain(`"${unknown}" is not an event.`);
  const format = webhookFormats.find((one) => one === values.format);
  if (!format) return complain(`"${values.format}" is no format: it is ${webhookFormats.join(", ")}.`);
  const subscribed = events.filter(isSubscription);
  const created = await webhooks.create({ organisation, url, events: subscribed, description, format });
  if (!created.ok) {
    console.error(renderRefusal(created.refusal));
    return 1;
  }
  const { secret, webhook: made } = created.value;
  await note({ organisation, action: "createWebhook", ...describeWebhookChange(null, made) });
  if (json) console.log(JSON.stringify({ ...visible(made), secret }));
  else {
    console.log(`${made.id}\t${secret}`);
    console.error("Keep the secret: it is not shown again.");
  }
  return 0;
}

function list(all: readonly WebhookEndpoint[], json: boolean): number {
  for (const one of all) {
    const { id, organisation, url, events, enabled } = one;
    if (json) console.log(JSON.stringify(visible(one)));
    else console.log([id, organisation, url, events.join(","), enabled ? "enabled" : "disabled"].join("\t"));
  }
  return 0;
}

async function remove(
  webhooks: Webhooks,
  note: Note,
  organisation: string | undefined,
  id: string | undefined,
): Promise<number> {
  if (!organisation) return complain("--organisation is missing.");
  if (id === undefined) return complain("The id of a webhook is missing; trainyard webhook list shows it.");
  const deleted = await webhooks.delete(organisation, id);
  if (deleted) await note({ organisation, action: "deleteWebhook", ...describeWebhookChange(deleted, null) });
  else console.error(`${organisation} has no webhook ${id}.`);
  return deleted ? 0 : 1;
}

function visible({ secret: _, previous: __, ...webhook }: WebhookEndpoint) {
  return webhook;
}

function isSubscription(name: string): name is Subscription {
  return (subscriptions as readonly string[]).includes(name);
}

function complain(problem: string): number {
  const help = `"trainyard webhook --help" shows how it is used.`;
  console.error(problem.includes("--help") ? problem : `${problem} ${help}`);
  return 2;
}
