/** The port `Credits` in memory. A credit is posted with the arrival that it is for. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Credits } from "../../../ports/store/ledger/Credits.ts"
import type { Arrival, RecordedArrival } from "../../../ports/store/ledger/Credits.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { ArrivalRow } from "../rows/LedgerRows.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"
import { postKnown } from "./PostedMovements.ts"

const toRecorded = ({ chainId: _, seenAt: __, ...arrival }: ArrivalRow): RecordedArrival => arrival

const record = (
  tables: Tables,
  chainId: ChainId,
  { hash, height }: Cursor,
  arrivals: ReadonlyArray<Arrival>,
  at: number
): ReadonlyArray<Arrival> => {
  const fresh: Array<Arrival> = []
  for (const arrival of arrivals) {
    const { amount, block, outcome, sender, transactionId } = arrival
    const key = keyOf(chainId, transactionId)
    if (tables.arrivals.has(key)) continue
    tables.arrivals.add(key, {
      chainId,
      seenAt: at,
      transactionId,
      sender,
      block,
      amount,
      wallet: outcome._tag === "Credited" ? outcome.wallet : undefined,
      reason: outcome._tag === "Credited" ? undefined : outcome.reason
    })
    fresh.push(arrival)
    if (outcome._tag === "Credited") postKnown(tables, Result.succeed(outcome.movement), at)
  }
  tables.creditCursors.change(String(chainId), () => ({ height, hash }))
  return fresh
}

export const layer = Layer.effect(
  Credits,
  Effect.map(MemoryStore, ({ call }) =>
    Credits.of({
      cursor: (chainId) => call("Credits.cursor", ({ creditCursors }) => creditCursors.get(String(chainId))),
      anchor: (chainId, { hash, height }) =>
        call("Credits.anchor", ({ creditCursors }) => {
          if (!creditCursors.has(String(chainId))) creditCursors.add(String(chainId), { height, hash })
        }),
      record: (...recorded) => call("Credits.record", (tables) => record(tables, ...recorded)),
      list: (chainId) =>
        call("Credits.list", ({ arrivals }) =>
          arrivals.all().filter((row) => row.chainId === chainId).toSorted(
            ascending(({ seenAt }) => seenAt, ({ transactionId }) => transactionId)
          ).map(toRecorded))
    }))
)
