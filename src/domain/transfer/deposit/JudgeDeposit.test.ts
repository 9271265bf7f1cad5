import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Address, CurrencyAddress } from "../../chain/Address.ts"
import { ChainId, ChainSlug } from "../../chain/ChainId.ts"
import { Hex, Hex32 } from "../../encoding/Hex.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import type { Order } from "../../order/Order.ts"
import { OrderId } from "../../order/Order.ts"
import type { Quote } from "../../quote/wire/Quote.ts"
import type { Deposit } from "./Deposit.ts"
import { judgeDeposit, judgeRepriced, payBy, PRICE_HOLD_SECONDS } from "./JudgeDeposit.ts"
import { paymentToReserve } from "../payment/PaymentToReserve.ts"
import { RequestId } from "../RequestId.ts"
import type { Transfer } from "../Transfer.ts"

const zero = `0x${"0".repeat(64)}` as const
const user = Address.make("0x00000000000000000000000000000000000000a1")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const QUOTED_AT = 1_900_000_000

const order: Order = {
  version: "v1",
  solverChainId: ChainSlug.make("beta"),
  solver: user,
  salt: Hex32.make(zero),
  inputs: [],
  output: {
    chainId: ChainSlug.make("beta"),
    payments: [{ recipient: user, currency: native, minimumAmount: 880n, expectedAmount: 900n }],
    calls: [],
    deadline: QUOTED_AT + 1000,
    extraData: Hex32.make(zero)
  },
  fees: []
}

const transferOf = (terms: Partial<Transfer["terms"]> = {}): Transfer => ({
  id: RequestId.make(zero),
  orderId: OrderId.make(zero),
  order,
  orderSignature: "0x",
  terms: {
    originChainId: ChainId.make(1),
    originCurrency: native,
    destinationChainId: ChainId.make(2),
    destinationCurrency: native,
    user,
    recipient: user,
    refundTo: user,
    tradeType: "EXACT_INPUT",
    amountIn: 1000n,
    amountOut: 900n,
    minimumOut: 880n,
    ...terms
  },
  // The judgement does not depend on the quote's answer.
  quote: {} as Quote,
  quotedAt: QUOTED_AT * 1000,
  status: "waiting",
  failReason: null,
  updatedAt: QUOTED_AT * 1000
})

const depositOf = (changes: Partial<Omit<Deposit, "block">> = {}, age = 1): Deposit => ({
  onchainId: Hex32.make(zero),
  chainId: ChainId.make(1),
  transactionId: TransactionId.make(zero),
  index: 0,
  block: { height: 1n, hash: "0x", time: QUOTED_AT + age },
  depositId: Hex32.make(zero),
  depositor: user,
  sender: user,
  currency: native,
  amount: 1000n,
  ...changes
})

describe("judging a deposit", () => {
  it("fills a deposit as quoted while the price holds, to the second", () => {
    const fill = { _tag: "Fill", amountOut: 900n }
    assert.deepStrictEqual<unknown>(judgeDeposit(transferOf(), depositOf({}, PRICE_HOLD_SECONDS)), fill)
    assert.deepStrictEqual<unknown>(judgeDeposit(transferOf(), depositOf({}, PRICE_HOLD_SECONDS + 1)), {
      _tag: "Reprice",
      amountIn: 1000n
    })
    // A chain's clock may be behind ours: a block from before the quote is in time.
    assert.deepStrictEqual<unknown>(judgeDeposit(transferOf(), depositOf({}, -5)), fill)
  })

  it("prices any other amount again", () => {
    for (const amount of [999n, 1001n, 1n]) {
      assert.deepStrictEqual<unknown>(judgeDeposit(transferOf(), depositOf({ amount })), {
        _tag: "Reprice",
        amountIn: amount
      })
    }
  })

  it("refunds a deposit that can never be filled, with its reason", () => {
    const reason = (transfer: Transfer, deposit: Deposit) => {
      const verdict = judgeDeposit(transfer, deposit)
      return verdict._tag === "Refund" ? verdict.reason : verdict._tag
    }
    assert.strictEqual(reason(transferOf(), depositOf({ chainId: ChainId.make(3) })), "DEPOSIT_CHAIN_MISMATCH")
    assert.strictEqual(
      reason(transferOf(), depositOf({ currency: CurrencyAddress.make("0x01") })),
      "INCORRECT_DEPOSIT_CURRENCY"
    )
    assert.strictEqual(reason(transferOf(), depositOf({}, 1000)), "Reprice")
    assert.strictEqual(reason(transferOf(), depositOf({}, 1001)), "ORDER_EXPIRED")
    assert.strictEqual(reason(transferOf({ ttlSeconds: 10 }), depositOf({}, 10)), "Fill")
    assert.strictEqual(reason(transferOf({ ttlSeconds: 10 }), depositOf({}, 11)), "TTL_EXPIRED")
  })
})

