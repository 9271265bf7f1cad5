import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Address, CurrencyAddress } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"
import { Hex32 } from "../encoding/Hex.ts"
import { TransactionId } from "../chain/TransactionId.ts"
import { OrderId } from "../order/Order.ts"
import type { KeptPayment } from "./KeptPayment.ts"
import { sequenceGaps } from "./SequenceGaps.ts"

const word = `0x${"1".repeat(64)}` as const
const account = Address.make("0x00000000000000000000000000000000000000a1")

/** In the block with ten times its sequence as height, unless it is in none. */
const kept = (sequence: number, included = true): KeptPayment => ({
  orderId: OrderId.make(word),
  leg: "fill",
  deposit: Hex32.make(word),
  chainId: ChainId.make(1),
  account,
  sequence: BigInt(sequence),
  recipient: account,
  currency: CurrencyAddress.make("0x0000000000000000000000000000000000000000"),
  amount: 1n,
  transactionId: TransactionId.make(word),
  signedAt: 0,
  state: included ? "included" : "sent",
  block: included ? { height: BigInt(sequence) * 10n, hash: "0x", time: 0 } : undefined,
  gasPaid: 1n
})

const bounds = { first: 3n, firstBlock: 25n, next: 10n, lastBlock: 500n }

describe("sequences that the store has no row for", () => {
  it("are searched between the blocks of their neighbours", () => {
    assert.deepStrictEqual(sequenceGaps([3, 4, 7].map((each) => kept(each)), bounds), [
      { from: 5n, to: 6n, fromBlock: 40n, toBlock: 70n },
      { from: 8n, to: 9n, fromBlock: 70n, toBlock: 500n }
    ])
    assert.deepStrictEqual(sequenceGaps([kept(6, false)], bounds), [
      { from: 3n, to: 5n, fromBlock: 25n, toBlock: 500n },
      { from: 7n, to: 9n, fromBlock: 25n, toBlock: 500n }
    ])
  })

  it("are, with those of the store, exactly all that the chain has used, each once", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 30 })),
        fc.integer({ min: 0, max: 15 }),
        fc.integer({ min: 0, max: 30 }),
        (known, first, next) => {
          const gaps = sequenceGaps(known.map((each) => kept(each)), {
            ...bounds,
            first: BigInt(first),
            next: BigInt(next)
          })
          const missing = gaps.flatMap(({ from, to }) =>
            Array.from({ length: Number(to - from) + 1 }, (_, index) => Number(from) + index)
          )
          const used = Array.from({ length: Math.max(0, next - first) }, (_, index) => first + index)
          assert.deepStrictEqual(missing, used.filter((each) => !known.includes(each)))
        }
      )
    )
  })
})
