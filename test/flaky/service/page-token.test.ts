import { describe, expect, test } from "@jest/globals";
import {
  type PageScope,
  type PageStart,
  parsePageToken,
  renderPageToken,
} from "../../../src/flaky/service/read-page.ts";

import fc from "../../drawn.ts";

const key = new Uint8Array(32).fill(7);
const scope: PageScope = {
  list: ["quarantined"],
  organisation: "acme",
  repository: "github.com/acme/widgets",
  pageSize: 20,
};
const turn: PageStart = { kind: "after", place: { at: 1_769_860_800_123, key: 4_711 } };

const place = fc.record({ at: fc.nat({ max: 8.64e15 }), key: fc.nat({ max: Number.MAX_SAFE_INTEGER }) });
const turns: fc.Arbitrary<PageStart> = fc.oneof(
  fc.record({ kind: fc.constantFrom("after" as const, "before" as const), place }),
  fc.record({ kind: fc.constantFrom("first" as const, "last" as const) }),
);

describe("the token of a page", () => {
  test("has 64 characters that need no escaping, and can be parsed again", () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 100 }), (one, pageSize) => {
        const token = renderPageToken(one, { ...scope, pageSize }, key);
        expect(token).toMatch(/^[\w-]{64}$/);
        expect(parsePageToken(token, { ...scope, pageSize }, key)).toEqual(one);
      }),
    );
  });

  test("is refused with any character changed, added or left out", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const token = renderPageToken(turn, scope, key);
    const accepted: string[] = [];
    const attempt = (text: string) => {
      if (text !== token && parsePageToken(text, scope, key) !== null) accepted.push(text);
    };
    for (let at = 0; at < token.length; at++) {
      const [before, after] = [token.slice(0, at), token.slice(at + 1)];
      for (const other of [...alphabet, "", "=", "+", "/", " ", "ä", "\0"]) attempt(before + other + after);
      attempt(`${before}A${token.slice(at)}`);
    }
    for (const text of ["", `${token}=`, `${token}A`, ` ${token}`, `${token}\n`, token.toUpperCase()])
      attempt(text);
    expect(accepted).toEqual([]);
  });

  test("is refused with any byte changed", () => {
    const bytes = Buffer.from(renderPageToken(turn, scope, key), "base64url");
    expect(bytes).toHaveLength(48);
    for (let at = 0; at < bytes.length; at++) {
      for (let flip = 1; flip < 256; flip++) {
        const altered = Buffer.from(bytes);
        altered.writeUInt8(bytes.readUInt8(at) ^ flip, at);
        expect(parsePageToken(altered.toString("base64url"), scope, key)).toBeNull();
      }
    }
  });

  test.each<[string, Partial<PageScope>]>([
    ["organisation", { organisation: "evil" }],
    ["repository", { repository: "github.com/acme/gadgets" }],
    ["page size", { pageSize: 21 }],
    ["list", { list: ["unhealthy"] }],
    ["window of the list", { list: ["quarantined", 1] }],
  ])("is refused for another %s", (_what, other) => {
    expect(parsePageToken(renderPageToken(turn, scope, key), { ...scope, ...other }, key)).toBeNull();
  });

  test("is refused by a service with another key, and accepted for names in another case", () => {
    const token = renderPageToken(turn, scope, key);
    expect(parsePageToken(token, scope, new Uint8Array(32))).toBeNull();
    expect(
      parsePageToken(token, { ...scope, organisation: "Acme", repository: "GitHub.com/Acme/Widgets" }, key),
    ).toEqual(turn);
  });
});
