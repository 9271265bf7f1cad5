/** What counts as paid to an address that pays for its own sweeps (TRON-26). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { Address } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { ChainSlug } from "../../domain/chain/ChainId.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import { families } from "../../domain/families/index.ts"
import type { Reading } from "../../domain/deposit-address/reindex/PlanReindex.ts"
import { tron, tronUsdt } from "../../domain/quote/testing/Chains.ts"
import { readBalances } from "./QueueSweeps.ts"

const [native, token] = [tron.native, tronUsdt]
const chainOf = (family: Chain["family"]): Chain => ({ ...tron, family })
const kept = { address: Address.make(`0x${"a1".repeat(20)}`) } as KeptAddress

const read = (units: bigint): Reading => ({ _tag: "Read", units, height: 9n, isFinal: true })
const unread: Reading = { _tag: "Unread" }
const signed: SignedPayment = { transactionId: TransactionId.make("51".repeat(32)), raw: "51" }
const unanswered = new ChainUnavailable({ chain: ChainSlug.make("tron"), operation: "sweeps", kind: "timeout" })

type Left = ReturnType<AddressBalances["Service"]["leftBySweeps"]>

/** The readings of TRX and of a token, and what was asked, in its order. */
const readWith = (left: Left, readings: ReadonlyArray<Reading>, family: Chain["family"] = families["tron-vm"]) =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    const ports = Layer.mergeAll(
      Layer.mock(AddressBalances, {
        read: () => Effect.sync(() => (asked.push("balances"), readings)),
        leftBySweeps: (_, all, height) =>
          Effect.andThen(Effect.sync(() => asked.push(`left of ${all.length} at ${height}`)), left)
      }),
      Layer.mock(Sweeps, { signed: () => Effect.sync(() => (asked.push("signed"), [signed])) })
    )
    const balances = yield* Effect.provide(readBalances(kept, chainOf(family), [native, token]), ports)
    return { asked, readings: balances.map(({ reading }) => reading) }
  })

describe("what was paid to an address that pays for its own sweeps", () => {
  it.effect("is its balance without what the sweeps that were signed by then have left", () =>
    Effect.gen(function*() {
      const found = yield* readWith(Effect.succeed(7n), [read(50n), read(50n)])
      assert.deepStrictEqual(found.readings, [read(43n), read(50n)])
      // What is signed later may be in no balance that was read before.
      assert.deepStrictEqual(found.asked, ["balances", "signed", "left of 1 at 9"])
      assert.deepStrictEqual((yield* readWith(Effect.succeed(51n), [read(50n), read(0n)])).readings, [
        read(0n),
        read(0n)
      ])
    }))

  it.effect("is not known while it is not certain what they have left, or the chain does not tell", () =>
    Effect.gen(function*() {
      for (const left of [Effect.undefined, Effect.fail(unanswered)]) {
        assert.deepStrictEqual((yield* readWith(left, [read(50n), read(50n)])).readings, [unread, read(50n)])
      }
    }))

  it.effect("needs no look at its sweeps while it has nothing, nor where addresses do not pay for them", () =>
    Effect.gen(function*() {
      for (const readings of [[read(0n), read(50n)], [unread, read(50n)]]) {
        const found = yield* readWith(Effect.die("asked"), readings)
        assert.deepStrictEqual(found, { asked: ["balances"], readings })
      }
      const all = [read(50n), read(50n)]
      const found = yield* readWith(Effect.die("asked"), all, families["ethereum-vm"])
      assert.deepStrictEqual(found, { asked: ["balances"], readings: all })
    }))
})
