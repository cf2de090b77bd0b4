import { describe, expect, it, test } from "@jest/globals";
import {
  findRenames,
  groupCandidates,
  type RenameCandidate,
} from "../../../src/flaky/renames/find-renames.ts";
import fc from "../../drawn.ts";

let numbers = 0;
const candidate = (name: string, more: Partial<RenameCandidate> = {}): RenameCandidate => {
  numbers += 1;
  return { sk: numbers, name, parent: "cart", classname: null, file: "cart.test.ts", variant: "", ...more };
};

function renamesOf(gone: readonly RenameCandidate[], added: readonly RenameCandidate[]) {
  return groupCandidates(gone, added)
    .flatMap(findRenames)
    .map(({ from, to }) => [from.name, to.name]);
}

function isRename(before: string, after: string): boolean {
  return renamesOf([candidate(before)], [candidate(after)]).length === 1;
}

describe("a removed test and a new test are the same test", () => {
  test.each([
    ["recieves the order", "receives the order"],
    ["adds an item", "adds an item to cart"],
    ["adds two numbers", "adds two whole numbers"],
    ["test_parses_header", "testParsesHeader"],
    ["shows an error when the card has expired", "displays an error when the card has expired"],
    ["does not save", "doesn't save"],
    ["limits to 100 items", "limits the list to 100 items"],
    ["test_opens[chromium-1]", "test_opens_page[chromium-1]"],
    ["speichert die größte Straße", "speichert eine größte Straße"],
  ])("if the name changed from %j to %j", (before, after) => {
    expect([isRename(before, after), isRename(after, before)]).toEqual([true, true]);
  });

  it("if the suite was renamed", () => {
    const gone = ["adds an item", "saves"].map((name) => candidate(name, { parent: "shopping cart" }));
    const added = ["saves", "adds an item"].map((name) => candidate(name, { parent: "the shopping cart" }));
    expect(renamesOf(gone, added)).toEqual([
      ["adds an item", "adds an item"],
      ["saves", "saves"],
    ]);
  });

  it("if the names are very similar when the report names no file and repeats the name as the class", () => {
    const of = (name: string) => candidate(name, { file: null, classname: `cart ${name}` });
    expect(renamesOf([of("adds an item")], [of("adds one more item")])).toEqual([]);
    expect(renamesOf([of("adds an item")], [of("adds an item to it")])).toHaveLength(1);
  });
});

describe("a removed test and a new test are different tests", () => {
  test.each([
    ["test1", "test2"],
    ["with 2 args", "with 3 args"],
    ["accepts one argument", "accepts two arguments"],
    ["answers 404 for a missing page", "answers 410 for a missing page"],
    ["case a", "case b"],
    ["saves the cart", "saves the cart (2)"],
    ["saves a cart", "never saves a cart"],
    ["saves the cart with a lock", "saves the cart without a lock"],
    ["doesThrowWhenEmpty", "doesntThrowWhenEmpty"],
    ["is empty at the start", "isn't empty at the start"],
    ["accepts a valid address", "accepts an invalid address"],
    ["returns true for a member", "returns false for a member"],
    ["can be enabled by a flag", "can be disabled by a flag"],
    ["opens[chromium]", "opens[firefox]"],
    ["opens", "opens [chromium]"],
    ["evaluates a < b", "evaluates a > b"],
    ["getUser", "setUser"],
    ["saves the cart", "removes an order from the list"],
    ["", "saves"],
  ])("if the name changed from %j to %j", (before, after) => {
    expect([isRename(before, after), isRename(after, before)]).toEqual([false, false]);
  });

  test.each<[what: string, more: Partial<RenameCandidate>]>([
    ["in another file", { file: "order.test.ts" }],
    ["in another variant", { variant: "windows" }],
    ["in another suite", { parent: "orders of a customer" }],
    ["without a suite", { parent: null }],
  ])("if the new one is %s", (_what, more) => {
    expect(renamesOf([candidate("adds an item")], [candidate("adds an item", more)])).toEqual([]);
  });

  it("if another new test matches nearly as well", () => {
    const gone = [candidate("adds an item to the cart")];
    const added = ["adds an item to a cart", "adds an item to this cart"].map((name) => candidate(name));
    expect(renamesOf(gone, added)).toEqual([]);
  });

  it("if another removed test matches nearly as well", () => {
    const gone = ["adds an item to a cart", "adds an item to this cart"].map((name) => candidate(name));
    expect(renamesOf(gone, [candidate("adds an item to the cart")])).toEqual([]);
  });

  it("if a group has more than 2,500 pairs", () => {
    const of = (name: string) => candidate(name);
    const others = Array.from({ length: 50 }, (_, at) => of(`${at} other`));
    expect(renamesOf([of("adds an item"), ...others], [of("adds an item too")])).toHaveLength(1);
    expect(renamesOf([of("adds an item"), ...others], [of("adds an item too"), ...others])).toEqual([]);
  });
});

const word = fc.constantFrom(
  "adds",
  "an",
  "item",
  "removes",
  "the",
  "cart",
  "empty",
  "twice",
  "1",
  "2",
  "not",
);
const name = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
const names = fc.uniqueArray(name, { maxLength: 8 });

it("the rename search finds the same renames in any order of the tests, and each test in at most one rename", () => {
  fc.assert(
    fc.property(names, names, (before, after) => {
      const [gone, added] = [before.map((one) => candidate(one)), after.map((one) => candidate(one))];
      const found = renamesOf(gone, added);
      expect(renamesOf(gone.toReversed(), added.toReversed()).toSorted()).toEqual(found.toSorted());
      expect(new Set(found.map(([from]) => from)).size).toBe(found.length);
      expect(new Set(found.map(([, to]) => to)).size).toBe(found.length);
    }),
  );
});

it("the rename search never matches names that differ only in their numbers", () => {
  const number = fc.nat(999).map(String);
  fc.assert(
    fc.property(name, number, number, name, (begin, one, other, end) => {
      fc.pre(one !== other);
      expect(isRename(`${begin} ${one} ${end}`, `${begin} ${other} ${end}`)).toBe(false);
      expect(isRename(`${begin}${one}`, `${begin}${other}`)).toBe(false);
    }),
  );
});

it("the rename search finds a rename in both directions", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      expect(isRename(before, after)).toBe(isRename(after, before));
    }),
  );
});
