/**
 * Which range an IP address belongs to, and so whether a webhook may be sent there (WEBHOOK-4).
 *
 * SECURITY: an address that is not known to be public is refused. Of IPv6 only the global unicast block is public, and
 * within it no address that carries an IPv4 address (6to4, Teredo; mapped, NAT64 and compatible ones are outside the
 * block), because such an address leads wherever the inner one does. Ranges are those of IANA's special-purpose
 * registries.
 */
export type AddressRange = "public" | "loopback" | "refused"

const OCTET = /^(?:0|[1-9]\d{0,2})$/u

const octetsOf = (text: string): ReadonlyArray<number> | undefined => {
  const parts = text.split(".")
  const octets = parts.map(Number)
  return parts.length === 4 && parts.every((part) => OCTET.test(part)) && octets.every((octet) => octet <= 255)
    ? octets
    : undefined
}

const numberOf = (parts: ReadonlyArray<number>, bits: bigint): bigint =>
  parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n)

const parseV4 = (text: string): bigint | undefined => {
  const octets = octetsOf(text)
  return octets === undefined ? undefined : numberOf(octets, 8n)
}

/** The groups of one side of `::`; an IPv4 tail is two groups. */
const groupsOf = (side: string): ReadonlyArray<number> | undefined => {
  if (side === "") return []
  const parts = side.split(":")
  const groups: Array<number> = []
  for (const [index, part] of parts.entries()) {
    const octets = index === parts.length - 1 ? octetsOf(part) : undefined
    if (octets !== undefined) {
      const [a = 0, b = 0, c = 0, d = 0] = octets
      groups.push(a * 256 + b, c * 256 + d)
    } else if (/^[0-9a-f]{1,4}$/iu.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}

const parseV6 = (text: string): bigint | undefined => {
  const [head = "", tail, ...more] = text.split("::")
  const [before, after] = [groupsOf(head), tail === undefined ? [] : groupsOf(tail)]
  if (before === undefined || after === undefined || more.length > 0) return undefined
  // An IPv4 tail may only stand at the end of the whole address.
  if (tail !== undefined && head.includes(".")) return undefined
  const missing = 8 - before.length - after.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  return numberOf([...before, ...Array.from({ length: missing }, () => 0), ...after], 16n)
}

interface Block {
  readonly first: bigint
  readonly bits: bigint
}

const block = (size: bigint, parse: (text: string) => bigint | undefined) => (text: string): Block => {
  const [address = "", prefix = "0"] = text.split("/")
  return { first: parse(address) ?? 0n, bits: size - BigInt(prefix) }
}

const isIn = (address: bigint) => ({ bits, first }: Block): boolean => address >> bits === first >> bits

const loopbackV4 = block(32n, parseV4)("127.0.0.0/8")

const refusedV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
].map(block(32n, parseV4))

const globalUnicast = block(128n, parseV6)("2000::/3")

/** Within global unicast: protocol assignments with Teredo and benchmarks, documentation, 6to4, AS112. */
const refusedV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"].map(
  block(128n, parseV6)
)

const rangeOfV4 = (address: bigint): AddressRange => {
  if (isIn(address)(loopbackV4)) return "loopback"
  return refusedV4.some(isIn(address)) ? "refused" : "public"
}

const rangeOfV6 = (address: bigint): AddressRange => {
  if (address === 1n) return "loopback"
  return isIn(address)(globalUnicast) && !refusedV6.some(isIn(address)) ? "public" : "refused"
}

/** The range of an address as text, without brackets. Refused when the text is not an address, or has a zone. */
export const addressRange = (text: string): AddressRange => {
  const v4 = parseV4(text)
  if (v4 !== undefined) return rangeOfV4(v4)
  const v6 = parseV6(text)
  return v6 === undefined ? "refused" : rangeOfV6(v6)
}

/** True for the text of an address, false for that of a name. */
export const isAddress = (text: string): boolean => parseV4(text) !== undefined || parseV6(text) !== undefined
