/** The port `Sweeps` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { NewSweep, Sweep, SweepsOfCurrency } from "../../../ports/store/orders/Sweeps.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending, descending } from "../Ordering.ts"
import type { SweepRow } from "../rows/OrderRows.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"
import { touchAddress } from "./DepositAddresses.ts"
import { isInFlight } from "./payments/QueuedWork.ts"

const toSweep = ({ endedAt: _, ...sweep }: SweepRow): Sweep => sweep

const queue = (tables: Tables, sweep: NewSweep): boolean => {
  const { address, chainId, currency, depositor, id, number, orderId, queuedAt, units } = sweep
  const others = tables.sweepsOfAddress(address).filter((row) => row.chainId === chainId && row.currency === currency)
  if (tables.sweeps.has(id) || others.some((row) => row.state === "queued" || row.number === number)) return false
  tables.sweeps.add(id, {
    id,
    chainId,
    address,
    currency,
    number,
    orderId,
    depositor,
    units,
    queuedAt,
    depositId: undefined,
    state: "queued",
    height: undefined,
    round: 0,
    endedAt: undefined
  })
  touchAddress(tables, address, queuedAt)
  return true
}

const queuedAgain = (row: SweepRow): SweepRow => ({
  ...row,
  state: "queued",
  height: undefined,
  endedAt: undefined,
  round: row.round + 1
})

const summedUp = (currency: SweepRow["currency"], rows: ReadonlyArray<SweepRow>): SweepsOfCurrency => {
  const ended = rows.filter(({ state }) => state !== "queued")
  const heights = ended.flatMap(({ height }) => height ?? [])
  return {
    currency,
    queued: ended.length < rows.length,
    unfinal: rows.some(({ endedAt, state }) => state === "done" && endedAt === undefined),
    completed: ended.length,
    lastHeight: heights.length === 0 ? undefined : heights.reduce((most, height) => height > most ? height : most)
  }
}

export const layer = Layer.effect(
  Sweeps,
  Effect.map(MemoryStore, ({ call }) =>
    Sweeps.of({
      of: (chainId, address) =>
        call("Sweeps.of", ({ sweepsOfAddress }) =>
          [...Map.groupBy(
            sweepsOfAddress(address).filter((row) => row.chainId === chainId),
            ({ currency }) => currency
          )].map(([currency, rows]) => summedUp(currency, rows)).toSorted(ascending(({ currency }) => currency))),
      queue: (sweep) => call("Sweeps.queue", (tables) => queue(tables, sweep)),
      name: (id, depositId) =>
        call("Sweeps.name", ({ sweeps }) => {
          const named = sweeps.change(id, (row) => ({ ...row, depositId: row.depositId ?? depositId }))
          if (named?.depositId === undefined) throw new Error(`there is no sweep ${id}`)
          return named.depositId
        }),
      find: (id) =>
        call("Sweeps.find", ({ sweeps }) => {
          const row = sweeps.get(id)
          return row === undefined ? undefined : toSweep(row)
        }),
      open: call("Sweeps.open", ({ sweepsIn }) =>
        sweepsIn("queued").toSorted(ascending(({ queuedAt }) => queuedAt, ({ id }) => id)).map(toSweep)),
      unfinal: call("Sweeps.unfinal", ({ sweepsIn }) =>
        sweepsIn("done").filter(({ endedAt }) =>
          endedAt === undefined
        )
          .toSorted(ascending(({ queuedAt }) => queuedAt, ({ id }) => id)).map(toSweep)),
      ofAddress: (address, limit) =>
        call("Sweeps.ofAddress", ({ sweepsOfAddress }) =>
          sweepsOfAddress(address).toSorted(
            descending(
              ({ queuedAt }) => queuedAt,
              ({ number }) => number,
              ({ id }) => id
            )
          ).slice(0, limit).map(toSweep)),
      signed: (chainId, address) =>
        call("Sweeps.signed", ({ paymentsOfOrder, sweepsOfAddress, variantsAt }) =>
          sweepsOfAddress(address).filter((row) =>
            row.chainId === chainId
          )
            .flatMap(({ id }) => paymentsOfOrder(id).filter(({ leg }) => leg === "sweep" || leg.startsWith("sweep!")))
            .flatMap((row) => variantsAt(keyOf(row.chainId, row.account, row.sequence)))
            .map(({ raw, transactionId }) => ({ transactionId, raw }))
            .toSorted(ascending(({ transactionId }) => transactionId))),
      close: (id, round, { height, state }, at) =>
        call("Sweeps.close", (tables) => {
          tables.sweeps.change(id, (row) => {
            if (row.state !== "queued" || row.round !== round) return row
            if (state === "void" && isInFlight(tables, "sweep", id)) return queuedAgain(row)
            return { ...row, state, height, endedAt: state === "done" ? undefined : at }
          })
        }),
      recordFinal: (id, round, at) =>
        call("Sweeps.recordFinal", ({ sweeps }) => {
          sweeps.change(
            id,
            (row) => row.state === "done" && row.round === round ? { ...row, endedAt: row.endedAt ?? at } : row
          )
        }),
      fail: (id, round) =>
        call("Sweeps.fail", (tables) => {
          tables.sweeps.change(id, (row) => {
            if (row.state !== "done" || row.round !== round) return row
            return isInFlight(tables, "sweep", id) ? queuedAgain(row) : { ...row, state: "void" }
          })
        }),
      reopen: (id) =>
        call("Sweeps.reopen", ({ sweeps }) => {
          const row = sweeps.get(id)
          if (row?.state !== "done") return false
          sweeps.set(id, queuedAgain(row))
          return true
        })
    }))
)
