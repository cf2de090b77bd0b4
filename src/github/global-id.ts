import { statusOf } from "./code-host-error.ts";

/**
 * The global id of what we wrote, from the id that was kept of it: earlier versions kept numbers. Null: there is no such thing any
 * more.
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
