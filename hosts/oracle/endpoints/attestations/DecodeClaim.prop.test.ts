/** The law: a claim is decoded to what its schema makes of it, or refused as by it. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { decodeBySchema, makeDecodeClaim } from "./DecodeClaim.ts"

const decode = makeDecodeClaim(["alpha", "bitcoin-local"].map((slug) => ChainSlug.make(slug)))

const member = fc.oneof(
  fc.constantFrom<unknown>("alpha", "bitcoin-local", "beta", "ALPHA", "", "0x01", null, 5, true, ["alpha"]),
  fc.string({ maxLength: 4 }),
  fc.integer({ min: 510, max: 514 }).map((length) => "1".repeat(length)),
  fc.jsonValue({ maxDepth: 1 })
)

const names = fc.constantFrom("chainId", "transactionId", "requestPeerSignatures", "__proto__", "more")

/** Mostly with both members. */
const bodies = fc.oneof(
  fc.tuple(member, member).map(([chainId, transactionId]) => JSON.stringify({ chainId, transactionId })),
  fc.array(fc.tuple(names, member), { maxLength: 4 }).map((members) =>
    `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`
  ),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string()
)

describe("a claim of deposits", () => {
  it("is decoded as by its schema", () =>
    fc.assert(
      fc.property(bodies, (body) => {
        const decoded = decodeBySchema(body)
        assert.deepStrictEqual(decode(body), decoded._tag === "Success" ? decoded.value : undefined)
      }),
      { numRuns: inputs(2_000, 100_000) }
    ))
})
