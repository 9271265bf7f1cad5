/**
 * The client that an address counts for. An IPv6 client is its /64, because a client gets that many addresses for free.
 */
import { isIP } from "node:net"

/** An IPv4 address inside IPv6 counts as that IPv4 address. */
export const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/iu, "").trim()

/** The first four groups of an IPv6 address, written out. */
const network64 = (address: string): string => {
  const [head = "", tail] = address.toLowerCase().split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(missing).fill("0"), ...right]
  return groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/u, "")).join(":")
}

export const clientOf = (address: string): string => isIP(address) === 6 ? network64(address) : address
