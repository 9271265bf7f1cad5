import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import { Hex32 } from "../encoding/Hex.ts"
import { TransactionId } from "../chain/TransactionId.ts"
import { OrderId } from "../order/Order.ts"
import type { KeptPayment } from "./KeptPayment.ts"
import { judgeTwice } from "./JudgePayments.ts"
import { isPaymentInScope } from "./ReconciliationScope.ts"

const account = Result.getOrThrow(ethereumAddresses.parse(`0x${"a".repeat(40)}`))
const word = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`

const payment = (changes: Partial<KeptPayment>): KeptPayment => ({
  orderId: OrderId.make(word("1")),
  leg: "fill",
  deposit: Hex32.make(word("2")),
  chainId: ChainId.make(1),
  account,
  sequence: 0n,
  recipient: account,
  currency: ethereumAddresses.nativeCurrency,
  amount: 1n,
  transactionId: TransactionId.make(word("3")),
  state: "included",
  signedAt: 1_000_000,
  block: { height: 1n, hash: "0x1", time: 1_500 },
  gasPaid: 1n,
  ...changes
})

it("a payment is checked if it was signed or included since, or is still open", () => {
  const at = (changes: Partial<KeptPayment>, since: number | undefined) => isPaymentInScope(payment(changes), since)
  assert.isTrue(at({}, undefined))
  assert.isTrue(at({}, 1_500_000))
  assert.isFalse(at({}, 1_500_001))
  assert.isTrue(at({ signedAt: 2_000_000 }, 1_500_001))
  assert.isTrue(at({ block: undefined, state: "sent" }, 9_000_000))
  assert.isTrue(at({ block: undefined, state: "signed" }, 9_000_000))
  assert.isFalse(at({ block: undefined, state: "void" }, 9_000_000))
})

it("a deposit that was answered twice is reported when either answer is checked", () => {
  const [old, recent] = [
    payment({}),
    payment({ leg: "refund:x", signedAt: 8_000_000, transactionId: TransactionId.make(word("4")) })
  ]
  const twice = (since: number | undefined) => judgeTwice([old, recent], since).length
  assert.deepStrictEqual([twice(undefined), twice(8_000_000), twice(8_000_001)], [1, 1, 0])
})
