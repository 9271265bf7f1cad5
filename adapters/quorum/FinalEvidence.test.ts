/** The cache stays within its bytes, whatever transactions contain, and real memory use matches the count. */
import { assert, describe, it } from "@effect/vitest"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Address } from "../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { Hex, hex32FromDigest, hexFromBytes } from "../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { TransactionEvidence } from "../../src/domain/evidence/TransactionEvidence.ts"
import { topics } from "../../src/domain/families/ethereum/evidence/Events.ts"
import { orderIdsOf, paymentsOf, routerCallsOf } from "../../src/domain/families/ethereum/evidence/Payments.ts"
import { FinalEvidence } from "./FinalEvidence.ts"

const account = (number: number) => Address.make(`0x${number.toString(16).padStart(40, "0")}`)

/** A final transaction with a router's call of this many bytes. */
const showing = (number: number, bytes: number): TransactionEvidence => ({
  _tag: "Transaction",
  chain: ChainSlug.make("alpha"),
  transactionId: TransactionId.make(hex32FromDigest(new Uint8Array(32).fill(number))),
  outcome: "succeeded",
  block: { height: 5n, hash: "0xb1", time: 1 },
  finality: { _tag: "Final" },
  deposits: [],
  payments: [],
  orderIds: [],
  routerCalls: [{
    router: account(1),
    to: account(2),
    data: hexFromBytes(new Uint8Array(bytes).fill(number)),
    value: 0n
  }]
})

const heapUsed = (): number => {
  setFlagsFromString("--expose-gc")
  const gc = runInNewContext("gc") as () => void
  gc()
  return process.memoryUsage().heapUsed
}

const MIB = 1024 * 1024

describe("final evidence", () => {
  it("is kept within its byte limit, evicting the oldest first", () => {
    const before = heapUsed()
    const kept = new FinalEvidence(16 * MIB)
    for (let number = 0; number < 200; number += 1) {
      kept.keep(`alpha ${number}`, showing(number, 100_000))
      assert.isAtMost(kept.bytes, 16 * MIB)
    }
    assert.isDefined(kept.find("alpha 199"))
    assert.isUndefined(kept.find("alpha 0"))
    assert.isBelow(heapUsed() - before, 24 * MIB)
    assert.isAbove(kept.bytes, 15 * MIB)
  })

  it("is not kept if it would evict many others, or if it is not final", () => {
    const kept = new FinalEvidence(MIB)
    kept.keep("alpha 1", showing(1, 100))
    kept.keep("alpha 2", showing(2, 500_000))
    kept.keep("alpha 3", {
      ...showing(3, 100),
      finality: { _tag: "Pending", confirmations: 1, needed: 2, secondsLeft: 1 }
    })
    assert.isDefined(kept.find("alpha 1"))
    assert.isUndefined(kept.find("alpha 2"))
    assert.isUndefined(kept.find("alpha 3"))
  })

  it("does not retain the answers that it was read from", () => {
    const before = heapUsed()
    const kept = new FinalEvidence(16 * MIB)
    for (let number = 0; number < 60; number += 1) {
      const input = hexFromBytes(new Uint8Array(MIB).fill(number + 1))
      const said = {
        to: account(1),
        input,
        value: 5n,
        logs: [{
          address: account(2),
          topics: [topics.nativePayment],
          data: Hex.make(`0x${input.slice(2, 130)}`),
          logIndex: 0
        }]
      }
      const contracts = { depository: account(3), router: account(2) }
      kept.keep(`alpha ${number}`, {
        ...showing(number, 1),
        orderIds: orderIdsOf(said),
        payments: paymentsOf(said, contracts),
        routerCalls: routerCallsOf(said, contracts)
      })
    }
    assert.isDefined(kept.find("alpha 0"))
    assert.isBelow(heapUsed() - before, 8 * MIB)
  })

  it("is counted once when it is kept again", () => {
    const kept = new FinalEvidence(MIB)
    kept.keep("alpha 1", showing(1, 100))
    const { bytes } = kept
    kept.keep("alpha 1", showing(1, 100))
    assert.strictEqual(kept.bytes, bytes)
  })
})
