import { setTimeout as sleep } from "node:timers/promises";
import { GraphqlResponseError } from "@octokit/graphql";
import type { Octokit } from "@octokit/rest";
import type * as z from "zod";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { AppClient } from "./app-client.ts";
import { overBudget } from "./call-limiter.ts";
import { checkShape } from "./check-answers.ts";
import { CodeHostError, toFieldError } from "./code-host-error.ts";
import { type ContentPermit, ContentSchedule } from "./content-budget.ts";
import type { NodeIds } from "./node-ids.ts";
import type { RepositoryApi } from "./repository-api.ts";

/** A repository in which we write checks and comments. */
export interface ContentPlace extends RepositoryApi {
  readonly writer: ContentWriter;
  readonly ids: NodeIds;
}

/** A GraphQL mutation with a visible effect: a comment, a reaction, a check. */
export interface ContentMutation<T> {
  /** Its name, from which the type of its input is derived. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The fields of its response. */
  readonly selection: string;
  readonly shape: z.ZodType<T>;
  /** Names the content that it creates, which GitHub limits. Null: it only changes content. */
  readonly creates: string | null;
}

interface Waiting {
  readonly mutation: ContentMutation<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a mutation waits for others that can share its request. */
const gatherMs = 25;
/** GitHub aborts a request after ten seconds, and runs mutations one after the other. */
const maxMutations = 12;
/** How long a request may take before the next one is sent in parallel. */
const patienceMs = 2_000;

/**
 * Writes visible content. Mutations that are requested at the same time share one request, and one request is sent at a time, as
 * GitHub asks of all clients that create content.
 * https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
export class ContentWriter {
  readonly #octokit: Octokit;
  readonly #requestPermit: () => Promise<ContentPermit>;
  readonly #schedule = new ContentSchedule();
  #waiting: Waiting[] = [];
  #isSending = false;

  /** @param requestPermit takes one content from the budget, if there is one */
  constructor(octokit: Octokit, requestPermit: () => Promise<ContentPermit>) {
    this.#octokit = octokit;
    this.#requestPermit = requestPermit;
  }

  /**
   * Throws a `CodeHostError` when GitHub refuses this mutation, regardless of the others in the request, and when the budget is
   * used up. Nothing waits here for the budget: a task that waits would take a worker's place from tests and merges.
   */
  write<T>(mutation: ContentMutation<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ mutation, resolve: resolve as Waiting["resolve"], reject });
      if (this.#isSending) return;
      this.#isSending = true;
      void this.#sendAll();
    });
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await sleep(gatherMs);
      const batch = await this.#nextBatch();
      if (batch.length > 0)
        await Promise.race([this.#send(batch), sleep(patienceMs, undefined, { ref: false })]);
    }
    this.#isSending = false;
  }

  async #nextBatch(): Promise<readonly Waiting[]> {
    const batch: Waiting[] = [];
    while (batch.length < maxMutations) {
      const one = this.#waiting.shift();
      if (!one) break;
      try {
        if (one.mutation.creates !== null) await this.#takeOrRefuse(one.mutation.creates);
        batch.push(one);
      } catch (error) {
        one.reject(error);
      }
    }
    return batch;
  }

  async #takeOrRefuse(content: string): Promise<void> {
    const permit = this.#schedule.refusal(performance.now()) ?? (await this.#requestPermit());
    if (permit.waitMs > 0)
      throw new CodeHostError(
        "rate_limited",
        overBudget,
        this.#schedule.addRefused(content, permit, performance.now()),
      );
    this.#schedule.remove(content);
  }

  /** Never rejects. */
  async #send(batch: readonly Waiting[]): Promise<void> {
    try {
      const { data, errors } = await this.#ask(batch.map(({ mutation }) => mutation));
      for (const [index, { mutation, resolve, reject }] of batch.entries()) {
        const key = keyOf(index);
        const error = errors.find(({ path }) => path?.[0] === key);
        if (error) reject(toFieldError(error));
        else settle(() => readAnswer(mutation, data[key]), resolve, reject);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async #ask(mutations: readonly ContentMutation<unknown>[]): Promise<Answer> {
    const variables = mutations.map(({ input }, index) => [inputOf(index), input] as const);
    try {
      const data = await this.#octokit.graphql<Answer["data"]>(
        documentOf(mutations),
        Object.fromEntries(variables),
      );
      return { data: data ?? {}, errors: [] };
    } catch (error) {
      if (!(error instanceof GraphqlResponseError)) throw error;
      const errors: readonly FieldError[] = error.errors ?? [];
      // An error that is not about one of the mutations applies to all.
      const isOfOne = ({ path }: FieldError) => mutations.some((_, index) => path?.[0] === keyOf(index));
      if (errors.length === 0 || !errors.every(isOfOne)) throw error;
      return { data: (error.data as Answer["data"] | null) ?? {}, errors };
    }
  }
}

interface FieldError {
  readonly type?: string;
  readonly message: string;
  readonly path?: readonly (string | number)[];
}

interface Answer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors: readonly FieldError[];
}

const keyOf = (index: number) => `m${index}`;
const inputOf = (index: number) => `input${index}`;

function documentOf(mutations: readonly ContentMutation<unknown>[]): string {
  const declared = mutations.map(({ name }, index) => `$${inputOf(index)}: ${typeOf(name)}!`);
  const asked = mutations.map(
    ({ name, selection }, index) => `${keyOf(index)}: ${name}(input: $${inputOf(index)}) { ${selection} }`,
  );
  return `mutation (${declared.join(", ")}) { ${asked.join(" ")} }`;
}

const typeOf = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;

function readAnswer({ name, shape }: ContentMutation<unknown>, answer: unknown): unknown {
  checkShape(shape, answer, `POST /graphql (${name})`);
  return answer;
}

function settle<T>(act: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): void {
  try {
    resolve(act());
  } catch (error) {
    reject(error);
  }
}

/** Keeps one writer for each installation: GitHub limits what an installation creates. */
export class ContentWriters {
  readonly #client: Pick<AppClient, "installation" | "limiter">;
  readonly #writers = new Map<number, ContentWriter>();

  constructor(client: Pick<AppClient, "installation" | "limiter">) {
    this.#client = client;
  }

  of({ installationId }: Pick<InstalledRepository, "installationId">): ContentWriter {
    const known = this.#writers.get(installationId);
    if (known) return known;
    const requestPermit = () => this.#client.limiter.take(installationId, false);
    const writer = new ContentWriter(this.#client.installation(installationId), requestPermit);
    this.#writers.set(installationId, writer);
    return writer;
  }
}
