import type { Octokit } from "@octokit/rest";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { client } from "../sandbox/scene.ts";
import { type Answer, type Api, startApi } from "./api-harness.ts";

export interface Pull {
  readonly number: number;
  readonly sha: string;
  readonly branch: string;
}

/** An API with a queue that only commands change. */
export class PausedQueue {
  readonly api: Api;
  readonly asAlice: Octokit;
  #opened = 0;

  private constructor(api: Api, asAlice: Octokit) {
    this.api = api;
    this.asAlice = asAlice;
  }

  static async start(options?: Parameters<typeof startApi>[0]): Promise<PausedQueue> {
    const api = await startApi(options);
    const alice = api.sandbox.createUser({ login: "alice", permission: "write" });
    await api.post("createQueue", { ...api.queue, state: "paused" });
    return new PausedQueue(api, client(api.sandbox, alice.token));
  }

  /** Opens a pull request of alice whose mergeability is known. */
  async open(options: { draft?: boolean } = {}): Promise<Pull> {
    const branch = `feature-${++this.#opened}`;
    const pull = await openPull(this.asAlice, branch, { [`${branch}.txt`]: "1" }, options);
    await this.api.sandbox.settled();
    return { branch, ...pull };
  }

  call(endpoint: string, pr: object, more: object = {}, headers?: Record<string, string>): Promise<Answer> {
    return this.api.post(endpoint, { ...this.api.queue, pr, ...more }, headers);
  }

  submit(pr: object, more?: object, headers?: Record<string, string>): Promise<Answer> {
    return this.call("submitPullRequest", pr, more, headers);
  }
}
