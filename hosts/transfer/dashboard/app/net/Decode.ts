/** Decoders of answers, for a browser: a few lines instead of a library. An unexpected answer is an error, not a guess. */

export type Decode<A> = (value: unknown) => A

/** The answer is not what this page expects: it may be of another version. */
export class Unexpected extends Error {
  override readonly name = "Unexpected"
}

const unexpected = (what: string): never => {
  throw new Unexpected(`the answer is not as expected (${what}): load this page again`)
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const text: Decode<string> = (value) => typeof value === "string" ? value : unexpected("a text")
export const number: Decode<number> = (value) => typeof value === "number" ? value : unexpected("a number")
export const flag: Decode<boolean> = (value) => typeof value === "boolean" ? value : unexpected("yes or no")
export const anything: Decode<unknown> = (value) => value

export const orNull = <A>(decode: Decode<A>): Decode<A | null> => (value) => value === null ? null : decode(value)

export const optional = <A>(decode: Decode<A>): Decode<A | undefined> => (value) =>
  value === undefined ? undefined : decode(value)

export const list = <A>(decode: Decode<A>): Decode<ReadonlyArray<A>> => (value) =>
  Array.isArray(value) ? value.map((each: unknown) => decode(each)) : unexpected("a list")

type Fields = Readonly<Record<string, Decode<unknown>>>
type Decoded<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> }

/** The named members of an object; others are ignored. */
export function record<const F extends Fields>(fields: F): Decode<Decoded<F>>
export function record(fields: Fields): Decode<unknown> {
  return (value) =>
    isMembers(value)
      ? Object.fromEntries(Object.entries(fields).map(([name, decode]) => [name, decode(value[name])]))
      : unexpected("an object")
}

/** An object of equal members, by name. */
export const byName = <A>(decode: Decode<A>): Decode<ReadonlyMap<string, A>> => (value) =>
  isMembers(value)
    ? new Map(Object.entries(value).map(([name, each]) => [name, decode(each)]))
    : unexpected("an object")

/** The `message` of a refusal. */
export const messageOf = (value: unknown): string | undefined =>
  isMembers(value) && typeof value["message"] === "string" ? value["message"] : undefined
