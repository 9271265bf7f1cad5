/** The port `Restorations` in memory, and how a store is marked as restored. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Restorations } from "../../../ports/store/operations/Restorations.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import { nextSequence, takeSequence } from "../orders/payments/AccountSequences.ts"
import type { Tables } from "../Tables.ts"

/** More than the clocks of the restoring and the running process differ. */
const CLOCKS_MS = 60_000

/** Whether payments made on the chain since the restored backup are not known. */
export const isHeld = ({ restorations }: Tables, chainId: ChainId): boolean => {
  const row = restorations.get(String(chainId))
  return row !== undefined && row.settledAt === undefined
}

/**
 * Marks a store as restored, before anything runs on it: on every chain that it has scanned, nothing is signed until
 * everything sent after the backup is accounted for. `at` in milliseconds.
 */
export const markRestored = (at: number) =>
  Effect.flatMap(
    MemoryStore,
    ({ call }) =>
      call("Restorations.markRestored", ({ cursors, depositKeys, restorations }) => {
        for (const { chainId, cursor } of cursors.all()) {
          const before = restorations.get(String(chainId))
          const isOpen = before !== undefined && before.settledAt === undefined
          restorations.set(String(chainId), {
            chainId,
            height: isOpen ? before.height : cursor.height,
            restoredAt: at,
            fences: {},
            settledAt: undefined
          })
        }
        // The lost store may have given these to orders that this store does not know.
        for (const { address, orderId } of depositKeys.all()) if (orderId === undefined) depositKeys.remove(address)
      })
  )

export const layer = Layer.effect(
  Restorations,
  Effect.map(MemoryStore, ({ call }) =>
    Restorations.of({
      open: call("Restorations.open", ({ restorations }) =>
        restorations.all().filter(({ settledAt }) =>
          settledAt === undefined
        ).toSorted(
          ascending(({ chainId }) => chainId)
        ).map(({ chainId, height, restoredAt }) => ({ chainId, height, restoredAt }))),
      unanswered: ({ restoredAt }) =>
        call("Restorations.unanswered", ({ deposits, payouts }) =>
          deposits.all().filter(({ seenAt, state }) =>
            state === "open" || seenAt >= restoredAt - CLOCKS_MS
          ).length +
          payouts.all().filter(({ state }) => state === "open").length),
      fenceAt: (chainId, account, fence) =>
        call("Restorations.fenceAt", ({ restorations }) =>
          restorations.change(String(chainId), (row) => ({
            ...row,
            fences: { [account]: fence, ...row.fences }
          }))?.fences[account] ?? fence),
      settle: (chainId, usedUp, at) =>
        call("Restorations.settle", (tables) => {
          for (const { account, fence } of usedUp) {
            const next = nextSequence(tables, chainId, account, fence)
            if (next > 0n) {
              takeSequence(tables, chainId, account, next - 1n)
            }
          }
          tables.restorations.change(String(chainId), (row) => ({ ...row, settledAt: at }))
        })
    }))
)
