/**
 * The parser on valid messages, near misses and arbitrary texts: it never throws, is fast, and reads nothing that is
 * not in the text.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { formatSignIn, MAX_SIGN_IN_LENGTH, parseSignIn } from "./SignInMessage.ts"
import { signInMessages } from "./testing/SignInMessages.ts"

const pieces = fc.constantFrom(
  "\n",
  "\n\n",
  "\r\n",
  " ",
  "\u0000",
  "\u2028",
  "\u200b",
  "Nonce: 12345678",
  "\nChain ID: 1",
  "URI: ",
  "Resources:",
  "\n- https://a.b",
  "0x",
  "é",
  "💸",
  "\ud800",
  " wants you to sign in with your Ethereum account:",
  "Version: 2",
  "Issued At: 2024-13-45T99:99:99Z",
  "%",
  "\"",
  "1e3",
  "-1",
  "00"
)

/** A text with a few parts removed, doubled or inserted. */
const mutated = fc.tuple(
  signInMessages.map(formatSignIn),
  fc.array(fc.tuple(fc.nat(), fc.nat(12), fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 4 }))), {
    minLength: 1,
    maxLength: 3
  })
)
  .map(([text, changes]) =>
    changes.reduce((now, [at, cut, put]) => {
      const place = at % (now.length + 1)
      return `${now.slice(0, place)}${put}${now.slice(place + cut)}`
    }, text)
  )

describe("the parser of sign-in messages", () => {
  it("reads every well-formed message, and writes it back unchanged", () => {
    fc.assert(
      fc.property(signInMessages, (message) => {
        assert.deepStrictEqual(parseSignIn(formatSignIn(message)), Result.succeed(message))
      }),
      { numRuns: inputs(3_000, 100_000) }
    )
  })

  it("never reads a text that it would write differently", () => {
    fc.assert(
      fc.property(fc.oneof(mutated, fc.string({ unit: "binary", maxLength: 300 })), (text) => {
        const parsed = parseSignIn(text)
        if (Result.isSuccess(parsed)) assert.strictEqual(formatSignIn(parsed.success), text)
        else assert.isNotEmpty(parsed.failure)
      }),
      { numRuns: inputs(10_000, 300_000) }
    )
  })

  it("accepts an address in its checksummed spelling only", () => {
    fc.assert(
      fc.property(signInMessages, (message) => {
        const text = formatSignIn(message)
        const [, shown = ""] = text.split("\n")
        for (const other of [shown.toLowerCase(), `0x${shown.slice(2).toUpperCase()}`]) {
          assert.strictEqual(Result.isSuccess(parseSignIn(text.replace(shown, other))), other === shown)
        }
      }),
      { numRuns: inputs(500, 5_000) }
    )
  })

  it("rejects adversarial texts quickly", () => {
    for (const unit of ["a", "\n", " ", "a.", "%41", "- https://a.b\n", "Resources:\n"]) {
      for (
        const text of [
          unit.repeat(Math.ceil(MAX_SIGN_IN_LENGTH / unit.length)).slice(0, MAX_SIGN_IN_LENGTH),
          unit.repeat(1_000_000)
        ]
      ) {
        assert.isTrue(Result.isFailure(parseSignIn(text)))
      }
    }
  })
})
