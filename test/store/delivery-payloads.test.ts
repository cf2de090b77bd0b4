import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { buildDelivery } from "../contract/build-delivery.ts";
import { buildClaim } from "../contract/build-task.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

describe("the payload of a delivery", () => {
  let file: SqliteFile;
  beforeEach(async () => {
    file = await createSqliteFile();
  });
  afterEach(() => file.remove());

  function storedDelivery() {
    const database = new DatabaseSync(file.path);
    const row = database.prepare("select state, payload, error from deliveries").get();
    database.close();
    return row;
  }

  it("is deleted when the delivery was handled", async () => {
    const { inbox, close } = await file.open();
    await inbox.add(buildDelivery("guid-1"));
    for (const row of await inbox.claim(buildClaim(100))) await inbox.settle(row);
    expect(storedDelivery()).toEqual({ state: "handled", payload: null, error: null });
    await close();
  });

  it("is kept with the error when the delivery was parked", async () => {
    const { inbox, close } = await file.open();
    await inbox.add(buildDelivery("guid-1"));
    for (const row of await inbox.claim(buildClaim(100)))
      await inbox.park(row, { code: "PAYLOAD_UNREADABLE", error: "cannot be read", at: 200 });
    const { payload } = buildDelivery("guid-1");
    expect(storedDelivery()).toEqual({ state: "parked", payload, error: "cannot be read" });
    await close();
  });
});
