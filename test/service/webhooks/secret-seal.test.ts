import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { SecretSeal } from "../../../src/service/access/secret-seal.ts";

const [key, next] = [randomBytes(32), randomBytes(32)];
const seal = new SecretSeal([key]);

test("a sealed secret is opened by its key only for its owner, and does not show its content", () => {
  const sealed = seal.seal("whsec_secret", "wh_1");
  expect(sealed).not.toContain("secret");
  expect(seal.open(sealed, "wh_1")).toBe("whsec_secret");
  expect(seal.seal("whsec_secret", "wh_1")).not.toBe(sealed);
  expect(() => seal.open(sealed, "wh_2")).toThrow();
});

test("a sealed secret can still be opened with the previous key after a key change, and the new key seals", () => {
  const old = seal.seal("whsec_secret", "wh_1");
  const both = new SecretSeal([next, key]);
  expect(both.open(old, "wh_1")).toBe("whsec_secret");
  const fresh = both.seal("whsec_secret", "wh_1");
  expect(new SecretSeal([next]).open(fresh, "wh_1")).toBe("whsec_secret");
  expect(() => seal.open(fresh, "wh_1")).toThrow("set TRAINYARD_ENCRYPTION_KEY");
});

test("a sealed secret is not opened when it was changed, cut off or made up", () => {
  const sealed = seal.seal("whsec_secret", "wh_1");
  const last = sealed.at(-2) === "A" ? "B" : "A";
  for (const bad of [`${sealed.slice(0, -2)}${last}${sealed.at(-1)}`, sealed.slice(0, -30), "v2.x.y", ""])
    expect(() => seal.open(bad, "wh_1")).toThrow();
});

test("a secret cannot be sealed without a key", () => {
  const none = new SecretSeal([]);
  expect(none.canSeal).toBe(false);
  expect(() => none.seal("whsec_secret", "wh_1")).toThrow("set TRAINYARD_ENCRYPTION_KEY");
});
