import type { Try } from "../../engine/model/tries/try.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { accepted, type Outcome, refused } from "../runtime/outcome.ts";
import { answeringOutages, readInTime } from "./answering-outages.ts";
import type { EntryCommand, TryRequest } from "./queue-requests.ts";
import type { TestablePullRequests } from "./testable-pull-requests.ts";

/** Tests pull requests that are not queued. */
export class Tries {
  readonly #context: ObservationContext;
  readonly #pullRequests: TestablePullRequests;

  constructor(context: ObservationContext, pullRequests: TestablePullRequests) {
    this.#context = context;
    this.#pullRequests = pullRequests;
  }

  async ask(request: TryRequest): Promise<Outcome<Try>> {
    const { directory, runtime } = this.#context;
    const { pr, repo: _repo, branch: _branch, ...rest } = request;
    const found = await directory.find(request);
    if (!found.ok) return found;
    const queue = found.value;
    return answeringOutages(async () => {
      const read = await readInTime(() => this.#pullRequests.read(queue, pr, rest));
      if (!read.ok) return read;
      const command = { type: "try", pullRequest: read.value, ...rest } as const;
      const { refusal, state } = await runtime.dispatch(queue.id, command);
      if (refusal) return refused(refusal);
      const tried = state.tries.get(pr);
      if (!tried) throw new Error(`#${pr} was to be tried, and is not`);
      return accepted(tried);
    });
  }

  /** Returns whether there was a try to cancel. */
  async cancel(request: EntryCommand): Promise<Outcome<boolean>> {
    const { directory, runtime } = this.#context;
    const { pr, actor, via } = request;
    const found = await directory.find(request);
    if (!found.ok) return found;
    const { events } = await runtime.dispatch(found.value.id, { type: "cancel_try", pr, actor, via });
    return accepted(events.some(({ data }) => data.type === "try_ended" && data.pr === pr));
  }
}
