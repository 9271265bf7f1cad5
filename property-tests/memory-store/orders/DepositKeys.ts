/** The port `DepositKeys` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import type { DepositKey } from "../../../ports/store/orders/DepositKeys.ts"
import { nextGeneration } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { DepositKeyRow } from "../rows/OrderRows.ts"
import { WriteRefused } from "../Table.ts"
import { keyOf } from "../Tables.ts"

/** An order chooses among this many free addresses by its id. Ids are evenly spread, so orders rarely collide. */
const SPREAD = 64

const toKey = ({ address, generation, number }: DepositKeyRow): DepositKey => ({ address, generation, number })

const inOrder = (rows: ReadonlyArray<DepositKeyRow>): ReadonlyArray<DepositKeyRow> =>
  rows.toSorted(ascending(({ generation }) => generation, ({ number }) => number))

export const layer = Layer.effect(
  DepositKeys,
  Effect.map(MemoryStore, ({ call }) =>
    DepositKeys.of({
      begin: ({ name }, at) =>
        call("DepositKeys.begin", (tables) => {
          const generation = nextGeneration(at, tables.keyGenerations.get(name))
          tables.keyGenerations.set(name, generation)
          for (const { address } of tables.freeKeys(name)) tables.depositKeys.remove(address)
          return generation
        }),
      free: ({ name }) => call("DepositKeys.free", ({ freeKeys }) => freeKeys(name).length),
      add: ({ name: family }, keys) =>
        call("DepositKeys.add", ({ depositKeys, keysAt }) => {
          for (const { address, generation, number } of keys) {
            const isTaken = depositKeys.has(address) || keysAt(keyOf(family, generation, number)).length > 0
            if (!isTaken) depositKeys.add(address, { address, generation, number, family, orderId: undefined })
          }
        }),
      claim: ({ name }, orderId) =>
        call("DepositKeys.claim", (tables) => {
          const candidates = inOrder(tables.freeKeys(name)).slice(0, SPREAD)
          const chosen = candidates[Number.parseInt(orderId.slice(-6), 16) % candidates.length]
          if (chosen === undefined) return undefined
          if (tables.keysOfOrder(orderId).length > 0) {
            throw new WriteRefused(`order ${orderId} has an address`)
          }
          tables.depositKeys.set(chosen.address, { ...chosen, orderId })
          return chosen.address
        }),
      find: (address) =>
        call("DepositKeys.find", ({ depositKeys }) => {
          const row = depositKeys.get(address)
          return row === undefined ? undefined : toKey(row)
        }),
      lastClaimed: ({ name }) =>
        call("DepositKeys.lastClaimed", (tables) => {
          const row = inOrder(tables.claimedKeys(name)).at(-1)
          return row === undefined ? undefined : toKey(row)
        })
    }))
)
