import { tmpdir } from "node:os";
import { afterEach, expect, test } from "@jest/globals";
import { Trainyard } from "../cli/run-trainyard.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage?.close());

test("on PostgreSQL, a comment gets a pull request tested and merged", async () => {
  stage = await Stage.open({ queue: {}, databaseUrl: await anotherDatabase() });
  const pr = await stage.openPullRequest("good");
  await stage.comment(pr, "/trainyard merge");
  const entry = await stage.until(pr, "merged");
  await stage.untilCommented(pr, /\*\*Merged\*\* into `main`/);
  await stage.untilChecked(entry.prSha, "success");
});

test("tokens can be created and listed on PostgreSQL", async () => {
  const variables = { DATABASE_URL: await anotherDatabase("template0") };
  const create = ["token", "create", "--organisation", "acme", "--name", "CI", "--json"];
  const created = await new Trainyard(create, variables, tmpdir()).finished;
  expect(created).toMatchObject({ code: 0, err: "The token was written to the database PostgreSQL.\n" });
  const listed = await new Trainyard(["token", "list"], variables, tmpdir()).finished;
  expect(listed.out).toMatch(/acme +CI +read,submit +valid/);
});
