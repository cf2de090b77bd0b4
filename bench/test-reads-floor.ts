/** The floor of `test-reads`, in a separate process: one prepared statement per request, on the same database, as JSON. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { storedId } from "../src/flaky/store/identities/test-ids.ts";

const db = new DatabaseSync(process.argv[2] ?? "", { readOnly: true });
const one = db.prepare(
  "select * from test_cases where sk = (select test_sk from test_ids where repo_id = 1 and id = ?)",
);
const many = db.prepare(
  "select * from test_cases where repo_id = 1 and quarantined = 1 order by quarantined_at desc, sk desc limit ?",
);

const server = createServer(async (request, response) => {
  const { test_id: id, page_query: page } = JSON.parse(await text(request)) as {
    test_id?: string;
    page_query?: { page_size: number };
  };
  response.end(JSON.stringify(id === undefined ? many.all(page?.page_size ?? 1) : one.get(storedId(id))));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
process.once("SIGTERM", () => process.exit());
