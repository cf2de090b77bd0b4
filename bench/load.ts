import { Agent, request } from "node:http";

export interface Call {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds of each call, from when it is sent to the last byte of its answer. */
  readonly latencies: readonly number[];
}

export const connections = 50;

/**
 * A client that always has a fixed number of calls in flight, 50 by default. Its connections stay open between loads: a busy
 * server takes time to accept new ones, which must not be measured.
 */
export class Load implements Disposable {
  readonly #agent: Agent;
  readonly #atOnce: number;

  constructor(atOnce = connections) {
    this.#atOnce = atOnce;
    this.#agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  }

  /** Makes every call once. Rejects when one is not answered with 200. */
  async run(calls: readonly Call[]): Promise<LoadResult> {
    const latencies: number[] = [];
    const waiting = calls.values();
    const makeCalls = async () => {
      for (const call of waiting) {
        const sent = performance.now();
        await this.#make(call);
        latencies.push(performance.now() - sent);
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: this.#atOnce }, makeCalls));
    return { perSecond: (calls.length / (performance.now() - began)) * 1000, latencies };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #make({ method, url, headers, body }: Call): Promise<void> {
    return new Promise((resolve, reject) => {
      const sending = request(url, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          if (response.statusCode === 200) return resolve();
          reject(new Error(`${url} answered ${response.statusCode}: ${Buffer.concat(chunks)}`));
        });
      });
      sending.on("error", (cause) => reject(new Error(`${url}: ${cause.message}`, { cause })));
      sending.end(body);
    });
  }
}
