const sqliteBusy = 5;

/**
 * Whether SQLite could not get a lock. The low byte is the primary code; SQLITE_BUSY has three extended
 * codes.
 */
export function isBusy(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return false;
  return (Number(error.errcode) & 0xff) === sqliteBusy;
}
