/**
 * The floor of `submit-postgres`, in a separate process: a bare Fastify, which writes one row with the body for each request, and
 * answers once it is on disk. Rows that arrive together share a statement, and so a transaction.
 */
import { Client } from "pg";
import { type Submission, serveFloor } from "./serve-floor.ts";

const client = new Client({ connectionString: process.argv[2] ?? "" });
await client.connect();
await client.query("create table submissions (id bigint generated always as identity, pr bigint, body text)");

let waiting: { readonly body: Submission; readonly answer: () => void }[] = [];
let isWriting = false;

function write(body: Submission): Promise<void> {
  return new Promise((answer) => {
    waiting.push({ body, answer });
    if (!isWriting) void writeAll();
  });
}

async function writeAll(): Promise<void> {
  isWriting = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await client.query("insert into submissions (pr, body) select * from unnest($1::bigint[], $2::text[])", [
      group.map(({ body }) => body.pr.number),
      group.map(({ body }) => JSON.stringify(body)),
    ]);
    for (const { answer } of group) answer();
  }
  isWriting = false;
}

await serveFloor(write);
