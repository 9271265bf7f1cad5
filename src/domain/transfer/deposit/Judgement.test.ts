/**
 * Every fill can be settled. Below the order's minimum or after its deadline, a deposit is filled only if the order's
 * refund on the destination covers it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { CurrencyAddress } from "../../chain/Address.ts"
import { Order } from "../../order/Order.ts"
import { alpha, evmAddress } from "../../quote/testing/Chains.ts"
import { answer, now } from "../../quote/testing/SignedQuotes.ts"
import type { Deposit } from "./Deposit.ts"
import { judge } from "./Judgement.ts"
import type { Transfer } from "../Transfer.ts"

const AMOUNT = 10n ** 18n
const DAY = 86_400
const user = evmAddress("11")
const destinationCurrency = CurrencyAddress.make(`0x${"0".repeat(40)}`)
const Answer = Schema.Struct({ protocol: Schema.Struct({ v2: Schema.Struct({ orderData: Order }) }) })

const transferOf = (refundOnOrigin: boolean): Transfer => {
  const order = Schema.decodeUnknownSync(Answer)(answer({
    user,
    originChainId: 1,
    destinationChainId: 2,
    originCurrency: alpha.native.address,
    destinationCurrency,
    amount: AMOUNT.toString(),
    tradeType: "EXACT_INPUT",
    includeProtocolData: true,
    refundOnOrigin
  })).protocol.v2.orderData
  const { expectedAmount = 0n, minimumAmount = 0n } = order.output.payments[0] ?? {}
  const terms = {
    originChainId: alpha.id,
    originCurrency: alpha.native.address,
    destinationCurrency,
    user,
    tradeType: "EXACT_INPUT",
    amountIn: AMOUNT,
    amountOut: expectedAmount,
    minimumOut: minimumAmount,
    lateSlippageBps: 1_000n
  }
  return { id: "0x1", order, terms, quotedAt: now * 1000 } as unknown as Transfer
}

/** The order requires one unit more than the terms promise, or has a deadline before the quote. */
const contradicting = (
  { order, ...transfer }: Transfer,
  change: "amount" | "deadline",
  depositAddress?: object
): Transfer => {
  const { output } = order
  const payments = output.payments.map((payment) => ({ ...payment, minimumAmount: transfer.terms.amountOut + 1n }))
  const terms = { ...transfer.terms, ...(depositAddress === undefined ? {} : { depositAddress }) } as Transfer["terms"]
  return {
    ...transfer,
    terms,
    order: { ...order, output: change === "amount" ? { ...output, payments } : { ...output, deadline: now - 1 } }
  }
}

const settled = (transfer: Transfer, time: number, amountOut: bigint) => {
  const deposit = {
    chainId: alpha.id,
    currency: alpha.native.address,
    amount: AMOUNT,
    sender: user,
    depositor: user,
    block: { height: 1n, hash: "0x", time }
  } as unknown as Deposit
  const judged = judge(transfer, deposit, "first")
  return judged._tag === "Reprice" ? judged.price.settle(amountOut) : judged
}

/** A deposit of the whole quoted amount, while its price holds. */
const judged = (transfer: Transfer) => {
  const deposit = {
    chainId: alpha.id,
    currency: alpha.native.address,
    amount: AMOUNT,
    sender: user,
    depositor: user,
    block: { height: 1n, hash: "0x", time: now }
  } as unknown as Deposit
  const judgement = judge(transfer, deposit, "first")
  return judgement._tag === "Fill" ? judgement.verdict : judgement
}

describe("a deposit for a request that accepts late ones", () => {
  const [either, originOnly] = [transferOf(false), transferOf(true)]
  const { amountOut } = either.terms
  const late = now + 8 * DAY

  it("is filled late where the order's refund on the destination settles it", () => {
    assert.deepStrictEqual(settled(either, late, amountOut), { _tag: "Fill", amountOut })
  })

  it("is refunded late where nothing settles it: refunds on the origin alone, less than the refund, all options over", () => {
    assert.deepStrictEqual<unknown>(settled(originOnly, late, amountOut), { _tag: "Refund", reason: "ORDER_EXPIRED" })
    assert.deepStrictEqual<unknown>(settled(either, late, (amountOut * 95n) / 100n), {
      _tag: "Refund",
      reason: "ORDER_EXPIRED"
    })
    assert.deepStrictEqual<unknown>(settled(either, now + 15 * DAY, amountOut), {
      _tag: "Refund",
      reason: "ORDER_EXPIRED"
    })
  })

  it("is filled at the quoted price, unless its order could not be settled: no quote of ours makes such an order, but an altered store may contain one", () => {
    assert.deepStrictEqual<unknown>(judged(originOnly), { _tag: "Fill", amountOut })
    assert.deepStrictEqual<unknown>(judged(contradicting(originOnly, "amount")), { _tag: "Refund", reason: "SLIPPAGE" })
    assert.deepStrictEqual<unknown>(judged(contradicting(originOnly, "deadline")), {
      _tag: "Refund",
      reason: "ORDER_EXPIRED"
    })
    const address = { address: user, mode: "strict", depositor: user }
    assert.deepStrictEqual<unknown>(judged(contradicting(originOnly, "amount", address)), {
      _tag: "Refund",
      reason: "SLIPPAGE"
    })
    // The refund on the destination settles what the fill does not.
    assert.deepStrictEqual<unknown>(judged(contradicting(either, "amount")), { _tag: "Fill", amountOut })
  })

  it("in time is filled whatever its refunds are", () => {
    for (const transfer of [either, originOnly]) {
      assert.deepStrictEqual(settled(transfer, now + DAY, transfer.terms.minimumOut), {
        _tag: "Fill",
        amountOut: transfer.terms.minimumOut
      })
    }
  })
})
