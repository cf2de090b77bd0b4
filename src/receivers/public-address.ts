import ipaddr from "ipaddr.js";

/**
 * Whether an IP address is one of the public internet: not private, loopback, link-local, shared (CGNAT), multicast, reserved or
 * for translation, nor an IPv4 address of these in IPv6's clothes. What is not known to be public is not.
 * Source: IANA's registries of special-purpose addresses, as `ipaddr.js` has them.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast);
}

/** All of IPv6 that was given to anybody yet. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
