import { DatabaseSync } from "node:sqlite";

const sqliteFull = 13;

/**
 * Lets transactions of the service fail to begin, as on a full disk, until the returned function is called.
 *
 * @param fails whether the next one does
 */
export function failTransactions(fails: () => boolean): () => void {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql, options) {
    const statement = prepare.call(this, sql, options);
    if (sql !== "begin immediate") return statement;
    const begin = statement.run.bind(statement);
    statement.run = () => {
      if (fails()) throw Object.assign(new Error("database or disk is full"), { errcode: sqliteFull });
      return begin();
    };
    return statement;
  };
  return () => {
    DatabaseSync.prototype.prepare = prepare;
  };
}
