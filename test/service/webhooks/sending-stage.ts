import { randomBytes } from "node:crypto";
import { HttpWebhookPoster } from "../../../src/receivers/http-webhook-poster.ts";
import { SecretSeal } from "../../../src/service/access/secret-seal.ts";
import { WebhookSender } from "../../../src/service/webhooks/webhook-sender.ts";
import { Webhooks } from "../../../src/service/webhooks/webhooks.ts";
import type { Store } from "../../../src/store/sqlite/open-store.ts";
import type { WebhookFormat } from "../../../src/store/webhooks/webhook-endpoints.ts";
import { eventually } from "../../scenarios/eventually.ts";
import { createSqliteFile, type SqliteFile } from "../../store/sqlite-file.ts";

const leaseMs = 30_000;

/** One run of the service, as far as it sends webhooks. */
export interface Life {
  readonly store: Store;
  readonly webhooks: Webhooks;
  readonly sender: WebhookSender;
}

/** The sending of webhooks over a real database and real HTTP, with a clock that the test controls. */
export class SendingStage {
  readonly file: SqliteFile;
  readonly logged: string[] = [];
  now = Date.now();
  /** The random number for the jitter; 0.5 is its middle. */
  chance = 0.5;
  timeoutMs = 5_000;
  life!: Life;
  readonly #seal = new SecretSeal([randomBytes(32)]);
  readonly #lives: Life[] = [];
  readonly #closed = new Set<Life>();

  private constructor(file: SqliteFile) {
    this.file = file;
  }

  static async start(): Promise<SendingStage> {
    const stage = new SendingStage(await createSqliteFile());
    await stage.live();
    return stage;
  }

  /** Starts the service on the current database. */
  async live(): Promise<void> {
    const store = await this.file.open();
    const { webhookEndpoints: endpoints, webhookDeliveries: deliveries } = store;
    const poster = new HttpWebhookPoster({ allowPrivate: true, timeoutMs: this.timeoutMs });
    const clock = { now: () => this.now };
    const write = (fields: object, message: string) =>
      void this.logged.push(JSON.stringify({ ...fields, message }));
    const log = { debug: write, info: write, warn: write, error: write };
    const parts = { endpoints, deliveries, poster, seal: this.#seal, clock };
    const random = () => this.chance;
    const sender = new WebhookSender({ ...parts, owner: "me", random, log, leaseMs });
    const webhooks = new Webhooks(parts, () => sender.lookAgain());
    this.life = { store, webhooks, sender };
    this.#lives.push(this.life);
    sender.start();
  }

  /** Ends the service as a kill does: the database does not learn the result of requests under way. */
  async kill(): Promise<void> {
    this.#closed.add(this.life);
    await this.life.store.close();
  }

  async close(): Promise<void> {
    for (const life of this.#lives) {
      await life.sender.stop();
      if (!this.#closed.has(life)) await life.store.close();
    }
    await this.file.remove();
  }

  async create(
    url: string,
    organisation = "acme",
    format: WebhookFormat = "json",
  ): Promise<{ id: string; secret: string }> {
    const created = await this.life.webhooks.create({
      organisation,
      url,
      events: ["*"],
      description: "",
      format,
    });
    if (!created.ok || created.value.secret === null) throw new Error(JSON.stringify(created));
    return { id: created.value.webhook.id, secret: created.value.secret };
  }

  /** Announces messages, named as `<stream>-<n>`. */
  async announce(...ids: string[]): Promise<void> {
    const messages = ids.map((id) => ({
      id,
      type: "pull_request.queued",
      stream: id.split("-")[0] ?? "",
      at: this.now,
      payload: JSON.stringify({ id, text: "höchste Zeit 🚂" }),
    }));
    await this.life.store.webhookDeliveries.announce({ organisation: "acme", messages: () => messages });
    this.life.sender.wake();
  }

  /** Announces a message with this payload. */
  async announcePayload(id: string, payload: object): Promise<void> {
    const message = {
      id,
      type: "pull_request.failed",
      stream: id,
      at: this.now,
      payload: JSON.stringify(payload),
    };
    await this.life.store.webhookDeliveries.announce({ organisation: "acme", messages: () => [message] });
    this.life.sender.wake();
  }

  elapse(ms: number): void {
    this.now += ms;
    this.life.sender.wake();
  }

  async deliveries(id: string, organisation = "acme") {
    const query = { state: null, before: null, limit: 100 };
    const found = await this.life.webhooks.deliveries(organisation, id, query);
    if (!found.ok) throw new Error(found.refusal.code);
    return found.value.deliveries;
  }

  /** Waits until all deliveries of an endpoint match the rule. */
  async until(
    id: string,
    rule: (delivery: Awaited<ReturnType<SendingStage["deliveries"]>>[number]) => boolean,
  ) {
    return eventually(async () => {
      const all = await this.deliveries(id);
      return all.length > 0 && all.every(rule) ? all : null;
    }, `the deliveries of ${id}`);
  }
}
