import type { Delivery } from "../../src/store/leased/inbox.ts";

export function buildDelivery(id: string, given: Partial<Delivery> = {}): Delivery {
  return {
    id,
    event: "issue_comment",
    action: "created",
    subject: null,
    stream: "github.com/octo-org/train",
    payload: '{"comment":{"body":"/merge 🚂"}}',
    receivedAt: 100,
    ...given,
  };
}
