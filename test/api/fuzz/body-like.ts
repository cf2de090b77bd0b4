import fc from "../../drawn.ts";
import type { Schema } from "../documented.ts";
import { oddValue } from "./odd-values.ts";

/**
 * Generators for certain fields, so that requests are about existing things. Other fields are generated from
 * their schema.
 */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Generates mostly values that the schema allows, and now and then another value or none. */
export function bodyLike(schema: Schema, known: Known): fc.Arbitrary<unknown> {
  return mostly(valueLike(schema, known, ""));
}

function mostly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: oddValue });
}

function valueLike(schema: Schema, known: Known, path: string): fc.Arbitrary<unknown> {
  const named = known[path];
  if (named) return named;
  const {
    anyOf,
    enum: words,
    type,
    items,
  } = schema as {
    readonly anyOf?: readonly Schema[];
    readonly enum?: readonly string[];
    readonly type?: string | readonly string[];
    readonly items?: Schema;
  };
  if (anyOf) return fc.oneof(...anyOf.map((one) => valueLike(one, known, path)));
  if (words) return fc.constantFrom(...words, ...words.map((word) => word.toUpperCase()));
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => valueLike({ ...schema, type: one }, known, path)));
  switch (type) {
    case "object":
      return objectLike(schema, known, path);
    case "array":
      return fc.array(mostly(valueLike(items ?? {}, known, path)), { maxLength: 5 });
    case "integer":
    case "number":
      return numberLike(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.string({ maxLength: 20 });
  }
}

function objectLike(schema: Schema, known: Known, path: string): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [
      name,
      mostly(valueLike(one, known, path ? `${path}.${name}` : name)),
    ]),
  );
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const like = fc
    .subarray(optional, { maxLength: Math.min(3, optional.length) })
    .chain((some) => fc.record(pick(fields, [...required, ...some])));
  const names = fc.oneof(fc.constantFrom("__proto__", "toString", "concurency"), fc.string());
  const more = fc.dictionary(names, oddValue, { maxKeys: 2 });
  return fc.oneof(
    { weight: 20, arbitrary: like },
    { weight: 1, arbitrary: fc.tuple(like, more).map(([some, others]) => ({ ...some, ...others })) },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
  );
}

function pick<Value>(
  fields: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

function numberLike(schema: Schema): fc.Arbitrary<number> {
  const {
    minimum: least = -2,
    maximum: most = 300,
    type,
  } = schema as {
    readonly type?: string;
    readonly minimum?: number;
    readonly maximum?: number;
  };
  const range = { min: Math.max(least, -1_000), max: Math.min(most, 300) };
  const usual = type === "integer" ? fc.integer(range) : fc.double({ ...range, noNaN: true });
  return fc.oneof(
    { weight: 12, arbitrary: usual },
    { weight: 6, arbitrary: fc.constantFrom(least, most) },
    { weight: 1, arbitrary: fc.constantFrom(least - 1, most + 1) },
  );
}
