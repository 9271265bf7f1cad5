/** The port `Deposits` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import type { NamedDeposit, Sighting } from "../../../ports/store/orders/Deposits.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { NO_ORDER } from "../../../src/domain/deposit-address/reindex/NoOrder.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending, descending } from "../Ordering.ts"
import type { DepositRow } from "../rows/OrderRows.ts"
import type { Tables } from "../Tables.ts"
import { clearReservations } from "./InventoryReservations.ts"
import { openSettlement } from "./settlements/OpenSettlement.ts"

const sightingOf = ({ deposit, sighting }: DepositRow): Sighting => ({ deposit, sighting })

const rowOf = (
  deposit: Deposit,
  state: "open" | "foreign",
  seenAt: number,
  precedence: bigint
): DepositRow => ({
  deposit,
  chainId: deposit.chainId,
  transactionId: deposit.transactionId,
  depositId: deposit.depositId,
  sighting: 1,
  state,
  seenAt,
  precedence,
  hasSettlement: false
})

/**
 * New, or seen in another block, again after it was gone, or for another order than that of nobody. One that is open
 * only moves.
 */
const see = ({ deposits }: Tables, { deposit, precedence }: NamedDeposit, seenAt: number): ReadonlyArray<Sighting> => {
  const { onchainId } = deposit
  const before = deposits.get(onchainId)
  if (before === undefined) {
    const row = rowOf(deposit, "open", seenAt, precedence)
    deposits.add(onchainId, row)
    return [sightingOf(row)]
  }
  const isMoved = before.state === "open" && before.deposit.block.hash !== deposit.block.hash
  const isNamed = before.state === "foreign" && before.depositId !== deposit.depositId
  if (before.state !== "gone" && !isMoved && !isNamed) return []
  const row: DepositRow = {
    ...before,
    ...(before.state === "open"
      ? { deposit: { ...before.deposit, block: deposit.block } }
      : { deposit, depositId: deposit.depositId, precedence }),
    state: "open",
    sighting: before.sighting + 1
  }
  deposits.set(onchainId, row)
  return [sightingOf(row)]
}

const seeAll = (tables: Tables, found: ReadonlyArray<NamedDeposit>, seenAt: number): ReadonlyArray<Sighting> => {
  const distinct = new Map(found.map((each) => [each.deposit.onchainId, each]))
  return [...distinct.values()].flatMap((each) => see(tables, each, seenAt))
}

const moveCursor = ({ cursors }: Tables, chainId: ChainId, { hash, height }: Cursor): void => {
  const before = cursors.get(String(chainId))
  cursors.set(String(chainId), {
    chainId,
    cursor: { height, hash },
    final: before?.final,
    anchored: before?.anchored
  })
}

const moveFinalCursor = ({ cursors }: Tables, chainId: ChainId, { hash, height }: Cursor): void => {
  const before = cursors.get(String(chainId))
  if (before !== undefined) cursors.set(String(chainId), { ...before, final: { height, hash } })
}

const noteForeign = ({ deposits }: Tables, found: ReadonlyArray<Deposit>, seenAt: number): number => {
  const fresh = new Map(
    found.flatMap((deposit) => deposits.has(deposit.onchainId) ? [] : [[deposit.onchainId, deposit] as const])
  )
  for (const [onchainId, deposit] of fresh) deposits.add(onchainId, rowOf(deposit, "foreign", seenAt, 0n))
  return fresh.size
}

const firstSeen = ascending<DepositRow>(({ seenAt }) => seenAt, ({ deposit }) => deposit.onchainId)

const byPrecedence = (one: DepositRow, other: DepositRow): number =>
  descending<DepositRow>(({ precedence }) => precedence)(one, other) || firstSeen(one, other)

const openDeposits = ({ depositsIn }: Tables, ofOneOrder: number) =>
  [...Map.groupBy(depositsIn("open"), ({ depositId }) => depositId)].flatMap(([order, rows]) =>
    order === NO_ORDER ? rows : rows.toSorted(byPrecedence).slice(0, ofOneOrder)
  ).toSorted(firstSeen).map(({ deposit: { onchainId }, sighting }) => ({ onchainId, sighting }))

