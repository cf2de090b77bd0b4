import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";

/** The maximum number of successive renames of one test to follow. */
const mostFollowed = 5;

/**
 * The numbers of tests under earlier names that no stable branch reports any more. Tests without such names
 * are left out.
 */
export async function formerNumbers(
  db: Database | Tx,
  sks: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  return await follow(db, sks, { by: "to_sk", next: "from_sk" });
}

/** The number of a test and those under its earlier names. */
export async function allNumbers(db: Database, sk: number): Promise<readonly number[]> {
  return [sk, ...((await formerNumbers(db, [sk])).get(sk) ?? [])];
}

/** The numbers of tests under newer names, the newest name last. Tests without such names are left out. */
export async function newerNumbers(
  db: Database,
  sks: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  return await follow(db, sks, { by: "from_sk", next: "to_sk" });
}

interface Direction {
  readonly by: "from_sk" | "to_sk";
  readonly next: "from_sk" | "to_sk";
}

async function follow(
  db: Database | Tx,
  sks: readonly number[],
  { by, next }: Direction,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, readonly number[]>();
  /** The numbers that were found last, and the tests that they belong to. */
  let last = new Map(sks.map((sk) => [sk, sk]));
  for (let followed = 0; followed < mostFollowed && last.size > 0; followed += 1) {
    const reached = new Map<number, number>();
    for (const chunk of inChunks([...last.keys()])) {
      const rows = await db
        .selectFrom("test_renames")
        .select([`${by} as one`, `${next} as other`])
        .where(by, "in", chunk)
        .where("is_retired", "=", 1)
        .orderBy("at")
        .execute();
      for (const { one, other } of rows) {
        const sk = last.get(one) ?? one;
        const numbers = found.get(sk) ?? [];
        if (other === sk || numbers.includes(other)) continue;
        found.set(sk, [...numbers, other]);
        reached.set(other, sk);
      }
    }
    last = reached;
  }
  return found;
}

/** The earlier name of a test; null when none is known. */
export async function formerName(db: Database, sk: number): Promise<string | null> {
  const rename = await db
    .selectFrom("test_renames")
    .select("from_name")
    .where("to_sk", "=", sk)
    .executeTakeFirst();
  return rename?.from_name ?? null;
}
