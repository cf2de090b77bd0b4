import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { parseDocumented } from "./documented.ts";
import { Trainyard } from "./run-trainyard.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-token-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function token(...args: string[]) {
  return new Trainyard(["token", ...args], { DATABASE_URL: "sqlite:test.db" }, directory).finished;
}

test("a token can be created, listed without its secret, and revoked by its id or its full text", async () => {
  const created = await token(
    "create",
    "--organisation",
    "Acme",
    "--name",
    "CI",
    "--scopes",
    "read,submit",
    "--json",
  );
  const { token: text, ...record } = parseDocumented("token create", created.out);
  expect(text).toMatch(/^ty_[0-9a-z]{12}_[\w-]{43}$/);
  expect(record).toMatchObject({ organisation: "acme", name: "CI", scopes: ["read", "submit"] });

  const listed = await token("list");
  expect(listed.out).toMatch(/acme {2}CI {2}read,submit {2}valid\n$/);
  expect(listed.out).not.toContain(text.slice(16));

  const refused = await token("revoke", text);
  expect(refused).toMatchObject({ code: 2, out: "" });
  expect(refused.err).toMatch(
    /^This revokes the token "CI" of acme, never used\. .* add --yes to do it; see --help\n$/,
  );
  expect((await token("list")).out).toContain("  valid");
  const revoked = await token("revoke", text, "--yes");
  expect(revoked).toMatchObject({ code: 0, out: 'The token "CI" is revoked.\n', err: "" });
  const { out: listedAsJson } = await token("list", "--organisation", "ACME", "--json");
  const { revokedAt } = parseDocumented("token list", listedAsJson);
  expect(revokedAt).toBeGreaterThan(0);
  // Nothing is left to do, so nobody is asked.
  const again = await token("revoke", record.id, "--json");
  expect(again).toMatchObject({ code: 0, err: "" });
  expect(parseDocumented("token revoke", again.out)).toMatchObject({ id: record.id, revokedAt });
});

test("a token that the database does not know is a failure, with and without --yes, because it may be valid elsewhere", async () => {
  const database = join(directory, "test.db");
  expect(await token("list")).toMatchObject({
    code: 1,
    err: expect.stringMatching("there is no database at"),
  });
  expect(await readdir(directory)).toEqual([]);
  await (await openStore(`sqlite:${database}`)).close();
  expect(await token("list")).toMatchObject({ code: 0, out: "", err: "There are none.\n" });
  const problem = `There is no token nosuchtoken1 in the database ${database}.`;
  expect(await token("revoke", "nosuchtoken1")).toMatchObject({ code: 1, out: "", err: `${problem}\n` });
  const refused = await token("revoke", "nosuchtoken1", "--yes", "--json");
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(parseDocumented("failure", refused.err)).toMatchObject({ code: "TOKEN_NOT_FOUND", detail: problem });
});

test("the audit log names the operator who created and revoked a token, without its secret", async () => {
  const created = await token("create", "--organisation", "Acme", "--scopes", "admin", "--json");
  const { id, token: text } = JSON.parse(created.out);
  await token("revoke", id, "--yes");
  const store = await openStore(`sqlite:${join(directory, "test.db")}`);
  const anything = { repo: null, action: null, actor: null, since: null, until: null, after: null };
  const entries = await store.audit.list({ organisation: "acme", ...anything, limit: 10 });
  await store.close();
  const { username } = userInfo();
  expect(entries).toMatchObject(
    ["revokeToken", "createToken"].map((action) => ({
      action,
      changes: expect.arrayContaining([
        action === "createToken"
          ? { field: "scopes", from: null, to: ["admin"] }
          : { field: "scopes", from: ["admin"], to: null },
      ]),
      outcome: "done",
      token: id,
      actor: { kind: "operator", id: username },
      via: "cli",
    })),
  );
  expect(JSON.stringify(entries)).not.toContain(text.slice(16));
});

test.each([
  [["create"], /--organisation.* not specified/],
  [["create", "--organisation", "acme", "--scopes", "everything"], /"everything" is not a scope/],
  [["create", "--organisation", "acme", "--expires-in-days", "soon"], /must be a positive number/],
  [["create", "--organisation", "acme", "--expires-in-days", "0"], /must be a positive number/],
  [["create", "--organisation", "acme", "--expires-in-days", "1e400"], /must be a positive number, at most/],
  [["create", "--organisation", "acme/widgets"], /must be an owner's login/],
  [["revoke"], /missing required argument 'id'/],
  [["destroy"], /unknown command 'destroy'/],
  [["create", "--organisation", "acme", "--colour", "red"], /unknown option '--colour'.*--help/],
])("trainyard token %j is rejected with the reason", async (args, problem) => {
  const { code, err, out } = await token(...args);
  expect(code).toBe(2);
  expect(err).toMatch(problem);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(out).toBe("");
});

test("token create names the database that it writes", async () => {
  const { err } = await token("create", "--organisation", "acme");
  expect(err).toContain(`The token was written to the database ${join(directory, "test.db")}.`);
});

test.each(["token create --organisation acme", "webhook list", "replay --queue a/b@c", "backup x.db"])(
  "%s refuses to make a new database if the service's environment is not set",
  async (line) => {
    const args = line.split(" ");
    const { code, out, err } = await new Trainyard(args, {}, directory).finished;
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toMatch(/^DATABASE_URL is not set, and there is no database at .*trainyard\.db\. Run this/);
    expect(await readdir(directory)).toEqual([]);
  },
);
