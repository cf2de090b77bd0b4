import { accepted, type Outcome } from "../service/outcome.ts";

/** What was accepted, in the shape of the wire; a refusal as it is. */
export function presented<View, Answer>(
  outcome: Outcome<View>,
  present: (view: View) => Answer,
): Outcome<Answer> {
  return outcome.ok ? accepted(present(outcome.value)) : outcome;
}
