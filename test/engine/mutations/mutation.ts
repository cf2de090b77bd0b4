import type { Decision } from "../../../src/engine/decision.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";

/** A defect of the engine. The soak must see one of the invariants broken. */
export interface Defect {
  readonly name: string;
  readonly mutations: readonly Mutation[];
  /** The invariants that it may break first. `crash`: the engine may throw before it breaks one. */
  readonly breaks: readonly string[];
  /** The settings under which to hunt for it; absent = any. */
  readonly settings?: Partial<QueueSettings>;
  /** The first seed of the hunt, shortly before the one at which the defect was found. Default 1. */
  readonly from?: number;
}

/** A function of the engine that behaves differently. */
export interface Mutation {
  readonly target: Target;
  /** Returns the implementation that replaces the original one. */
  readonly by: (original: AnyFunction) => AnyFunction;
  /** The mutation applies only to calls that this function makes, also indirectly. Absent = to every call. */
  readonly inside?: Target;
}

/** Any function that is not called here. */
export type AnyFunction = (...args: never[]) => unknown;

/**
 * An exported function of the engine. Or the name of another one: `name` of a function, `Class.method`, or `constant.method`. If several
 * modules have a function of that name, `beside` is an exported function of the same module.
 */
export type Target = AnyFunction | string | { readonly name: string; readonly beside: AnyFunction };

/** Gives a function another implementation. */
export function replace<F extends AnyFunction>(
  target: F | string | { readonly name: string; readonly beside: AnyFunction },
  by: (original: F) => F,
  inside?: Target,
): Mutation {
  const plain = (original: AnyFunction): AnyFunction => by(original as F);
  return { target, by: plain, ...(inside === undefined ? {} : { inside }) };
}

/** Makes a function that returns nothing do nothing. */
export function skip(target: Target, inside?: Target): Mutation {
  return { target, by: () => () => undefined, ...(inside === undefined ? {} : { inside }) };
}

/** Runs a part of a decision under other settings. */
export function underSettings<T>(decision: Decision, settings: Partial<QueueSettings>, act: () => T): T {
  const before = decision.state.settings;
  decision.state = { ...decision.state, settings: { ...before, ...settings } };
  const result = act();
  decision.state = { ...decision.state, settings: before };
  return result;
}
