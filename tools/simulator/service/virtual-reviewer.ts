import type { Objection } from "../../../src/engine/reasons/objection.ts";
import type { PlannedObjection } from "./service-plan.ts";
import type { AuthorParts } from "./virtual-author.ts";

/** Objects to a pull request for a while, if it is open. */
export async function review(planned: PlannedObjection, parts: AuthorParts): Promise<void> {
  const { time, model } = parts;
  const { pr, code, at, ms } = planned;
  await time.pause(at);
  if (model.pullRequest(pr).state !== "open") return;
  setObjections(pr, [objectionOf(code)], parts);
  await time.pause(ms);
  setObjections(pr, [], parts);
}

function setObjections(
  pr: number,
  objections: readonly Objection[],
  { model, host, webhooks }: AuthorParts,
): void {
  model.change(pr, { objections });
  host.touch(pr);
  webhooks.reviewed(host.facts(pr), host.labels.of(pr));
}

function objectionOf(code: PlannedObjection["code"]): Objection {
  switch (code) {
    case "CHANGES_REQUESTED":
      return { code, by: ["bob"] };
    case "REVIEW_REQUIRED":
      return { code };
    case "CONVERSATIONS_OPEN":
      return { code, count: 1 };
  }
}
