import { describe } from "@jest/globals";
import { storeContract } from "../contract/store.contract.ts";
import { createSqliteFile } from "./sqlite-file.ts";

describe("SQLite", () => {
  storeContract(createSqliteFile);
});
