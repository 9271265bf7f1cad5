/** Refusals of transactions by the clients of EVM chains, in their own words (EVM-11). */
import { assert, describe, it } from "@effect/vitest"
import { BaseError, createPublicClient, custom, RpcRequestError } from "viem"
import { meaningOf, trialRefusal } from "./NodeRefusals.ts"

const words: Readonly<Record<string, ReadonlyArray<string>>> = {
  accepted: [
    "already known",
    "AlreadyKnown",
    "ALREADY_EXISTS: already known",
    "INTERNAL_ERROR: existing tx with same hash",
    "Known transaction",
    "nonce too low: next nonce 12, tx nonce 11",
    "OldNonce, Current nonce: 12, nonce of rejected tx: 11"
  ],
  underpriced: [
    "transaction underpriced: gas tip cap 1, minimum needed 1000000",
    "replacement transaction underpriced",
    "max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1, baseFee: 2",
    "FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 2",
    "FeeTooLowToCompete",
    "ReplacementNotAllowed",
    "INTERNAL_ERROR: could not replace existing tx",
    "fee too low",
    "baseFee sub-pool is full",
    "txpool is full",
    "Gas price below configured minimum gas price",
    "Gas price below current base fee"
  ],
  unfunded: [
    "insufficient funds for gas * price + value: balance 0, tx cost 1",
    "InsufficientFunds, Account balance: 0, cumulative cost: 1",
    "Upfront cost exceeds account balance"
  ],
  nothing: [
    "intrinsic gas too low",
    "transaction gas limit too high (cap: 16777216, tx: 16777217)",
    "exceeds block gas limit",
    "internal error"
  ]
}

describe("a refusal of a transaction", () => {
  it("means the same in the words of each client", () => {
    for (const [meaning, said] of Object.entries(words)) {
      for (const refusal of said) {
        assert.strictEqual(meaningOf(refusal, { carriesAuthorizations: false }) ?? "nothing", meaning, refusal)
      }
    }
  })

  it("concerns authorizations only where there are some", () => {
    for (const refusal of ["authority already reserved", "invalid authorization nonce"]) {
      assert.strictEqual(meaningOf(refusal, { carriesAuthorizations: true }), "unauthorized")
      assert.isUndefined(meaningOf(refusal, { carriesAuthorizations: false }))
    }
  })
})

/** How a node's answer to a trial is understood, through viem. */
const refusedTrial = async (said: { readonly code: number; readonly message: string; readonly data?: string }) => {
  const request = () => Promise.reject(new RpcRequestError({ body: {}, url: "", error: said }))
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const account = "0x00000000000000000000000000000000000000a1"
  return client.estimateGas({ account, to: account, value: 1n }).then(
    () => "taken",
    (failed: unknown) => failed instanceof BaseError ? trialRefusal(failed) ?? "no answer" : "no error of viem"
  )
}

describe("a refusal of a trial", () => {
  it("is the chain's where the call ends badly, in the words of each client, and else the endpoint's own", async () => {
    const words = [
      ["reverts", 3, "execution reverted: no"],
      ["reverts", -32_000, "execution reverted"],
      ["reverts", -32_000, "gas required exceeds allowance (50000000)"],
      ["reverts", -32_000, "Gas estimation failed due to out of gas"],
      ["reverts", -32_015, "VM execution error."],
      ["insufficient-funds", -32_000, "insufficient funds for gas * price + value"],
      ["no answer", -32_603, "internal error"],
      ["no answer", -32_000, "header not found"]
    ] as const
    for (const [meaning, code, message] of words) {
      assert.strictEqual(await refusedTrial({ code, message }), meaning, message)
    }
  })
})
