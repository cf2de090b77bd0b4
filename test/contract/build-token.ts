import type { TokenRecord } from "../../src/store/access/token-store.ts";

export function buildToken(id: string, given: Partial<TokenRecord> = {}): TokenRecord {
  return {
    id,
    name: "deploy",
    organisation: "octo-org",
    scopes: ["read", "submit"],
    secretSha256: "f".repeat(64),
    createdAt: 1_000,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...given,
  };
}
