import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { QuoteRequest } from "../../../quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../../quote/request/ResolveRequest.ts"
import { chains, evmAddress, solana, solanaPayer, solanaUsdc, solanaUser } from "../../../quote/testing/Chains.ts"
import type { Quote } from "../../../quote/wire/Quote.ts"
import { walletCosts } from "./WalletCosts.ts"

const body = {
  user: solanaUser,
  recipient: evmAddress("22"),
  originChainId: solana.id,
  destinationChainId: 2,
  originCurrency: solanaUsdc.address,
  destinationCurrency: chains[1]!.native.address,
  amount: "100000000",
  tradeType: "EXACT_INPUT"
}

/** Whether a client takes the figure as what the wallet pays. */
const isAccepted = (amount: string, changes: object = {}): boolean => {
  const asked = Schema.decodeUnknownSync(QuoteRequest)({ ...body, ...changes })
  const request = Result.getOrThrow(resolveRequest(asked, chains))
  return walletCosts({ fees: { gas: { amount } }, steps: [] as Quote["steps"] } as Quote, request)
    .map(String).includes(amount)
}

describe("the costs of a Solana wallet", () => {
  it("are the signature's, and for a token up to the rent of one account at any price that a chain may have", () => {
    // Nothing opened; opened at 696, 5,080, 6,960 lamports a byte; one of Token-2022; the most that is believed.
    for (const told of ["5000", "208928", "1493440", "2044280", "2079080", "4570760"]) {
      assert.isTrue(isAccepted(told), told)
    }
    for (const wrong of ["0", "4999", "-1", "4570761", "x", "", "0x1388"]) assert.isFalse(isAccepted(wrong), wrong)
  })

  it("are the signature's alone for SOL, and nothing where another pays", () => {
    const native = { originCurrency: solana.native.address }
    assert.isTrue(isAccepted("5000", native))
    for (const wrong of ["0", "4999", "5001", "208928"]) assert.isFalse(isAccepted(wrong, native), wrong)
    const sponsored = { depositFeePayer: solanaPayer }
    assert.isTrue(isAccepted("0", sponsored))
    assert.isFalse(isAccepted("5000", sponsored))
  })
})
