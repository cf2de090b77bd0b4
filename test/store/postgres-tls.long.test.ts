import { execFileSync } from "node:child_process";
import { chownSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { LocalPostgres, serverUser } from "../../tools/lab/postgres.ts";

/** The certificate of the server is for 127.0.0.1 only, and signed by an authority of our own. */
describe("a PostgreSQL server with TLS", () => {
  let directory: string;
  let server: LocalPostgres;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "trainyard-tls-"));
    sign(directory);
    server = await LocalPostgres.create(directory, {
      ...{ ssl: "on", ssl_cert_file: join(directory, "server.crt") },
      ssl_key_file: join(directory, "server.key"),
    });
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  async function connect(query: string, host = "127.0.0.1"): Promise<unknown> {
    const url = server.url.replace("127.0.0.1", host);
    const store = await openPostgresStore(`${url}/postgres?${query}`);
    const fault = await store.ready();
    await store.close();
    return fault;
  }
  const root = () => `sslrootcert=${join(directory, "root.crt")}`;

  it.each(["require", "verify-ca", "verify-full"])("is used with sslmode=%s", async (mode) => {
    expect(await connect(`sslmode=${mode}&${root()}`)).toBeNull();
  });

  it("is used with any name by verify-ca, and only with the name of its certificate by verify-full", async () => {
    expect(await connect(`sslmode=verify-ca&${root()}`, "localhost")).toBeNull();
    await expect(connect(`sslmode=verify-full&${root()}`, "localhost")).rejects.toThrow(
      /cannot be used: Hostname\/IP does not match .* Connect by a name of its certificate, or use sslmode=verify-ca/,
    );
  });

  it.each(["verify-ca", "verify-full"])("is refused by %s without its authority", async (mode) => {
    await expect(connect(`sslmode=${mode}`)).rejects.toThrow(
      /its certificate is not trusted \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\); set sslrootcert/,
    );
  });
});

function sign(directory: string): void {
  const openssl = (...given: string[]) => execFileSync("openssl", given, { cwd: directory, stdio: "pipe" });
  const key = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", `${name}.key`];
  openssl("req", "-x509", ...key("root"), "-out", "root.crt", "-days", "2", "-subj", "/CN=Test authority");
  openssl("req", ...key("server"), "-out", "server.csr", "-subj", "/CN=server");
  writeFileSync(join(directory, "names"), "subjectAltName=IP:127.0.0.1");
  const signer = ["-CA", "root.crt", "-CAkey", "root.key", "-CAcreateserial"];
  openssl(
    "x509",
    "-req",
    "-in",
    "server.csr",
    ...signer,
    "-out",
    "server.crt",
    "-days",
    "2",
    "-extfile",
    "names",
  );
  // PostgreSQL reads only keys of its own user.
  if (serverUser) chownSync(join(directory, "server.key"), serverUser.uid, serverUser.gid);
}
