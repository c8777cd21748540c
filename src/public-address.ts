/** Outgoing calls may go to public https addresses and to this machine, but not to private networks. */
import dns from "node:dns";
import net from "node:net";

/** Addresses outside the public internet. */
const PRIVATE_4 = new net.BlockList();
const PRIVATE_6 = new net.BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  PRIVATE_4.addSubnet(network, prefix, "ipv4");
/** Globally routed IPv6. Everything else is loopback, local, reserved or a mapped IPv4 address. */
const GLOBAL_6 = new net.BlockList();
GLOBAL_6.addSubnet("2000::", 3, "ipv6");
for (const [network, prefix] of [
  // IETF protocol assignments, including Teredo (embeds an IPv4 address).
  ["2001::", 23],
  ["2001:db8::", 32],
  // 6to4 (embeds an IPv4 address).
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  PRIVATE_6.addSubnet(network, prefix, "ipv6");

export function isPrivateAddress(address: string): boolean {
  if (net.isIPv4(address)) return PRIVATE_4.check(address, "ipv4");
  return !net.isIPv6(address) || !GLOBAL_6.check(address, "ipv6") || PRIVATE_6.check(address, "ipv6");
}

/** Why the URL is rejected; undefined if it is allowed. Doesn't resolve the name. */
export function urlRefusal(url: URL, allowPrivate: boolean): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isThisMachine(host)) return /^https?:$/.test(url.protocol) ? undefined : "is neither http nor https";
  if (url.protocol !== "https:") return "is not https (http is allowed only for this machine)";
  if (url.username !== "" || url.password !== "") return "contains a password; calls are signed instead";
  if (!allowPrivate && net.isIP(host) !== 0 && isPrivateAddress(host)) return PRIVATE_REFUSAL;
  return undefined;
}

export const PRIVATE_REFUSAL = "is on a private network (set allow_private to allow it)";

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || (net.isIPv4(host) && host.startsWith("127."));
}

export class PrivateAddressError extends Error {}

/** Like `dns.lookup`, for use by the connection itself: no second lookup can return another address. */
export function guardedLookup(allowPrivate: boolean): net.LookupFunction {
  return (host, options, callback) => {
    dns.lookup(host, { ...options, all: true }, (error, addresses) => {
      const refused =
        !allowPrivate && !isThisMachine(host) && addresses?.some(({ address }) => isPrivateAddress(address));
      const failure = error ?? (refused ? new PrivateAddressError(`${host} ${PRIVATE_REFUSAL}`) : null);
      if (failure) callback(failure, [], 0);
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}
