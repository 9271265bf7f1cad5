/**
 * The digest of EIP-712 typed data, for the member types of permits: addresses, unsigned numbers, 32 bytes, texts, and
 * structs of these. Built on @noble/hashes, so the core loads no generic encoder.
 */
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"
import { hashWords, keccak, keccakText, word, wordOf } from "../encoding/StructHash.ts"

/** A member of an EIP-712 struct. */
export interface Member {
  readonly name: string
  /** `address`, `uint256`, `bytes32`, `string`, or the name of a struct. */
  readonly type: string
}

/** The structs of an EIP-712 message by name. */
export type Types = Readonly<Record<string, ReadonlyArray<Member>>>

/** Numbers are decimal; bytes and addresses are 0x hex. */
export interface Values {
  readonly [name: string]: string | number | Values
}

export interface TypedData {
  readonly domain: Readonly<Record<string, string | number>>
  readonly types: Types
  readonly primaryType: string
  readonly value: Values
}

const domainMembers: ReadonlyArray<Member> = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" }
]

/** The structs that a struct refers to, without itself. */
const structsOf = (
  types: Types,
  name: string
): ReadonlyArray<string> => [
  ...new Set(
    (types[name] ?? []).flatMap(({ type }) => types[type] === undefined ? [] : [type, ...structsOf(types, type)])
  )
]

const encodeType = (types: Types, name: string): string =>
  [name, ...structsOf(types, name).toSorted()].map((each) =>
    `${each}(${(types[each] ?? []).map((member) => `${member.type} ${member.name}`).join(",")})`
  ).join("")

const wordFor = (types: Types, type: string, value: string | number | Values | undefined): Uint8Array => {
  if (value === undefined) return word(0n)
  if (typeof value === "object") return hashStruct(types, type, value)
  switch (type) {
    case "string":
      return keccakText(`${value}`)
    case "address":
    case "bytes32":
      return wordOf(hexToBytes(`${value}`.slice(2)))
    default:
      return word(BigInt(value))
  }
}

const hashStruct = (types: Types, name: string, values: Values): Uint8Array =>
  hashWords([
    keccakText(encodeType(types, name)),
    ...(types[name] ?? []).map((member) => wordFor(types, member.type, values[member.name]))
  ])

/**
 * The 32 bytes that a wallet signs: keccak256 of 0x1901, the domain's hash and the message's hash. The domain has only
 * the members that are given.
 */
export const typedDataDigest = ({ domain, primaryType, types, value }: TypedData): Hex32 => {
  const named = { EIP712Domain: domainMembers.filter(({ name }) => domain[name] !== undefined) }
  return hex32FromDigest(
    keccak(
      concatBytes(
        Uint8Array.of(0x19, 0x01),
        hashStruct(named, "EIP712Domain", domain),
        hashStruct(types, primaryType, value)
      )
    )
  )
}
