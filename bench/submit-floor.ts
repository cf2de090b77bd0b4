/** The floor of `submit`, in a process of its own: parse the JSON body, write it durably, answer it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2] ?? "");
database.exec("pragma journal_mode = wal; pragma synchronous = full");
database.exec("create table submissions (id integer primary key, pr integer, body text)");
const insert = database.prepare("insert into submissions (pr, body) values (?, ?)");

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  insert.run(body.pr.number, JSON.stringify(body));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
});
// A run of the other side may take longer than the five seconds after which node would hang up.
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
process.once("SIGTERM", () => process.exit());
