import { generateKeyPairSync } from "node:crypto";
import { ParsingThread } from "../../../src/api/bodies/parsing-thread.ts";
import { createHttpServer } from "../../../src/api/http-server.ts";
import { createLog } from "../../../src/cli/log.ts";
import { wireApi, wireBot } from "../../../src/cli/wiring/wire-edges.ts";
import { type World, wireService } from "../../../src/cli/wiring/wire-service.ts";
import type { Clock, Ids, Logger } from "../../../src/ports/code-host/runtime.ts";
import type { Service } from "../../../src/service/create-service.ts";
import type { Replicas } from "../../../src/service/replicas/replicas.ts";
import { parseSettings, type Settings } from "../../../src/settings/settings.ts";
import type { Store } from "../../../src/store/create-stores.ts";
import type { VirtualCodeHost } from "./virtual-code-host.ts";
import { appId, hostName } from "./virtual-repository.ts";

const noAccess = { permissions: {}, events: [] };
const botToken = "the token of the bot";
const quiet = createLog({ logLevel: "silent", logFormat: "json" });

/** A webhook as the code host sends it. */
export interface VirtualWebhook {
  readonly id: string;
  readonly name: string;
  readonly payload: object;
}

/** The service with its bot. */
export interface VirtualServer extends Service {
  /** Stores a webhook in the inbox. Rejects when that is not possible, such as when the database fails. */
  receive(webhook: VirtualWebhook): Promise<void>;
}

interface VirtualServerParts {
  readonly stores: Store;
  readonly host: VirtualCodeHost;
  readonly replicas: Replicas;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
}

/** Wires a server as the product does, without sockets. Nothing runs before `start`. */
export async function createVirtualServer(parts: VirtualServerParts): Promise<VirtualServer> {
  const { stores, host, replicas, clock, ids, log } = parts;
  const { settings, credentials } = environment();
  const world: World = {
    settings,
    credentials,
    manifest: { default_permissions: {}, default_events: [] },
    store: stores,
    codeHost: host,
    usage: () => [],
    appCheck: { ask: async () => null, known: () => ({ app: null, wanted: noAccess, fault: null }) },
    poster: {
      objection: () => null,
      refusedPort: () => null,
      post: async () => ({ kind: "failed", error: "" }),
    },
    ...{ replicas, clock, ids, log: quiet },
  };
  const service = wireService(world, log);
  const app = createHttpServer({ log: quiet });
  await app.register(wireApi(world, { service, parsing, botToken }));
  const bot = await wireBot(world, { app, service, botToken });
  await app.ready();
  service.whileLeading(bot.forgetting);
  service.whileLeading(bot.poller);
  return {
    ...service,
    async start() {
      await service.start();
      bot.worker.start();
    },
    receive: (webhook) => bot.probot.receive(webhook as Parameters<typeof bot.probot.receive>[0]),
  };
}

/** Starts its thread only for bodies that are larger than any in the simulation. */
const parsing = new ParsingThread(new URL("../../../src/cli/parsing-worker.js", import.meta.url));

let known: { readonly settings: Settings; readonly credentials: NonNullable<Settings["app"]> } | undefined;

function environment() {
  known ??= readEnvironment();
  return known;
}

/** The settings of every server. GitHub's calls are simulated, so the key signs nothing. */
function readEnvironment() {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const parsed = parseSettings({
    ...{ GHE_HOST: hostName, APP_ID: String(appId), PRIVATE_KEY: privateKey, WEBHOOK_SECRET: "simulated" },
    ...{ TRAINYARD_PUBLISH_MS: "2000", TRAINYARD_RECONCILE_MS: "30000" },
  });
  if (!("settings" in parsed) || !parsed.settings.app)
    throw new Error(`the settings are invalid: ${JSON.stringify(parsed)}`);
  return { settings: parsed.settings, credentials: parsed.settings.app };
}
