import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import { Hex32 } from "../encoding/Hex.ts"
import { TransactionId } from "../chain/TransactionId.ts"
import { OrderId } from "../order/Order.ts"
import { transferOf } from "../permit/testing/PermitTransfers.ts"
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import type { Transfer } from "../transfer/Transfer.ts"
import { isExcess, judgeExcess } from "./JudgeExcess.ts"
import { judgePayments, judgeTwice, judgeUnrecorded } from "./JudgePayments.ts"
import type { SeenPayment } from "./JudgePayments.ts"
import type { KeptPayment } from "./KeptPayment.ts"

const account = Result.getOrThrow(ethereumAddresses.parse(`0x${"a".repeat(40)}`))
const word = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`
const chainId = ChainId.make(1)
const currency = ethereumAddresses.nativeCurrency

const payment = (leg: string, changes: Partial<KeptPayment> = {}): KeptPayment => ({
  orderId: OrderId.make(word("1")),
  leg,
  deposit: Hex32.make(word("2")),
  chainId,
  account,
  sequence: 0n,
  recipient: account,
  currency,
  amount: 50n,
  transactionId: TransactionId.make(word("3")),
  state: "included",
  signedAt: 1,
  block: { height: 1n, hash: "0x1", time: 1 },
  gasPaid: 1n,
  ...changes
})

const deposit: Deposit = {
  onchainId: Hex32.make(word("2")),
  chainId,
  transactionId: TransactionId.make(word("4")),
  index: 0,
  block: { height: 1n, hash: "0x1", time: 1 },
  depositId: Hex32.make(word("1")),
  depositor: account,
  sender: account,
  currency,
  amount: 1_050n
}

const at = (mode: "open" | "strict") =>
  transferOf({
    originChainId: chainId,
    originCurrency: currency,
    amountIn: 1_000n,
    depositAddress: { address: account, mode, depositor: account }
  })

it("an excess is at most the amount of a filled deposit at a strict address above its quote", () => {
  const judged = (
    amount: bigint,
    transfer: Transfer | undefined = at("strict"),
    filled: Deposit | undefined = deposit,
    beside = payment("fill")
  ) =>
    judgeExcess("beta", payment("excess:2", { amount }), transfer, beside, filled).map((
      { found, kind }
    ) => [kind, found])
  assert.deepStrictEqual([judged(50n), judged(1n)], [[], []])
  assert.deepStrictEqual(judged(51n), [["excess-unfounded", "50 that was not paid for"]])
  assert.deepStrictEqual(judged(1n, at("open")), [["excess-unfounded", "0 that was not paid for"]])
  assert.deepStrictEqual(judged(1n, at("strict"), { ...deposit, chainId: ChainId.make(2) }), [[
    "excess-unfounded",
    "0 that was not paid for"
  ]])
  const none = judgeExcess("beta", payment("excess:2"), at("strict"), payment("fill"), undefined)
  assert.deepStrictEqual(none.map(({ found }) => found), ["no deposit of it that was filled or refunded"])
  const grown = (leg: string, deposited: bigint) => judged(50n, at("open"), deposit, payment(leg, { deposited }))
  for (const leg of ["fill", "fallback", `refund:${deposit.onchainId}`]) {
    assert.deepStrictEqual(grown(leg, 1_000n), [], leg)
    assert.deepStrictEqual(grown(leg, 1_001n), [["excess-unfounded", "49 that was not paid for"]], leg)
  }
  const kinds = ["excess:2", "refund:2", "fill", "sweep"].filter((leg) => isExcess(payment(leg)))
  assert.deepStrictEqual([kinds, isExcess(payment("excess:2!0x", { state: "void" }))], [["excess:2"], false])
})

it("a fill and its excess are one answer to a deposit; a refund beside either is a second one", () => {
  const twice = (...legs: ReadonlyArray<string>) => judgeTwice(legs.map((leg) => payment(leg)), undefined).length
  assert.deepStrictEqual([
    twice("fill", "excess:2"),
    twice("excess:2"),
    twice("fill", "refund:2"),
    twice("excess:2", "refund:2")
  ], [0, 0, 1, 1])
  assert.deepStrictEqual([twice("fill", "excess:2", "refund:2"), twice("excess:2", "excess:2")], [1, 1])
  // Unless the deposit had more by then than was refunded (REFUND-9).
  const grown = (excess: bigint) =>
    judgeTwice([payment("refund:2", { deposited: 5n }), payment("excess:2", { deposited: excess })], undefined).length
  assert.deepStrictEqual([grown(5n), grown(6n)], [1, 0])
})

const seen = (changes: Partial<SeenPayment>): SeenPayment => ({
  transactionId: TransactionId.make(word("3")),
  sequence: 0n,
  succeeded: true,
  payment: undefined,
  movesNothing: true,
  ...changes
})

it("a gas topup is compared with its record", () => {
  const id = TransactionId.make(word("3"))
  const judged = (kept: bigint, found: bigint) => {
    const paid = {
      orderId: payment("fill").orderId,
      recipient: payment("fill").recipient,
      currency,
      amount: payment("fill").amount
    }
    const topup = (units: bigint) => units === 0n ? {} : { topup: units }
    return judgePayments(
      "beta",
      [payment("fill", topup(kept))],
      new Map([[id, seen({ movesNothing: false, payment: { ...paid, ...topup(found) } })]])
    ).map(({ kind }) => kind)
  }
  assert.deepStrictEqual([judged(0n, 0n), judged(7n, 7n)], [[], []])
  assert.deepStrictEqual([judged(7n, 6n), judged(7n, 0n), judged(0n, 7n)], [["payment-differs"], ["payment-differs"], [
    "payment-differs"
  ]])
})

it("a sweep counts as moving none of the account's money, and one without a row is no difference", () => {
  const judged = (changes: Partial<SeenPayment>, leg = "sweep") =>
    judgePayments(
      "beta",
      [payment(leg, { amount: 0n, state: leg === "sweep" ? "included" : "void" })],
      new Map([[TransactionId.make(word("3")), seen(changes)]])
    ).map(({ kind }) => kind)
  assert.deepStrictEqual(judged({}), [])
  assert.deepStrictEqual(judged({ movesNothing: false }), ["payment-differs"])
  assert.deepStrictEqual(judged({ sequence: 1n }), ["payment-differs"])
  assert.deepStrictEqual(judged({ succeeded: false }), ["payment-failed"])
  assert.deepStrictEqual(judged({ succeeded: false }, `sweep!${word("3")}`), [])
  const paying = { orderId: OrderId.make(word("1")), recipient: account, currency, amount: 50n }
  assert.deepStrictEqual(judged({ movesNothing: false, payment: paying }), ["payment-differs"])
  assert.lengthOf(judgeUnrecorded("beta", [], [seen({})]), 0)
  assert.lengthOf(judgeUnrecorded("beta", [], [seen({ movesNothing: false })]), 1)
})

it("a payment that the chain has given another id is recorded under the id that was signed", () => {
  const renamed = (signedAs: string) =>
    seen({ movesNothing: false, transactionId: TransactionId.make(word("4")), signedAs: TransactionId.make(signedAs) })
  assert.lengthOf(judgeUnrecorded("beta", [payment("fill")], [renamed(word("3"))]), 0)
  assert.lengthOf(judgeUnrecorded("beta", [payment("fill")], [renamed(word("5"))]), 1)
})
