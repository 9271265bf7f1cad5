/**
 * An answer to POST /quote as members with a path each, and the members in which two answers differ.
 *
 * Members that differ between any two answers are normalised first: ids; times, which become relative to the quote; and
 * the gas of the user's steps, which depends on how many bytes of ids and addresses are zero.
 */
import { Schema } from "effect"

/** Member by member: the path, and its value as text. */
export type Members = ReadonlyMap<string, string>

const Ids = Schema.Struct({
  steps: Schema.Array(Schema.Struct({ requestId: Schema.String })),
  protocol: Schema.optionalKey(
    Schema.Struct({
      v2: Schema.Struct({
        orderId: Schema.String,
        orderSignature: Schema.String,
        orderData: Schema.Struct({ salt: Schema.String })
      })
    })
  )
})

const bare = (hex: string): string => hex.replace(/^0x/u, "").toLowerCase()

/** Ids occur in calldata too: without 0x, and in upper or lower case. */
const withoutIds = (text: string): string => {
  const answer: unknown = JSON.parse(text)
  if (!Schema.is(Ids)(answer)) return text
  const { protocol, steps } = answer
  const ids = [
    ...steps.map(({ requestId }) => [requestId, "REQUEST"] as const),
    ...(protocol === undefined
      ? []
      : [[protocol.v2.orderId, "ORDER"], [protocol.v2.orderSignature, "SIGNATURE"], [
        protocol.v2.orderData.salt,
        "SALT"
      ]] as const)
  ]
  return ids.reduce((rest, [id, name]) => rest.replaceAll(new RegExp(bare(id), "giu"), name), text)
}

/** A word of call data that is a time, such as the deadline of a swap. */
const TIME_WORD = /0{56}([0-9a-f]{8})/gu

const MONTH_SECONDS = 30 * 86_400

const withoutTimes = (text: string, askedAt: number): string =>
  text.replaceAll(
    TIME_WORD,
    (word: string, digits: string) => Math.abs(Number.parseInt(digits, 16) - askedAt) < MONTH_SECONDS ? "TIME" : word
  )

const GAS_OF_STEPS = /^(fees\.gas|steps\.\d+\.items\.\d+\.data\.gas)(\.|$)/u

const TIME = /^(deadline|validBefore)$/u

/** Relative to the time of the question, rounded to ten seconds: two questions never have the same time. */
const sinceAsked = (value: string, askedAt: number): string =>
  `asked + ${Math.round((Number(value) - askedAt) / 10) * 10} s`

const collect = (value: unknown, path: string, askedAt: number, into: Map<string, string>): void => {
  if (Array.isArray(value)) return value.forEach((each, index) => collect(each, `${path}.${index}`, askedAt, into))
  if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      collect(member, path === "" ? name : `${path}.${name}`, askedAt, into)
    }
    return
  }
  if (GAS_OF_STEPS.test(path)) return
  const text = String(value)
  into.set(path, TIME.test(path.slice(path.lastIndexOf(".") + 1)) ? sinceAsked(text, askedAt) : text)
}

/** The members of a JSON text. `askedAt`: seconds. */
export const membersOf = (text: string, askedAt: number): Members => {
  const members = new Map<string, string>()
  collect(JSON.parse(withoutTimes(withoutIds(text), askedAt)), "", askedAt, members)
  return members
}

/** Where they differ. A member that only one of them has counts. */
export const differing = (one: Members, other: Members): ReadonlyArray<string> =>
  [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path))

const OF_AN_AMOUNT = /\.(amount|amountFormatted|amountUsd|minimumAmount|currency(\..*)?)$/u

/** The most members in one cell. */
const MOST = 12

const upTo = (depth: number) => (path: string): string => path.split(".").slice(0, depth).join(".")

/**
 * For a page: amounts and currencies become one member each, elements of a list are merged, and many members become
 * their parent.
 */
export const summarise = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const members = paths.map((path) => path.replace(OF_AN_AMOUNT, "").replaceAll(/\.\d+(?=\.|$)/gu, "[]"))
  const folded = [Infinity, 4, 3, 2].map((depth) => [...new Set(members.map(upTo(depth)))])
  return (folded.find(({ length }) => length <= MOST) ?? folded.at(-1) ?? []).toSorted()
}
