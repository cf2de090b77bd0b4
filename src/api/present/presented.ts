import { accepted, type Outcome } from "../../service/runtime/outcome.ts";

/** Converts an accepted value to its form on the wire. Returns a refusal as it is. */
export function presented<View, Answer>(
  outcome: Outcome<View>,
  present: (view: View) => Answer,
): Outcome<Answer> {
  return outcome.ok ? accepted(present(outcome.value)) : outcome;
}
