import { statusOf } from "./code-host-error.ts";

/**
 * Returns the global id of something that we wrote, from its stored id: earlier versions stored numbers. Null: it does not exist
 * any more.
 */
export async function globalIdOf(
  id: string,
  read: (number: number) => Promise<{ data: { node_id: string } }>,
): Promise<string | null> {
  if (!/^\d+$/.test(id)) return id;
  try {
    return (await read(Number(id))).data.node_id;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    return null;
  }
}
