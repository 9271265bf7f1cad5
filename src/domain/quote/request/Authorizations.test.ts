import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { QuoteRequest } from "./QuoteRequest.ts"
import { resolveRequest } from "./ResolveRequest.ts"
import { alpha, beta, evmAddress } from "../testing/Chains.ts"

const word = `0x${"1".repeat(64)}`
const request = Schema.decodeUnknownSync(QuoteRequest)({
  user: evmAddress("11"),
  originChainId: alpha.id,
  destinationChainId: beta.id,
  originCurrency: alpha.native.address,
  destinationCurrency: beta.native.address,
  amount: "1000000",
  tradeType: "EXACT_INPUT",
  authorizationList: [{ chainId: beta.id, address: evmAddress("22"), nonce: 0, yParity: 0, r: word, s: word }]
})

describe("authorizations for the fill", () => {
  it("are accepted where the destination's entry allows them, and refused by name elsewhere", () => {
    const resolved = Result.getOrThrow(resolveRequest(request, [alpha, { ...beta, takesAuthorizations: true }]))
    assert.lengthOf(resolved.authorizations, 1)
    for (const destination of [beta, { ...beta, takesAuthorizations: false }]) {
      const refused = Result.flip(resolveRequest(request, [{ ...alpha, takesAuthorizations: true }, destination]))
      const { code, field } = Result.getOrThrow(refused)
      assert.deepStrictEqual([code, field], ["UNSUPPORTED_ROUTE", "authorizationList"])
    }
  })
})
