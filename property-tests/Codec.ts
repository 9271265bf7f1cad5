/**
 * Laws of a codec: decoding is the inverse of encoding, a value has one canonical spelling, and garbage is an error and
 * never a throw, up to a megabyte of it.
 *
 * For any pair of total functions between values and text: `codecLaws(name, codec, values)`. Codecs of bytes take them
 * as hex.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { type Law, law, must } from "./Law.ts"

/** A codec under test: how it writes, how it reads, and which values it must take. */
export interface Codec<A> {
  readonly encode: (value: A) => Result.Result<string, unknown>
  readonly decode: (text: string) => Result.Result<A, unknown>
  /** "one": only the canonical spelling decodes. "many": other spellings decode too, to the same value. */
  readonly spellings: "one" | "many"
}

const MEGABYTE = 1_000_000

/** A valid text with characters changed, inserted, removed, doubled or cut off. */
const damaged = (real: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(
    real,
    fc.nat(),
    fc.integer({ min: 0, max: 3 }),
    fc.oneof(fc.string({ maxLength: 2 }), fc.constantFrom("0", "f", "F", "00", "\"", "}", "-1", "1e3", "null"))
  )
    .map(([text, where, drop, put]) => {
      const at = where % (text.length + 1)
      return text.slice(0, at) + put + text.slice(at + drop)
    })

const garbage = (real: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: damaged(real) },
    { weight: 1, arbitrary: fc.tuple(real, fc.nat()).map(([text, end]) => text.slice(0, end % (text.length + 1))) },
    { weight: 1, arbitrary: real.map((text) => text.toUpperCase()) },
    { weight: 1, arbitrary: fc.string({ maxLength: 120 }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) =>
        `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`
      )
    }
  )

/** A text for a value's members, whatever their prototype and order. */
const shown = (value: unknown): string => {
  if (typeof value === "bigint") return `${value}n`
  if (value instanceof Uint8Array || Array.isArray(value)) return `[${Array.from<unknown>(value).map(shown).join()}]`
  if (typeof value !== "object" || value === null) {
    return typeof value === "string"
      ? JSON.stringify(value)
      : String(value)
  }
  const members = Object.entries(value).toSorted(([left], [right]) => left < right ? -1 : 1)
  return `{${members.map(([name, member]) => `${name}:${shown(member)}`).join()}}`
}

const same = <A>(left: A, right: A): boolean => shown(left) === shown(right)

/**
 * A value that decodes has a canonical spelling. This decodes to the same value, and encoding that gives the same
 * spelling.
 */
const isCanonical = <A>(codec: Codec<A>, text: string, value: A): void => {
  const canonical = Result.getOrThrow(codec.encode(value))
  if (codec.spellings === "one") {
    must(canonical === text, `${text.slice(0, 200)} decodes, but ${canonical.slice(0, 200)} is its spelling`)
  }
  const again = Result.getOrThrow(codec.decode(canonical))
  must(same(again, value), "the canonical spelling is of another value")
  must(Result.getOrThrow(codec.encode(again)) === canonical, "two canonical spellings")
}

/** `pool`: the number of valid texts that garbage is made from, as encoding may cost more than decoding. */
export const codecLaws = <A>(
  name: string,
  codec: Codec<A>,
  values: fc.Arbitrary<A>,
  pool: number = 200
): ReadonlyArray<Law> => {
  const texts = fc.sample(values, { numRuns: pool, seed: 1 }).map((value) => Result.getOrThrow(codec.encode(value)))
  return [
    law(
      `${name}: decode undoes encode, in the one canonical spelling`,
      fc.property(values, (value) => {
        const text = Result.getOrThrow(codec.encode(value))
        const decoded = Result.getOrThrow(codec.decode(text))
        must(same(decoded, value), "another value came back")
        isCanonical(codec, text, decoded)
      })
    ),
    law(
      `${name}: garbage is an error and never a throw; what decodes nonetheless has a canonical spelling`,
      fc.property(garbage(fc.constantFrom(...texts)), (text) => {
        const decoded = codec.decode(text)
        if (Result.isSuccess(decoded)) isCanonical(codec, text, decoded.success)
      })
    ),
    {
      name: `${name}: a megabyte of anything is an error or a value with a canonical spelling`,
      check: () => {
        const [text = ""] = texts
        for (const unit of ["0", "f", "ff", "1", " ", "{", "[", "\"", "\u{1F600}"]) {
          for (const start of ["", "0x", text, text.slice(0, Math.floor(text.length / 2))]) {
            const long = start + unit.repeat(MEGABYTE / unit.length)
            const decoded = codec.decode(long)
            if (Result.isSuccess(decoded)) isCanonical(codec, long, decoded.success)
          }
        }
      }
    }
  ]
}
