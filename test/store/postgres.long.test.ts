import { describe } from "@jest/globals";
import { storeContract } from "../contract/store.contract.ts";
import { createPostgresDatabase } from "../postgres/postgres-database.ts";

describe("PostgreSQL", () => {
  storeContract(createPostgresDatabase);
});
