/**
 * A stored test id: the 16 bytes of a lower-case UUID, or the text of any other id. Texts sort before bytes.
 */
export type StoredId = string | Uint8Array;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function storedId(id: string): StoredId {
  return uuid.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : id;
}

export function idOf(stored: StoredId): string {
  if (typeof stored === "string") return stored;
  const hex = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString("hex");
  const [low, middle, version, variant] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
  ];
  return `${low}-${middle}-${version}-${variant}-${hex.slice(20)}`;
}
