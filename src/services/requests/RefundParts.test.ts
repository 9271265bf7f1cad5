import { assert, describe, it } from "@effect/vitest"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import type { OrdersDeposit, RecordedPayment } from "../../../ports/store/orders/TransferHistory.ts"
import { Address, CurrencyAddress } from "../../domain/chain/Address.ts"
import { ChainId } from "../../domain/chain/ChainId.ts"
import { Hex32 } from "../../domain/encoding/Hex.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { refundRecords } from "./RefundParts.ts"

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const user = Address.make("0x00000000000000000000000000000000000000a1")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const alpha = ChainId.make(1)

const at = (mode: "open" | "strict") =>
  ({
    quotedAt: 1_000,
    failReason: null,
    order: { inputs: [], output: { deadline: 9_000, calls: [], payments: [{ minimumAmount: 9n }] } },
    terms: {
      originChainId: alpha,
      originCurrency: native,
      user,
      refundTo: user,
      amountIn: 1_000n,
      amountOut: 9n,
      depositAddress: { address: user, mode, depositor: user }
    }
  }) as unknown as Transfer

const deposit = (
  n: number,
  amount: bigint,
  state: OrdersDeposit["state"] = "filled",
  isHeld = false
): OrdersDeposit => ({
  state,
  isHeld,
  deposit: {
    onchainId: word(n),
    chainId: alpha,
    transactionId: TransactionId.make(word(100 + n)),
    index: 0,
    block: { height: 1n, hash: "0x", time: 1 },
    depositId: word(99),
    depositor: user,
    sender: user,
    currency: native,
    amount
  }
})

const payment = (
  leg: PaymentPurpose,
  of: number,
  amount: bigint,
  state: RecordedPayment["state"] = "included"
): RecordedPayment => ({
  leg,
  onchainId: word(of),
  chainId: alpha,
  transactionId: TransactionId.make(word(200 + of)),
  recipient: user,
  currency: native,
  amount,
  state,
  block: null,
  gasPaid: null
})

const excess = (n: number): PaymentPurpose => `excess:${word(n)}`
const refund = (n: number): PaymentPurpose => `refund:${word(n)}`

const told = (
  mode: "open" | "strict",
  deposits: ReadonlyArray<OrdersDeposit>,
  payments: ReadonlyArray<RecordedPayment>
) =>
  refundRecords(at(mode), deposits, payments).map((
    { amount, deposit, kind, payment, reason, state }
  ) => [kind, Number(deposit.onchainId), state, reason, amount, payment?.amount])

describe("the refunds of a transfer", () => {
  it("list an excess separately, without a reason and with its payment's state", () => {
    const deposits = [deposit(1, 1_050n)]
    const sent = (state: RecordedPayment["state"]) =>
      told("strict", deposits, [payment("fill", 1, 9n), payment(excess(1), 1, 45n, state)])
    assert.deepStrictEqual(sent("included"), [["excess", 1, "paid", undefined, 50n, 45n]])
    assert.deepStrictEqual([sent("signed")[0]?.[2], sent("sent")[0]?.[2], sent("reverted")[0]?.[2]], [
      "submitted",
      "submitted",
      "failed"
    ])
  })

  it("list an excess that was not worth its gas once the filling has ended, and none when there was none", () => {
    const fill = payment("fill", 1, 9n)
    assert.deepStrictEqual(told("strict", [deposit(1, 1_050n)], [fill]), [[
      "excess",
      1,
      "recorded",
      undefined,
      50n,
      undefined
    ]])
    assert.deepStrictEqual(told("strict", [deposit(1, 1_050n, "open")], [fill]), [])
    assert.deepStrictEqual(told("strict", [deposit(1, 1_000n)], [fill]), [])
    assert.deepStrictEqual(told("open", [deposit(1, 1_050n)], [fill]), [])
    assert.deepStrictEqual(told("strict", [deposit(1, 1_050n, "open")], []), [])
  })

  it("list the excess of a fill whose deposit has moved since, and a second deposit beside it", () => {
    const legs = told("strict", [deposit(2, 1_050n), deposit(3, 1_070n, "refunded")], [
      payment("fill", 2, 9n),
      payment(excess(1), 1, 45n),
      payment(refund(3), 3, 1_065n)
    ])
    assert.deepStrictEqual(legs, [["deposit", 3, "paid", "DOUBLE_SPEND", 1_070n, 1_065n], [
      "excess",
      2,
      "paid",
      undefined,
      50n,
      45n
    ]])
  })

  it("distinguish refunds held back by the cap from those not worth their gas, until they are paid", () => {
    const waiting = [deposit(2, 1_000n), deposit(3, 7n, "unrefundable", true), deposit(4, 1n, "unrefundable")]
    assert.deepStrictEqual(told("open", waiting, [payment("fill", 2, 9n)]), [
      ["deposit", 3, "held", "DOUBLE_SPEND", 7n, undefined],
      ["deposit", 4, "recorded", "DOUBLE_SPEND", 1n, undefined]
    ])
    assert.deepStrictEqual(told("open", waiting, [payment("fill", 2, 9n), payment(refund(3), 3, 6n)])[0], [
      "deposit",
      3,
      "paid",
      "DOUBLE_SPEND",
      7n,
      6n
    ])
  })
})
