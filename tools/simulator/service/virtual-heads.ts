/** The API accepts only heads that look like SHAs; the model calls them `3.1`. */
export function shaOf(head: string): string {
  return Buffer.from(head).toString("hex").padEnd(40, "0");
}

/** The model's name of a commit: a head, or another commit. */
export function commitOf(sha: string): string {
  return /^[0-9a-f]{40}$/.test(sha) ? headOf(sha) : sha;
}

export function headOf(sha: string): string {
  return Buffer.from(sha.replace(/(00)+$/, ""), "hex").toString();
}
