import { DatabaseSync } from "node:sqlite";

/**
 * Calls `around` whenever SQLite runs a statement with exactly this text that was prepared after this call, until the returned
 * function is called.
 *
 * @param around gets the function that runs the statement, and returns its result
 */
export function wrapStatement<Result>(text: string, around: (run: () => unknown) => Result): () => void {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (statementText, options) {
    const statement = prepare.call(this, statementText, options);
    if (statementText === text) {
      const run = statement.run.bind(statement);
      statement.run = () => around(run) as ReturnType<typeof run>;
    }
    return statement;
  };
  return () => {
    DatabaseSync.prototype.prepare = prepare;
  };
}
