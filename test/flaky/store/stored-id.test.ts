import { expect, test } from "@jest/globals";
import { idOf, storedId } from "../../../src/flaky/store/identities/test-ids.ts";

const uuid = "0b0c0d0e-aaaa-5bbb-8ccc-0123456789ab";

test("a UUID in lower case is stored in 16 bytes", () => {
  expect(storedId(uuid)).toHaveLength(16);
});

test.each([
  uuid,
  uuid.toUpperCase(),
  uuid.replaceAll("-", ""),
  ` ${uuid}`,
  `${uuid}\n`,
  "",
  "given by hand",
  "fifteen letters",
])("the id %j is restored unchanged", (id) => {
  expect(idOf(storedId(id))).toBe(id);
});
