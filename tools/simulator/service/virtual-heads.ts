/** The API accepts only heads that look like SHAs; the model calls them `3.1`. */
export function shaOf(head: string): string {
  return Buffer.from(head).toString("hex").padEnd(40, "0");
}

export function headOf(sha: string): string {
  return Buffer.from(sha.replace(/(00)+$/, ""), "hex").toString();
}
