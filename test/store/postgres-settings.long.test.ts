import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { connectionSettings } from "../../src/store/postgres/connection-settings.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { postgresServer } from "../postgres/postgres-server.ts";

const server = "postgres://me:hunter2@db.example/trainyard";

describe("the TLS options of a PostgreSQL connection", () => {
  let directory: string;
  let root: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "trainyard-tls-"));
    root = join(directory, "root.crt");
    await writeFile(root, "certificate");
  });
  afterAll(() => rm(directory, { recursive: true }));

  const tls = (query: string, environment: Record<string, string> = {}) =>
    connectionSettings(`${server}${query}`, environment).ssl;

  it("are off by default and with sslmode=disable", () => {
    expect(tls("")).toBe(false);
    expect(tls("?sslmode=disable", { PGSSLMODE: "verify-full" })).toBe(false);
  });

  it("encrypt without verification with sslmode=require", () => {
    expect(tls("?sslmode=require")).toEqual({ rejectUnauthorized: false });
    expect(tls("", { PGSSLMODE: "require" })).toEqual({ rejectUnauthorized: false });
  });

  it("verify who signed the certificate with verify-ca, and with require and a root certificate", () => {
    for (const mode of ["verify-ca", "require"]) {
      const options = tls(`?sslmode=${mode}&sslrootcert=${root}`);
      expect(options).toEqual({ ca: "certificate", checkServerIdentity: expect.any(Function) });
    }
  });

  it("verify the host too with verify-full", () => {
    expect(tls("?sslmode=verify-full")).toEqual({});
    expect(tls("?sslrootcert=system", { PGSSLMODE: "verify-full" })).toEqual({});
    const files = { PGSSLROOTCERT: root, PGSSLCERT: root, PGSSLKEY: root };
    const expected = { ca: "certificate", cert: "certificate", key: "certificate" };
    expect(tls("?sslmode=verify-full", files)).toEqual(expected);
  });

  it("are refused for the modes that protect nothing", () => {
    expect(() => tls("?sslmode=prefer")).toThrow(/sslmode prefer is not supported: use disable, require/);
  });

  it("are not passed to the driver a second time", () => {
    const { connectionString } = connectionSettings(`${server}?sslmode=require&application_name=x`, {});
    expect(connectionString).toBe(`${server}?application_name=x`);
  });
});

describe("a PostgreSQL database that cannot be opened", () => {
  it("is reported without its URL, which may contain a password, if that is not a URL", async () => {
    const opened = openPostgresStore("postgres://me:hun/ter2@db:54x/trainyard");
    await expect(opened).rejects.toMatchObject({
      ...{ code: "DATABASE_URL_NOT_VALID", message: expect.stringMatching(/is not a URL: write postgres:/) },
    });
    await expect(opened).rejects.not.toThrow(/ter2/);
  });

  it("is reported with the server's reason if it does not exist", async () => {
    const opened = openPostgresStore(`${await postgresServer()}/nothing`);
    await expect(opened).rejects.toThrow(/cannot be used: database "nothing" does not exist; check/);
  });

  it("is reported if the server does not offer the TLS that was asked for", async () => {
    const opened = openPostgresStore(`${await postgresServer()}/postgres?sslmode=require`);
    await expect(opened).rejects.toThrow(/does not support SSL/);
  });
});
