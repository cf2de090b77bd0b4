import ipaddr from "ipaddr.js";

/**
 * Whether an IP address belongs to the public internet. It must not be private, loopback, link-local, shared (CGNAT),
 * multicast, reserved, or for translation, and not an IPv4 address of these kinds embedded in IPv6. An address that is not
 * known to be public counts as not public.
 * Source: IANA's registries of special-purpose addresses, as `ipaddr.js` has them.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast);
}

/** The only part of IPv6 that has been allocated so far. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