describe("judging special requests", () => {
  const late = 2_000
  const tolerant = (bps: bigint, terms: Partial<Transfer["terms"]> = {}) =>
    transferOf({ lateSlippageBps: bps, ...terms })

  it("renews an order for a late deposit within the requested tolerance, and not a unit beyond", () => {
    assert.deepStrictEqual<unknown>(judgeDeposit(tolerant(500n), depositOf({}, late)), {
      _tag: "Reprice",
      amountIn: 1000n
    })
    assert.deepStrictEqual<unknown>(judgeRepriced(tolerant(500n), depositOf({}, late), 855n), {
      _tag: "Fill",
      amountOut: 855n
    })
    assert.deepStrictEqual<unknown>(judgeRepriced(tolerant(500n), depositOf({}, late), 854n), {
      _tag: "Refund",
      reason: "SLIPPAGE"
    })
    // For a deposit in time the quote's own minimum counts, whatever tolerance was set for late ones.
    assert.deepStrictEqual<unknown>(judgeRepriced(tolerant(500n), depositOf(), 879n), {
      _tag: "Refund",
      reason: "SLIPPAGE"
    })
    const exact = tolerant(500n, { tradeType: "EXACT_OUTPUT", minimumOut: 900n })
    assert.deepStrictEqual<unknown>(judgeRepriced(exact, depositOf({}, late), 870n), { _tag: "Fill", amountOut: 870n })
    assert.deepStrictEqual<unknown>(judgeRepriced(exact, depositOf({}, late), 950n), { _tag: "Fill", amountOut: 900n })
    assert.strictEqual(payBy(tolerant(500n), depositOf({}, late)), QUOTED_AT + late + 7 * 86_400)
    assert.strictEqual(payBy(tolerant(500n), depositOf()), QUOTED_AT + 1000)
  })

  it("a ttl counts for late deposits too", () => {
    const verdict = judgeDeposit(tolerant(500n, { ttlSeconds: 10 }), depositOf({}, late))
    assert.deepStrictEqual<unknown>(verdict, { _tag: "Refund", reason: "TTL_EXPIRED" })
  })

  it("refunds a deposit for a send, and one whose refund was requested, although it is right", () => {
    for (const terms of [{ send: true }, { forceRefund: true }] as const) {
      assert.strictEqual(judgeDeposit(transferOf(terms), depositOf())._tag, "Refund")
    }
  })

  it("keeps the surplus of an exact output where that was agreed", () => {
    const kept = transferOf({ tradeType: "EXACT_OUTPUT", minimumOut: 900n, trueExactOutput: true })
    assert.deepStrictEqual<unknown>(judgeRepriced(kept, depositOf({ amount: 10_000n }), 9_000n), {
      _tag: "Fill",
      amountOut: 900n
    })
  })

  it("reserves inventory for a deposit that will probably be filled, and none for dust or a refund", () => {
    assert.strictEqual(paymentToReserve(transferOf(), depositOf()), 900n)
    assert.strictEqual(paymentToReserve(transferOf(), depositOf({ amount: 1001n })), 900n)
    assert.isUndefined(paymentToReserve(transferOf(), depositOf({ amount: 999n })))
    assert.isUndefined(paymentToReserve(transferOf(), depositOf({ chainId: ChainId.make(3) })))
  })
})

