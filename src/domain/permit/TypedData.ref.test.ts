/** Our digest of typed data against viem's: for the messages of permits, and for arbitrary values. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { hashTypedData } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Address } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"
import { OrderId } from "../order/Order.ts"
import { permitDigest, permitMessage } from "./PermitMessage.ts"

const digits = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => `0x${Buffer.from(all).toString("hex")}` as const)
const address = digits(20).map((text) => Address.make(text))
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
// viem omits an empty version.
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 })

const parts = fc.record({
  chainId: fc.integer({ min: 1, max: 2 ** 31 }).map((id) => ChainId.make(id)),
  owner: address,
  token: address,
  amount: uint256,
  orderId: digits(32).map((each) => OrderId.make(each)),
  terms: fc.record({
    kind: fc.constantFrom("eip3009" as const, "eip2612" as const, "permit2" as const),
    forwarder: address,
    verifier: address,
    deadline: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    nonce: uint256,
    domain: fc.oneof(fc.record({ name: text }), fc.record({ name: text, version: text }))
  })
})

describe("the digest of a permit", () => {
  it("is viem's", () => {
    fc.assert(
      fc.property(parts, (permitted) => {
        const message = Result.getOrThrow(permitMessage(permitted))
        const { domain, primaryType, types, value } = message
        assert.strictEqual(permitDigest(message), hashTypedData({ domain, types, primaryType, message: value }))
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })
})
