import { readdir, readFile } from "node:fs/promises";

/**
 * The processes whose environment contains a text, such as a directory that only one command was given. So children that have
 * changed their process group or lost their parent are found, too. Linux only.
 */
export async function processesWith(text: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      // A process may end while it is read.
      const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
      if (!environment.includes(text) || Number(id) === process.pid) return null;
      const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
      return command === "" ? null : `${id} ${command.replaceAll("\0", " ").slice(0, 200)}`;
    }),
  );
  return found.filter((one) => one !== null);
}
