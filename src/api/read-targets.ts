import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { CountedTargets, fnv, secondHash } from "../engine/model/targets.ts";
import { structureFault } from "./json-structure.ts";
import { NameReader } from "./name-reader.ts";
import { FirstNames, NamedTargets } from "./named-targets.ts";

const field = "impactedTargets";
const key = Buffer.from(JSON.stringify(field));
/** Stands for the list while the rest is parsed. Nobody can know it, and so send it. */
const placeholder = randomUUID();
/** Of a name in a list, with what is around it: most are longer. */
const usualBytes = 32;
/** More than anybody has to say before the list. */
const mostBefore = 16 * 1024;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const open = 0x5b;
const close = 0x5d;

/**
 * Parses a body as JSON, but for a list of targets in it, of which it makes what the service wants of them. A list of 20 MiB
 * takes as long as `JSON.parse` does alone, and a fraction of the memory, since strings are made of the first names only.
 *
 * Null when there is no such list, or something about it is unusual: then parse the body as any other, which also finds what
 * is wrong with it.
 */
export function parseAroundTargets(body: Buffer): unknown {
  const from = startOfList(body);
  const list = from === null || !isUtf8(body) ? null : readList(body, from);
  if (from === null || list === null) return null;
  if (structureFault(body.subarray(0, from)) || structureFault(body.subarray(list.end))) return null;
  const rest = `${body.toString("utf8", 0, from)}"${placeholder}"${body.toString("utf8", list.end)}`;
  const parsed = parseJson(rest);
  // Otherwise it was the list of something else, or another field of the same name follows.
  if (!isAround(parsed)) return null;
  parsed[field] = list.targets;
  return parsed;
}

/** What a body whose list of targets may not have come yet says before it, parsed as JSON; undefined when that is unusual. */
export function parseBeforeTargets(beginning: Buffer): unknown {
  const from = startOfList(beginning);
  return from === null || from > mostBefore
    ? undefined
    : parseJson(`${beginning.toString("utf8", 0, from)}null}`);
}

function isAround(parsed: unknown): parsed is { [field]: unknown } {
  return typeof parsed === "object" && parsed !== null && field in parsed && parsed[field] === placeholder;
}

/** Where the list begins, if the first thing of this name is one. */
function startOfList(body: Buffer): number | null {
  const found = body.indexOf(key);
  if (found < 0) return null;
  const at = afterSpace(body, found + key.length);
  if (body[at] !== colon) return null;
  const from = afterSpace(body, at + 1);
  return body[from] === open ? from : null;
}

/** Reads a list of strings; null when it is none, or one that has to be looked at more closely. */
function readList(body: Buffer, from: number): { targets: NamedTargets; end: number } | null {
  const numbers = new GrowingList(Math.ceil((body.length - from) / usualBytes));
  const reader = new NameReader(body, fnv);
  const names = new FirstNames();
  const first = afterSpace(body, from + 1);
  let at = first;
  for (let isFirst = true; body[at] !== close || !isFirst; isFirst = false) {
    if (body[at] !== quote || !reader.read(at)) return null;
    numbers.push(reader.number);
    if (!names.isFull) names.add(JSON.parse(body.toString("utf8", at, reader.at + 1)));
    at = afterSpace(body, reader.at + 1);
    if (body[at] === close) break;
    if (body[at] !== comma) return null;
    at = afterSpace(body, at + 1);
  }
  const counted = CountedTargets.ofNumbers(numbers.content(), secondNumbers(body, first));
  return { targets: new NamedTargets(counted, names.list), end: at + 1 };
}

/**
 * Computes the second hash of names in a list that has been read; `first` is the offset of its first name. Must be called with
 * ascending indices.
 */
function secondNumbers(body: Buffer, first: number): (index: number) => number {
  const reader = new NameReader(body, secondHash);
  let at = first;
  let read = 0;
  return (index) => {
    for (; read <= index; read++) {
      reader.read(at);
      const afterComma = afterSpace(body, reader.at + 1) + 1;
      at = afterSpace(body, afterComma);
    }
    return reader.number;
  };
}

/** Numbers of which it is not known how many they will be. */
class GrowingList {
  #numbers: Uint32Array<ArrayBuffer>;
  #size = 0;

  constructor(expected: number) {
    this.#numbers = new Uint32Array(expected);
  }

  push(number: number): void {
    if (this.#size === this.#numbers.length) {
      // Gives the smaller one back at once, and not when garbage is next collected.
      this.#numbers = new Uint32Array(this.#numbers.buffer.transfer(8 * Math.max(1, this.#size)));
    }
    this.#numbers[this.#size++] = number;
  }

  content(): Uint32Array {
    return this.#numbers.subarray(0, this.#size);
  }
}

/** Where something other than white space is, of that of JSON. */
function afterSpace(body: Buffer, at: number): number {
  let next = at;
  while (body[next] === 0x20 || body[next] === 0x0a || body[next] === 0x0d || body[next] === 0x09) next += 1;
  return next;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
