/**
 * The client address of a request, for limits and for idempotency keys without an API key: the peer's address, or the
 * address that a trusted proxy reports.
 *
 * SECURITY: X-Forwarded-For counts only when the connection comes from TRUSTED_PROXIES. It is read from its end, where
 * our own proxies write. Everything before the first foreign address may be forged by the client.
 */
import { Option } from "effect"
import { BlockList, isIP } from "node:net"
import { clientOf, plain } from "../../http/ClientNetwork.ts"

/** What an address is read from. */
export interface AddressedRequest {
  readonly remoteAddress: Option.Option<string>
  readonly headers: Readonly<Record<string, string | undefined>>
}

export type ClientAddress = (request: AddressedRequest) => string

/** Addresses and networks, as in TRUSTED_PROXIES. Undefined when an entry is neither. */
export const parseNetworks = (text: string): BlockList | undefined => {
  const list = new BlockList()
  for (const entry of text.split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const [address = "", prefix, ...rest] = entry.split("/")
    const family = isIP(address)
    const bits = prefix === undefined ? (family === 6 ? 128 : 32) : /^\d{1,3}$/u.test(prefix) ? Number(prefix) : -1
    if (family === 0 || rest.length > 0 || bits < 0 || bits > (family === 6 ? 128 : 32)) return undefined
    list.addSubnet(address, bits, family === 6 ? "ipv6" : "ipv4")
  }
  return list
}

const isTrusted = (proxies: BlockList, address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && proxies.check(address, family === 6 ? "ipv6" : "ipv4")
}

export const clientAddress = (proxies: BlockList): ClientAddress => (request) => {
  const peer = plain(Option.getOrElse(request.remoteAddress, () => "unknown"))
  if (!isTrusted(proxies, peer)) return clientOf(peer)
  const forwarded = (request.headers["x-forwarded-for"] ?? "").split(",").map(plain).filter((part) => isIP(part) !== 0)
  return clientOf(forwarded.findLast((address) => !isTrusted(proxies, address)) ?? peer)
}