const close = (tables: Tables, ...[onchainId, sighting, state, at]: Parameters<Deposits["Service"]["close"]>) => {
  tables.exposures.remove(onchainId)
  const row = tables.deposits.get(onchainId)
  if (row === undefined) return
  clearReservations(tables, row.depositId)
  if (row.sighting !== sighting) return
  const hasSettlement = state === "filled" || state === "refunded"
  tables.deposits.set(onchainId, { ...row, state, hasSettlement })
  if (hasSettlement) openSettlement(tables, row, at)
}

const correct = (tables: Tables, sighting: number, { deposit, precedence }: NamedDeposit): void => {
  const { depositId, onchainId } = deposit
  const row = tables.deposits.get(onchainId)
  if (row?.sighting !== sighting) return
  tables.exposures.remove(onchainId)
  clearReservations(tables, row.depositId)
  if (row.state !== "open" && row.state !== "gone") return
  tables.deposits.set(onchainId, { ...row, state: "open", deposit, depositId, precedence, sighting: sighting + 1 })
}

/** The next sighting of a deposit in this state; undefined for any other. */
const seeAgain = ({ deposits }: Tables, onchainId: string, isDue: (row: DepositRow) => boolean) => {
  const row = deposits.get(onchainId)
  if (row === undefined || !isDue(row)) return undefined
  const again: DepositRow = { ...row, state: "open", sighting: row.sighting + 1 }
  deposits.set(onchainId, again)
  return sightingOf(again)
}

export const layer = Layer.effect(
  Deposits,
  Effect.map(MemoryStore, ({ call }) =>
    Deposits.of({
      cursor: (chainId) => call("Deposits.cursor", ({ cursors }) => cursors.get(String(chainId))?.cursor),
      anchor: (chainId, { hash, height }) =>
        call("Deposits.anchor", ({ cursors }) => {
          if (cursors.has(String(chainId))) return
          const block = { height, hash }
          cursors.add(String(chainId), { chainId, cursor: block, final: block, anchored: height })
        }),
      record: (chainId, cursor, found, seenAt) =>
        call("Deposits.record", (tables) => {
          moveCursor(tables, chainId, cursor)
          return seeAll(tables, found, seenAt)
        }),
      finalCursor: (chainId) => call("Deposits.finalCursor", ({ cursors }) => cursors.get(String(chainId))?.final),
      recordFinal: (chainId, cursor, found, seenAt) =>
        call("Deposits.recordFinal", (tables) => {
          moveFinalCursor(tables, chainId, cursor)
          return seeAll(tables, found, seenAt)
        }),
      note: (found, seenAt) => call("Deposits.note", (tables) => seeAll(tables, found, seenAt)),
      correct: (...shown) => call("Deposits.correct", (tables) => correct(tables, ...shown)),
      noteForeign: (found, seenAt) => call("Deposits.noteForeign", (tables) => noteForeign(tables, found, seenAt)),
      find: (onchainId) =>
        call("Deposits.find", ({ deposits }) => {
          const row = deposits.get(onchainId)
          return row === undefined ? undefined : sightingOf(row)
        }),
      stateOf: (onchainId) => call("Deposits.stateOf", ({ deposits }) => deposits.get(onchainId)?.state),
      open: (ofOneOrder) => call("Deposits.open", (tables) => openDeposits(tables, ofOneOrder)),
      ended: (chainId, limit) =>
        call("Deposits.ended", ({ depositsIn }) =>
          [...depositsIn("filled"), ...depositsIn("refunded")].filter((row) =>
            row.chainId === chainId
          ).toSorted(
            ascending(({ seenAt }) => -seenAt, ({ deposit }) => deposit.onchainId)
          ).slice(0, limit).map(sightingOf)),
      sightAgain: ({ onchainId, sighting }) =>
        call("Deposits.sightAgain", (tables) =>
          seeAgain(tables, onchainId, (row) =>
            row.state === "open" && row.sighting === sighting)),
      reopen: (onchainId) =>
        call("Deposits.reopen", (tables) => {
          const again = seeAgain(tables, onchainId, ({ state }) =>
            state === "unrefundable")
          // Whatever keeps it now is found again.
          if (again !== undefined) tables.heldRefunds.remove(onchainId)
          return again
        }),
      close: (...closing) => call("Deposits.close", (tables) => close(tables, ...closing))
    }))
)
