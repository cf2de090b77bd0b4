/**
 * The floor of `submit`, in a separate process: a bare Fastify, which writes one row with the body for each request, and
 * answers once it is on disk. Rows that arrive together share a transaction, as in `src/store/sqlite/group-commit.ts`.
 */
import { DatabaseSync } from "node:sqlite";
import { type Submission, serveFloor } from "./serve-floor.ts";

const database = new DatabaseSync(process.argv[2] ?? "");
database.exec("pragma journal_mode = wal; pragma synchronous = full");
database.exec("create table submissions (id integer primary key, pr integer, body text)");
const insert = database.prepare("insert into submissions (pr, body) values (?, ?)");

let waiting: { readonly body: Submission; readonly answer: () => void }[] = [];

function write(body: Submission): Promise<void> {
  return new Promise((answer) => {
    if (waiting.push({ body, answer }) === 1) setImmediate(flush);
  });
}

function flush(): void {
  const group = waiting;
  waiting = [];
  database.exec("begin immediate");
  for (const { body } of group) insert.run(body.pr.number, JSON.stringify(body));
  database.exec("commit");
  for (const { answer } of group) answer();
}

await serveFloor(write);
