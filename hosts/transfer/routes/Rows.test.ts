import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { RefundRecord } from "../../../src/services/requests/RefundParts.ts"
import { RefundRow } from "../api/Rows.ts"
import { refundRow } from "./Rows.ts"

const word = `0x${"1".repeat(64)}` as const
const user = Address.make("0x00000000000000000000000000000000000000a1")

const leg = (of: Pick<RefundRecord, "amount" | "kind" | "reason">): RefundRecord => ({
  ...of,
  state: "recorded",
  deposit: {
    onchainId: Hex32.make(word),
    chainId: ChainId.make(1),
    transactionId: TransactionId.make(word),
    index: 0,
    block: { height: 1n, hash: "0x", time: 1 },
    depositId: Hex32.make(word),
    depositor: user,
    sender: user,
    currency: CurrencyAddress.make(user),
    amount: 1_050n
  },
  payment: undefined
})

it("an excess is marked as such and has no reason; a refund has its reason, and its form is unchanged", () => {
  const excess = refundRow(leg({ kind: "excess", reason: undefined, amount: 50n }))
  const whole = refundRow(leg({ kind: "deposit", reason: "SLIPPAGE", amount: 1_050n }))
  assert.deepInclude(excess, { kind: "excess", reason: "N/A", amount: "50", refunded: null })
  assert.deepInclude(whole, { reason: "SLIPPAGE", amount: "1050" })
  assert.notProperty(whole, "kind")
  for (const row of [excess, whole]) assert.deepStrictEqual(Schema.decodeUnknownSync(RefundRow)(row), row)
})
