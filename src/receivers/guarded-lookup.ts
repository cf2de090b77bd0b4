import type { LookupAddress, LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "./public-address.ts";

/** Resolves a name to all of its addresses, as `dns.lookup` does. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Resolves the name of a host before a connection, and refuses it if any of its addresses is not public. The connection uses
 * the addresses returned here, so a name that resolves differently the next time (DNS rebinding) gains nothing. A name with
 * both kinds of addresses is refused: the connection could choose either.
 */
export function guardedLookup(lookup: LookupAll): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) return callback(error, "", 0);
      if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new Error("its name leads to an address that is not public"), "", 0);
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
