import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ParsingThread } from "../api/bodies/parsing-thread.ts";
import { createHttpServer } from "../api/http-server.ts";
import { injectFetch } from "../api/inject-fetch.ts";
import { schemaRoute } from "../bot/routes.ts";
import { mcpRoute } from "../mcp/mcp-route.ts";
import type { Clock } from "../ports/code-host/runtime.ts";
import type { AppSettings } from "../settings/app-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { openStore } from "../store/sqlite/open-store.ts";
import { requireAppManifest } from "./app-manifest.ts";
import { closeGently } from "./close-gently.ts";
import type { Log } from "./log.ts";
import { readVersion } from "./version.ts";
import { wireApi, wireBot, wireDashboard, wireWebhooks } from "./wiring/wire-edges.ts";
import { connectWorld, wireService } from "./wiring/wire-service.ts";

export interface RunningServer {
  /** The address that it listens on. */
  readonly url: string;
  /** Aborted when a newer version has migrated the database, with a `DatabaseProblem`: this version has to stop. */
  readonly replaced: AbortSignal;
  /** Refuses new requests, finishes those in flight, and closes the database. */
  close(): Promise<void>;
}

const ids = { next: () => randomUUID() };
/** The maximum delay of a start by the search for commands that were given while no service ran. */
const catchUpMs = 10_000;
const parsingScript = new URL("./parsing-worker.js", import.meta.url);

/**
 * Wires the whole service: database, GitHub, queues, API, bot and dashboard.
 *
 * @param ownClock null = the database's
 */
export async function startServer(
  settings: Settings,
  credentials: AppSettings,
  log: Log,
  ownClock: Clock | null = null,
  beforeListening: () => void = () => {},
): Promise<RunningServer> {
  const manifest = requireAppManifest();
  const store = await openStore(settings.databaseUrl, log);
  const clock = ownClock ?? store.clock;
  const world = connectWorld({ settings, credentials, manifest, store, log, clock, ids });
  const { appCheck } = world;
  const service = wireService(world);
  const { trustedProxies, corsOrigins } = settings;
  const app = createHttpServer({ log, trustedProxies, corsOrigins });
  const parsing = new ParsingThread(parsingScript);
  const botToken = randomBytes(32).toString("base64url");
  await app.register(wireApi(world, { service, parsing, botToken }));
  if (settings.mcp !== "off")
    await app.register(
      mcpRoute({
        fetchFor: (address) => injectFetch(app, address),
        host: settings.github.host,
        allowWrites: settings.mcp === "write",
        version: readVersion(),
      }),
    );
  const bot = await wireBot(world, { app, service, botToken });
  await app.register(wireWebhooks(world, bot.probot, parsing));
  await app.register(schemaRoute);
  const { plugin: dashboard, live } = wireDashboard(world, service);
  await app.register(dashboard);

  appCheck.start();
  beforeListening();
  const url = await app.listen({ host: settings.host, port: settings.port });
  service.whileLeading(bot.forgetting);
  if (settings.pollCommands) {
    service.whileLeading(bot.poller);
    await Promise.race([bot.poller.catchUp(), sleep(catchUpMs, undefined, { ref: false })]);
  }
  await service.start();
  bot.worker.start();
  store.damage.start(log);
  return {
    url,
    replaced: store.replaced,
    async close() {
      live.close();
      await closeGently(app);
      await appCheck.stop();
      await parsing.close();
      await service.resign();
      await bot.worker.stop();
      await service.stop();
      await store.close();
    },
  };
}
