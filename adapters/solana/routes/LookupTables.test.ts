import { assert, describe, it } from "@effect/vitest"
import { AccountRole, address, blockhash, compileTransaction, getAddressEncoder } from "@solana/kit"
import type { Instruction } from "@solana/kit"
import { Effect } from "effect"
import { fakeClient, inContext, shown } from "../pay/testing/FakeClient.ts"
import { newAddress } from "../pay/testing/PaymentFixture.ts"
import { messageWith, MOST_UNITS, readTables, withRoom } from "./LookupTables.ts"

const TABLE_PROGRAM = "AddressLookupTab1e1111111111111111111111111"
const NEVER = (1n << 64n) - 1n

/** A table's account: kind, the slot of its deactivation, the rest of its header, its addresses. */
const tableOf = (listed: ReadonlyArray<string>, deactivated: bigint = NEVER): Uint8Array => {
  const data = new Uint8Array(56 + listed.length * 32)
  const view = new DataView(data.buffer)
  view.setUint32(0, 1, true)
  view.setBigUint64(4, deactivated, true)
  for (const [index, each] of listed.entries()) data.set(getAddressEncoder().encode(address(each)), 56 + index * 32)
  return data
}

const addresses = (count: number) => Effect.all(Array.from({ length: count }, () => newAddress))

const tablesOf = (accounts: Readonly<Record<string, unknown>>) =>
  Effect.promise(() =>
    readTables(
      fakeClient({
        getMultipleAccounts: ([keys]) => inContext((keys as ReadonlyArray<string>).map((key) => accounts[key] ?? null))
      }),
      Object.keys(accounts)
    )
  )

describe("the lookup tables of a route", () => {
  it.effect("are used while they are live: deactivated, empty, foreign, cut and missing ones are left out", () =>
    Effect.gen(function*() {
      const [live, leaving, left] = yield* Effect.all([newAddress, newAddress, newAddress])
      const [empty, foreign, cut, missing] = yield* Effect.all([newAddress, newAddress, newAddress, newAddress])
      const listed = yield* addresses(3)
      const found = yield* tablesOf({
        [live]: shown(TABLE_PROGRAM, tableOf(listed)),
        // A table can be read for 513 slots after its deactivation, so a quote that is signed later could not.
        [leaving]: shown(TABLE_PROGRAM, tableOf(listed, NEVER - 1n)),
        [left]: shown(TABLE_PROGRAM, tableOf(listed, 5n)),
        [empty]: shown(TABLE_PROGRAM, tableOf([])),
        [foreign]: shown("11111111111111111111111111111111", tableOf(listed)),
        [cut]: shown(TABLE_PROGRAM, tableOf(listed).slice(0, 55)),
        [missing]: null
      })
      assert.deepStrictEqual(found, { [live]: listed })
    }))

  it.effect("make a transaction smaller, and are named in it only where they are used", () =>
    Effect.gen(function*() {
      const [payer, program, used, unused] = yield* Effect.all([newAddress, newAddress, newAddress, newAddress])
      const [listed, others] = [yield* addresses(8), yield* addresses(2)]
      const tables = yield* tablesOf({
        [used]: shown(TABLE_PROGRAM, tableOf(listed)),
        [unused]: shown(TABLE_PROGRAM, tableOf(others))
      })
      const instruction: Instruction = {
        programAddress: program,
        accounts: listed.map((each) => ({ address: each, role: AccountRole.WRITABLE }))
      }
      const recent = { blockhash: blockhash(payer), lastValidBlockHeight: 1n }
      const sizeOf = (through: typeof tables) =>
        compileTransaction(messageWith(payer, [instruction], recent, through)).messageBytes.length
      // 32 bytes an account, for a byte of index each, and one table: its address and two lengths.
      assert.strictEqual(sizeOf({}) - sizeOf(tables), listed.length * 31 - 34)
    }))
})

describe("the units of a transaction", () => {
  it("are a fifth and 20,000 more than the simulation took, and no more than the chain's most", () => {
    assert.deepStrictEqual([0n, 1n, 100_000n].map(withRoom), [20_000, 20_002, 140_000])
    assert.strictEqual(withRoom(BigInt(MOST_UNITS)), MOST_UNITS)
  })
})