describe("judging a new price", () => {
  it("refuses an amount below the minimum output of a swap before the deposit as too low, and reserves inventory for any other", () => {
    const swapped = transferOf({ originSwap: { source: "uniswap-v3", currency: native, amountIn: 5n, minimum: 980n } })
    const reasonOf = (amount: bigint) => judgeRepriced(swapped, depositOf({ amount }), 879n)
    assert.deepStrictEqual<unknown>(reasonOf(980n), { _tag: "Refund", reason: "SLIPPAGE" })
    assert.deepStrictEqual<unknown>(reasonOf(979n), { _tag: "Refund", reason: "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL" })
    assert.deepStrictEqual([
      paymentToReserve(swapped, depositOf({ amount: 980n })),
      paymentToReserve(swapped, depositOf({ amount: 979n }))
    ], [900n, undefined])
  })

  it("fills a deposit that still delivers the minimum, exact outputs exactly, and also delivers an amount paid on top", () => {
    assert.deepStrictEqual<unknown>(judgeRepriced(transferOf(), depositOf(), 880n), { _tag: "Fill", amountOut: 880n })
    assert.deepStrictEqual<unknown>(judgeRepriced(transferOf(), depositOf(), 879n), {
      _tag: "Refund",
      reason: "SLIPPAGE"
    })
    assert.deepStrictEqual<unknown>(judgeRepriced(transferOf(), depositOf({ amount: 999n }), 879n), {
      _tag: "Refund",
      reason: "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL"
    })
    const exact = transferOf({ tradeType: "EXACT_OUTPUT", minimumOut: 900n })
    assert.deepStrictEqual<unknown>(judgeRepriced(exact, depositOf(), 905n), { _tag: "Fill", amountOut: 900n })
    assert.deepStrictEqual<unknown>(judgeRepriced(exact, depositOf({ amount: 10_000n }), 9_000n), {
      _tag: "Fill",
      amountOut: 9_000n
    })
    assert.deepStrictEqual<unknown>(judgeRepriced(exact, depositOf(), 899n), { _tag: "Refund", reason: "SLIPPAGE" })
  })

  it("never delivers less than promised, nor keeps what was paid beyond the quoted input", () => {
    const amount = fc.bigInt({ min: 0n, max: 5_000n })
    const trade = fc.constantFrom("EXACT_INPUT" as const, "EXACT_OUTPUT" as const, "EXPECTED_OUTPUT" as const)
    fc.assert(
      fc.property(amount, amount, trade, (deposited, out, tradeType) => {
        const verdict = judgeRepriced(
          transferOf({ tradeType, minimumOut: tradeType === "EXACT_OUTPUT" ? 900n : 880n }),
          depositOf({ amount: deposited }),
          out
        )
        if (verdict._tag === "Refund") return
        assert.isTrue(verdict.amountOut >= (tradeType === "EXACT_OUTPUT" ? 900n : 880n))
        if (deposited > 1000n) assert.strictEqual(verdict.amountOut, out)
      }),
      { numRuns: inputs(2_000) }
    )
  })

  it("gives a fill that swaps exactly what its calls take, at any current price", () => {
    const swap = transferOf({
      destinationSwap: { source: "uniswap-v2", currency: native, amountOut: 5n, minimumOut: 4n },
      minimumOut: 900n
    })
    assert.deepStrictEqual<unknown>(judgeRepriced(swap, depositOf(), 950n), { _tag: "Fill", amountOut: 900n })
    assert.deepStrictEqual<unknown>(judgeRepriced(swap, depositOf(), 899n), { _tag: "Refund", reason: "SLIPPAGE" })
  })

  it("refunds a deposit for a swap that the user makes alone", () => {
    const own = transferOf({ userSwap: { to: user, data: Hex.make("0x"), value: 0n } })
    assert.deepStrictEqual<unknown>(judgeDeposit(own, depositOf()), { _tag: "Refund", reason: "UNKNOWN" })
  })
})
