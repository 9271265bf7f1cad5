/**
 * Whose request it is, for limits and for idempotency keys without an API key: the peer's address, or what a trusted proxy
 * says of it.
 *
 * SECURITY: X-Forwarded-For counts only when the connection comes from TRUSTED_PROXIES, and is read from its end, where
 * our own proxies write; everything before the first foreign address is the client's own invention. An IPv6 client is its
 * /64, because one has that many addresses for nothing.
 */
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { BlockList, isIP } from "node:net"

export type ClientAddress = (request: HttpServerRequest.HttpServerRequest) => string

/** Addresses and networks, as in TRUSTED_PROXIES; undefined when one of them is neither. */
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

/** An IPv4 address inside IPv6 is that IPv4 address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/iu, "").trim()

const isTrusted = (proxies: BlockList, address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && proxies.check(address, family === 6 ? "ipv6" : "ipv4")
}

/** The first four groups of an IPv6 address, written out. */
const network64 = (address: string): string => {
  const [head = "", tail] = address.toLowerCase().split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(missing).fill("0"), ...right]
  return groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/u, "")).join(":")
}

const clientOf = (address: string): string => isIP(address) === 6 ? network64(address) : address

export const clientAddress = (proxies: BlockList): ClientAddress => (request) => {
  const peer = plain(Option.getOrElse(request.remoteAddress, () => "unknown"))
  if (!isTrusted(proxies, peer)) return clientOf(peer)
  const forwarded = (request.headers["x-forwarded-for"] ?? "").split(",").map(plain).filter((part) => isIP(part) !== 0)
  return clientOf(forwarded.findLast((address) => !isTrusted(proxies, address)) ?? peer)
}
