import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { DepositUnfit } from "../../../ports/chain/StepBuilder.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { CurrencyAddress } from "../../domain/chain/Address.ts"
import { makeRequestDecoder } from "../../domain/quote/request/DecodeRequest.ts"
import { requestParameters } from "../../domain/quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { alpha, beta, chains, evmAddress } from "../../domain/quote/testing/Chains.ts"
import { refusedFill, unfitDeposit } from "./Refusals.ts"

const decoded = Result.getOrThrow(
  makeRequestDecoder(requestParameters)({
    user: evmAddress("11"),
    originChainId: alpha.id,
    destinationChainId: beta.id,
    originCurrency: alpha.native.address,
    destinationCurrency: beta.native.address,
    amount: "1000",
    tradeType: "EXACT_INPUT"
  })
)
const plain = Result.getOrThrow(resolveRequest(decoded, chains))
const swapping = {
  ...plain,
  destinationCurrency: {
    ...plain.destinationCurrency,
    isNative: false,
    address: CurrencyAddress.make(evmAddress("99"))
  }
}

describe("a fill that the chain would not execute", () => {
  it("is refused with its cause: the recipient of a plain one, the swap of one that swaps, or the money of either", () => {
    const of = (request: typeof plain, reason: PaymentRefused["reason"]) => {
      const { code, field } = refusedFill(request, new PaymentRefused({ reason }))
      return [code, field]
    }
    assert.deepStrictEqual(of(plain, "reverts"), ["INVALID_RECIPIENT", "recipient"])
    assert.deepStrictEqual(of(swapping, "reverts"), ["DESTINATION_TX_FAILED", "destinationCurrency"])
    const unpayable = (of: typeof plain.origin, currency: CurrencyAddress) => {
      const { code, field } = refusedFill(
        plain,
        new PaymentRefused({ reason: "reverts", unpayable: { chainId: of.id, currency } })
      )
      return [code, field]
    }
    assert.deepStrictEqual(unpayable(beta, plain.destinationCurrency.address), [
      "UNSUPPORTED_CURRENCY",
      "destinationCurrency"
    ])
    assert.deepStrictEqual(unpayable(alpha, plain.originCurrency.address), ["UNSUPPORTED_CURRENCY", "originCurrency"])
    const absent = refusedFill(plain, new PaymentRefused({ reason: "reverts", unfit: { _tag: "NoAccount" } }))
    assert.deepStrictEqual([absent.code, absent.field], ["INVALID_RECIPIENT", "recipient"])
    assert.include(absent.message, "does not exist")
    const lost = refusedFill(plain, new PaymentRefused({ reason: "reverts", unfit: { _tag: "NoRefundAccount" } }))
    assert.deepStrictEqual([lost.code, lost.field], ["INVALID_ADDRESS", "refundTo"])
    const own = (["OwnAccount", "OwnRefundAccount"] as const).map((_tag) =>
      refusedFill(plain, new PaymentRefused({ reason: "reverts", unfit: { _tag } }))
    )
    assert.deepStrictEqual(own.map(({ code, field }) => [code, field]), [
      ["INVALID_RECIPIENT", "recipient"],
      ["INVALID_ADDRESS", "refundTo"]
    ])
    for (const request of [plain, swapping]) {
      assert.deepStrictEqual(of(request, "insufficient-funds"), ["INSUFFICIENT_LIQUIDITY", "amount"])
    }
  })
})

describe("a deposit of coins that the user cannot make", () => {
  const of = (reason: DepositUnfit["reason"]) => {
    const { code, field, message } = unfitDeposit(new DepositUnfit({ reason }))
    return { refused: [code, field], message }
  }

  it("is refused with its cause: too little, too many coins, less than nodes relay, or more than wallets can show", () => {
    const poor = of({ _tag: "UserUnfunded", needed: 5_000n, payable: 4_321n })
    assert.deepStrictEqual(poor.refused, ["INSUFFICIENT_USER_BALANCE", "user"])
    assert.include(poor.message, "4321")
    assert.include(poor.message, "5000")
    assert.deepStrictEqual(of({ _tag: "TooManyCoins", coins: 900 }).refused, ["INVALID_REQUEST", "user"])
    assert.deepStrictEqual(of({ _tag: "Dust", least: 294n }).refused, ["AMOUNT_TOO_LOW", "amount"])
    assert.deepStrictEqual(of({ _tag: "AmountNotExact", most: 9n }).refused, ["INVALID_REQUEST", "amount"])
  })
})
