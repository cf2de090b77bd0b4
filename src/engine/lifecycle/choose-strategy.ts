import type { Decision } from "../decision.ts";
import { strategyFor } from "../model/strategy.ts";

/** Changes the strategy if the settings require another one, and no test or merge of the present one is in progress. */
export function chooseStrategy(decision: Decision): void {
  const { state } = decision;
  const strategy = strategyFor(state.settings);
  const isIdle = state.line.length + state.runs.size === 0 && state.merge === null;
  if (strategy !== state.strategy && isIdle) decision.record({ type: "strategy_chosen", strategy });
}
