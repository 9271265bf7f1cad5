/** Our messages against viem's: both build the same text and parse the same parts. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { createSiweMessage, parseSiweMessage } from "viem/siwe"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { checksummed } from "../families/HexAccount.ts"
import { formatSignIn, parseSignIn } from "./SignInMessage.ts"
import type { SignInMessage } from "./SignInMessage.ts"
import { signInMessages } from "./testing/SignInMessages.ts"

/** viem accepts only domains that a browser could send, fewer than the standard allows. */
const plain = ({ domain, scheme }: SignInMessage) =>
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}$/u.test(domain) && scheme !== ""

const viems = ({ address, expirationTime, issuedAt, notBefore, ...rest }: SignInMessage) => ({
  ...rest,
  address: checksummed(address) as `0x${string}`,
  version: "1" as const,
  issuedAt: new Date(issuedAt),
  ...(expirationTime === undefined ? {} : { expirationTime: new Date(expirationTime) }),
  ...(notBefore === undefined ? {} : { notBefore: new Date(notBefore) }),
  resources: rest.resources === undefined ? undefined : [...rest.resources]
})

describe("sign-in messages and viem's", () => {
  it("are the same text, of the same parts", () => {
    fc.assert(
      fc.property(signInMessages.filter(plain), (message) => {
        const text = formatSignIn(message)
        const theirs = viems(message)
        assert.strictEqual(createSiweMessage(theirs as Parameters<typeof createSiweMessage>[0]), text)
        const { resources, ...parts } = parseSiweMessage(text)
        const { resources: _, ...expected } = theirs
        assert.deepStrictEqual(parts, expected)
        if (message.resources !== undefined && message.resources.length > 0) {
          assert.deepStrictEqual(resources, [...message.resources])
        }
        assert.deepStrictEqual(parseSignIn(text), Result.succeed(message))
      }),
      { numRuns: inputs(2_000, 50_000) }
    )
  })
})
