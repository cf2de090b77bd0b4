import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { GivenUpDelivery, Inbox } from "../../store/leased/inbox.ts";

/** The given-up deliveries of a repository, for people. */
export class GivenUpDeliveries {
  readonly #inbox: Pick<Inbox, "givenUp">;

  constructor(inbox: Pick<Inbox, "givenUp">) {
    this.#inbox = inbox;
  }

  /** Newest first. */
  async ofRepository({ owner, name }: RepositoryRef, limit: number): Promise<readonly GivenUpDelivery[]> {
    return await this.#inbox.givenUp(nameKey(`${owner}/${name}`), limit);
  }
}
