/** What a transfer of exchange B shows: memo, asset and route, and its sender and recipient. */
import { assert, describe, it } from "@effect/vitest"
import { account, word } from "../../../../../property-tests/EvidenceChains.ts"
import { asAddress, asCurrency } from "../../AddressCodec.ts"
import { Hex32 } from "../../../encoding/Hex.ts"
import { executes, orderIdIn, transferFacts } from "./Transfer.ts"
import type { SentTransfer } from "./Transfer.ts"

const depository = account("exchangeb-vm", 50)
const memo = Hex32.make(`0x${"1d".repeat(32)}`)
const sent = (changes: Partial<SentTransfer> = {}): SentTransfer => ({
  nonce: 1n,
  fromAccountIndex: 7n,
  fromRouteType: 0n,
  apiKeyIndex: 2n,
  toAccountIndex: BigInt(depository),
  toRouteType: 0n,
  assetIndex: 3n,
  amount: (1n << 63n) + 1n,
  usdcFee: 5n,
  memo,
  ...changes
})
const facts = (changes: Partial<SentTransfer> = {}) => transferFacts(sent(changes), depository, "mainnet")

describe("a transfer of exchange B", () => {
  it("into the depository is a deposit of its sender, for the order of its memo", () => {
    assert.deepStrictEqual(facts().deposits, [{
      depository,
      index: 0,
      depositId: memo,
      depositor: asAddress("7"),
      currency: asCurrency("0"),
      amount: (1n << 63n) + 1n
    }])
    assert.lengthOf(facts().payments, 0)
  })

  it("to someone else is a payment that names the order", () => {
    const { deposits, orderIds, payments } = facts({ toAccountIndex: 8n })
    assert.deepStrictEqual([deposits.length, orderIds, payments.map(({ recipient }) => String(recipient))], [
      0,
      [memo],
      ["8"]
    ])
    assert.deepStrictEqual(facts({ toAccountIndex: 8n, memo: word(0) }).orderIds, [])
  })

  it("has the currency of the asset where it arrives; asset 0 and an amount of zero prove nothing", () => {
    const currencyOf = (changes: Partial<SentTransfer>) => String(facts(changes).deposits[0]?.currency)
    assert.deepStrictEqual([
      currencyOf({}),
      currencyOf({ toRouteType: 1n }),
      currencyOf({ fromRouteType: 1n }),
      currencyOf({ assetIndex: 1n, toRouteType: 1n })
    ], ["0", "3", "0", "1"])
    for (const wrong of [facts({ assetIndex: 0n }), facts({ amount: 0n })]) {
      assert.isString(wrong.unattestable)
      assert.lengthOf([...wrong.deposits, ...wrong.payments], 0)
    }
  })

  it("by the depository itself is only a withdrawal, identified by the hash of everything that was signed", () => {
    for (const toAccountIndex of [8n, BigInt(depository)]) {
      const { deposits, payments, withdrawals = [] } = facts({ fromAccountIndex: BigInt(depository), toAccountIndex })
      assert.deepStrictEqual([deposits.length, payments.length, withdrawals.length], [0, 0, 1])
      const [id = word(0)] = withdrawals
      const own = sent({ fromAccountIndex: BigInt(depository), toAccountIndex })
      assert.isTrue(executes(own, 304n, id))
      for (
        const changed of [
          { nonce: 2n },
          { apiKeyIndex: 3n },
          { amount: 1n },
          { usdcFee: 6n },
          { assetIndex: 1n },
          { toRouteType: 1n },
          { fromRouteType: 1n },
          { memo: word(1) }
        ]
      ) assert.isFalse(executes({ ...own, ...changed }, 304n, id))
      assert.isFalse(executes(own, 300n, id))
    }
  })

  it("names no order by a memo whose last 12 bytes are zero", () => {
    assert.isUndefined(orderIdIn(Hex32.make(`0x${"61".repeat(20)}${"00".repeat(12)}`)))
    assert.isString(orderIdIn(Hex32.make(`0x${"61".repeat(20)}${"00".repeat(11)}01`)))
    assert.isString(orderIdIn(Hex32.make(`0x${"61".repeat(20)}01${"00".repeat(11)}`)))
  })
})
