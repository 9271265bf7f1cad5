/** The rows of ADDRESS-5's table, one by one. property-tests/StrictOutcomes.ts has the properties of every deposit. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Address } from "../chain/Address.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import { Bps } from "../money/Bps.ts"
import type { FailReason } from "../transfer/FailReason.ts"
import { AddressOutcome, type RefundState } from "./AddressOutcome.ts"
import type { AddressDeposit, OpenTerms, StrictTerms } from "./AddressTerms.ts"
import { judgeAddressDeposit, settleReprice } from "./JudgeAddressDeposit.ts"
import { planRefundPart } from "./RefundPart.ts"

const quotedAt = 1_000_000
const strict: StrictTerms = {
  mode: "strict",
  tradeType: "EXACT_INPUT",
  chainId: ChainId.make(1),
  currency: ethereumAddresses.nativeCurrency,
  amountIn: 100n,
  amountOut: 90n,
  minimumOut: 88n,
  quotedAt: quotedAt * 1000,
  deadline: quotedAt + 600,
  ttlSeconds: undefined
}
const open: OpenTerms = { ...strict, mode: "open", tradeType: "EXACT_INPUT", latePaymentSlippage: undefined }
const deposit: AddressDeposit = {
  chainId: strict.chainId,
  currency: strict.currency,
  received: 100n,
  blockTime: quotedAt + 30,
  sender: "another",
  turn: "first"
}
const outcome = (terms: StrictTerms | OpenTerms, change: Partial<AddressDeposit> = {}) =>
  judgeAddressDeposit(terms, { ...deposit, ...change })
const settled = (terms: StrictTerms | OpenTerms, change: Partial<AddressDeposit>, amountOut: bigint) => {
  const found = outcome(terms, change)
  return found._tag === "Reprice" ? settleReprice(found, amountOut) : found
}
const refund = (amount: bigint, reason: FailReason, state: RefundState): AddressOutcome => ({
  _tag: "Refund",
  amount,
  reason,
  state
})
const other = {
  chain: ChainId.make(10),
  currency: Result.getOrThrow(ethereumAddresses.parseCurrency(`0x${"5".repeat(40)}`))
}

describe("strict", () => {
  it("exact is filled", () => assert.deepStrictEqual(outcome(strict), { _tag: "Fill", amountIn: 100n, amountOut: 90n }))

  it("more: the quoted amount is filled, the excess is refunded separately", () => {
    assert.deepStrictEqual(outcome(strict, { received: 101n }), {
      _tag: "FillWithExcess",
      amountIn: 100n,
      amountOut: 90n,
      excess: 1n
    })
  })

  it("less fails, for any sender", () => {
    assert.deepStrictEqual(
      outcome(strict, { received: 99n }),
      refund(99n, "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL", "decides")
    )
  })

  it("again is refunded, DOUBLE_SPEND", () => {
    for (const received of [99n, 100n, 101n]) {
      assert.deepStrictEqual(outcome(strict, { received, turn: "again" }), refund(received, "DOUBLE_SPEND", "leg"))
    }
  })

  it("another chain or currency is refunded separately and does not change the order", () => {
    assert.deepStrictEqual(outcome(strict, { chainId: other.chain }), refund(100n, "DEPOSIT_CHAIN_MISMATCH", "leg"))
    assert.deepStrictEqual(
      outcome(strict, { currency: other.currency }),
      refund(100n, "INCORRECT_DEPOSIT_CURRENCY", "leg")
    )
  })

  it("after the price hold it is priced again: at least the minimum, or a full refund", () => {
    assert.deepStrictEqual(settled(strict, { blockTime: quotedAt + 31 }, 88n), {
      _tag: "Fill",
      amountIn: 100n,
      amountOut: 88n
    })
    assert.deepStrictEqual(settled(strict, { blockTime: quotedAt + 31, received: 105n }, 95n), {
      _tag: "FillWithExcess",
      amountIn: 100n,
      amountOut: 95n,
      excess: 5n
    })
    assert.deepStrictEqual(
      settled(strict, { blockTime: quotedAt + 31, received: 105n }, 87n),
      refund(105n, "SLIPPAGE", "decides")
    )
  })

  it("an exact output stays exact at any price", () => {
    const exact: StrictTerms = { ...strict, tradeType: "EXACT_OUTPUT", minimumOut: 90n }
    assert.deepStrictEqual(settled(exact, { blockTime: quotedAt + 31 }, 95n), {
      _tag: "Fill",
      amountIn: 100n,
      amountOut: 90n
    })
    assert.deepStrictEqual(settled(exact, { blockTime: quotedAt + 31 }, 89n), refund(100n, "SLIPPAGE", "decides"))
  })

  it("a block in the deadline's second is in time, one in the next is not; a time to live counts from the quote", () => {
    assert.strictEqual(outcome(strict, { blockTime: strict.deadline })._tag, "Reprice")
    assert.deepStrictEqual(
      outcome(strict, { blockTime: strict.deadline + 1 }),
      refund(100n, "ORDER_EXPIRED", "decides")
    )
    assert.strictEqual(outcome({ ...strict, ttlSeconds: 30 })._tag, "Fill")
    assert.deepStrictEqual(outcome({ ...strict, ttlSeconds: 29 }), refund(100n, "TTL_EXPIRED", "decides"))
  })
})

describe("open", () => {
  it("exact is filled", () => assert.deepStrictEqual(outcome(open), { _tag: "Fill", amountIn: 100n, amountOut: 90n }))

  it("more is priced again and filled whole", () => {
    assert.deepStrictEqual(settled(open, { received: 200n }, 180n), { _tag: "Fill", amountIn: 200n, amountOut: 180n })
    assert.deepStrictEqual(settled(open, { received: 101n, sender: "user" }, 87n), refund(101n, "SLIPPAGE", "decides"))
  })

  it("less is filled if it still covers its fees, else refunded; a stranger's dust decides nothing", () => {
    assert.deepStrictEqual(settled(open, { received: 50n }, 1n), { _tag: "Fill", amountIn: 50n, amountOut: 1n })
    assert.deepStrictEqual(settled(open, { received: 50n }, 0n), refund(50n, "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL", "leg"))
    assert.deepStrictEqual(
      settled(open, { received: 50n, sender: "user" }, 0n),
      refund(50n, "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL", "decides")
    )
  })

  it("again, and on another chain, is a separate request", () => {
    assert.deepStrictEqual(outcome(open, { turn: "again", received: 7n, blockTime: open.deadline + 1000 }), {
      _tag: "NewRequest",
      amountIn: 7n
    })
    assert.deepStrictEqual(outcome(open, { chainId: other.chain }), { _tag: "NewRequest", amountIn: 100n })
    assert.deepStrictEqual(
      outcome(open, { chainId: other.chain, currency: other.currency }),
      refund(100n, "INCORRECT_DEPOSIT_CURRENCY", "leg")
    )
  })

  it("after the deadline: a new order where the request allows it", () => {
    const late = { blockTime: open.deadline + 1, received: 70n, sender: "user" } as const
    assert.deepStrictEqual(outcome(open, late), refund(70n, "ORDER_EXPIRED", "decides"))
    assert.deepStrictEqual(outcome({ ...open, latePaymentSlippage: Bps(300n) }, late), {
      _tag: "NewOrder",
      amountIn: 70n,
      slippageBps: 300n
    })
    assert.deepStrictEqual(
      outcome({ ...open, ttlSeconds: 29 }, { sender: "user" }),
      refund(100n, "TTL_EXPIRED", "decides")
    )
    assert.deepStrictEqual(outcome({ ...open, ttlSeconds: 29 }), refund(100n, "TTL_EXPIRED", "leg"))
  })
})

it("a transfer of zero decides nothing", () => {
  for (const terms of [strict, open]) assert.deepStrictEqual(outcome(terms, { received: 0n }), { _tag: "Ignore" })
})

it("every outcome can be stored and read again", () => {
  const codec = Schema.toCodecJson(AddressOutcome)
  const outcomes = [
    outcome(strict),
    outcome(strict, { received: 101n }),
    outcome(strict, { received: 1n }),
    outcome(strict, { blockTime: quotedAt + 31 }),
    outcome({ ...strict, tradeType: "EXACT_OUTPUT" }, { blockTime: quotedAt + 31 }),
    outcome(open, { turn: "again" }),
    outcome({ ...open, latePaymentSlippage: Bps(300n) }, { blockTime: open.deadline + 1 }),
    outcome(open, { received: 0n })
  ]
  for (const each of outcomes) {
    assert.deepStrictEqual(
      Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(Schema.encodeSync(codec)(each)))),
      each
    )
  }
})

describe("a separate refund", () => {
  const address = (digit: string): Address => Result.getOrThrow(ethereumAddresses.parse(`0x${digit.repeat(40)}`))
  const [refundTo, recoveryAddress] = [address("a"), address("b")]

  it("is paid less its gas, to refundTo, else to recoveryAddress", () => {
    assert.deepStrictEqual(planRefundPart({ refundTo, recoveryAddress }, 10n, 3n), {
      _tag: "Pay",
      to: refundTo,
      amount: 7n
    })
    assert.deepStrictEqual(planRefundPart({ refundTo: undefined, recoveryAddress }, 10n, 9n), {
      _tag: "Pay",
      to: recoveryAddress,
      amount: 1n
    })
  })

  it("is kept on record below its gas, and held without an address", () => {
    assert.deepStrictEqual(planRefundPart({ refundTo, recoveryAddress: undefined }, 10n, 10n), {
      _tag: "OnRecord",
      to: refundTo,
      amount: 10n
    })
    assert.deepStrictEqual(planRefundPart({ refundTo: undefined, recoveryAddress: undefined }, 10n, 3n), {
      _tag: "Waits",
      amount: 10n
    })
  })
})
