import { createHmac, timingSafeEqual } from "node:crypto";
import { nameKey } from "../../engine/model/names.ts";
import type { Place } from "../store/reads/stored-test-reads.ts";

/** The requested page, relative to a row of another page. */
export type Turn =
  | { readonly kind: "after" | "before"; readonly place: Place }
  | { readonly kind: "first" | "last" };

/** The scope in which a token is valid. All of it identifies the list. */
export interface PageScope {
  /** The list and its filters. */
  readonly list: readonly (string | number)[];
  readonly organisation: string;
  /** `host/owner/name`. */
  readonly repository: string;
  readonly pageSize: number;
}

const version = 1;
const kinds = ["first", "after", "before", "last"] as const;
const payloadBytes = 20;
const macBytes = 28;
/** 48 bytes need no padding in base64, so each token has exactly one spelling. */
const form = /^[\w-]{64}$/;

/**
 * Encodes where a page begins, in 64 characters: version (1 byte), kind (1), page size (2), time (8), key
 * (8), and 28 bytes of the HMAC-SHA256 of these and the scope. A token cannot be forged or used for another
 * list.
 */
export function renderPageToken(turn: Turn, scope: PageScope, key: Uint8Array): string {
  const payload = Buffer.alloc(payloadBytes);
  const place = "place" in turn ? turn.place : { at: 0, key: 0 };
  payload.writeUInt8(version, 0);
  payload.writeUInt8(kinds.indexOf(turn.kind), 1);
  payload.writeUInt16BE(scope.pageSize, 2);
  payload.writeBigInt64BE(BigInt(place.at), 4);
  payload.writeBigInt64BE(BigInt(place.key), 12);
  return Buffer.concat([payload, macOf(payload, scope, key)]).toString("base64url");
}

/** Null when this service did not issue the token for this list. */
export function parsePageToken(token: string, scope: PageScope, key: Uint8Array): Turn | null {
  if (!form.test(token)) return null;
  const bytes = Buffer.from(token, "base64url");
  const payload = bytes.subarray(0, payloadBytes);
  if (!timingSafeEqual(bytes.subarray(payloadBytes), macOf(payload, scope, key))) return null;
  const kind = kinds[payload.readUInt8(1)];
  if (payload.readUInt8(0) !== version || kind === undefined) return null;
  if (kind === "first" || kind === "last") return { kind };
  const place = { at: Number(payload.readBigInt64BE(4)), key: Number(payload.readBigInt64BE(12)) };
  return { kind, place };
}

function macOf(payload: Uint8Array, scope: PageScope, key: Uint8Array): Buffer {
  const { list, organisation, repository, pageSize } = scope;
  const named = JSON.stringify([list, nameKey(organisation), nameKey(repository), pageSize]);
  return createHmac("sha256", key).update(payload).update(named).digest().subarray(0, macBytes);
}
