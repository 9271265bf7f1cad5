/** The port `UnpaidAddresses` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import type { UnpaidAddress } from "../../../ports/store/operations/UnpaidAddresses.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { NO_ORDER } from "../../../src/domain/deposit-address/reindex/NoOrder.ts"
import type { UnpaidQuote } from "../../../src/domain/transfer/Retention.ts"
import { MemoryStore } from "../MemoryStore.ts"
import type { SweepRow } from "../rows/OrderRows.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"
import { waitingQuotes } from "./UnpaidQuotes.ts"

/** The address's own quote. An address that has a later request is listed too, and `drop` keeps it. */
const list = (
  tables: Tables,
  quotedBefore: number,
  after: Pick<UnpaidQuote, "id" | "quotedAt"> | undefined,
  limit: number
): ReadonlyArray<UnpaidAddress> =>
  waitingQuotes(tables, quotedBefore, after).flatMap(({ id, order, quotedAt, terms }) => {
    const kept = terms.depositAddress === undefined
      ? undefined
      : tables.addresses.get(terms.depositAddress.address)?.kept
    return kept?.requestId === id ? [{ id, quotedAt, order, terms, kept }] : []
  }).slice(0, limit)

const drop = (tables: Tables, { id, kept: { address } }: UnpaidAddress, at: number): boolean => {
  const transfer = tables.transfers.get(id)
  if (transfer?.status !== "waiting" || transfer.terms.depositAddress?.address !== address) return false
  const { orderId } = transfer
  const isSeen = tables.depositsOfOrder(orderId).length > 0 || tables.paymentsOfOrder(orderId).length > 0 ||
    tables.sweepsOfAddress(address).length > 0 || tables.holds.has(id) ||
    tables.requestsOfAddress(address).some(({ requestId }) => requestId !== id)
  if (isSeen) return false
  tables.droppedAddresses.add(address, at)
  tables.addressRequests.remove(id)
  for (const { key } of tables.reindexesOf(address)) tables.reindexes.remove(key)
  tables.events.remove(id)
  tables.transfers.remove(id)
  return true
}

const droppedAddress = ({ addresses, droppedAddresses }: Tables, address: Address) =>
  droppedAddresses.has(address) ? addresses.get(address)?.kept : undefined

/** The sweep that a transaction of ours made of a dropped address under no order. */
const sweepBy = (tables: Tables, transactionId: TransactionId): SweepRow | undefined => {
  const variant = tables.variants.get(transactionId)
  const signed = variant === undefined
    ? []
    : tables.paymentsAt(keyOf(variant.chainId, variant.account, variant.sequence))
  const [payment] = [...signed, ...tables.paymentsAs(transactionId)]
  const sweep = payment?.leg === "sweep" ? tables.sweeps.get(payment.orderId) : undefined
  return sweep?.depositId === NO_ORDER && tables.droppedAddresses.has(sweep.address) ? sweep : undefined
}

export const layer = Layer.effect(
  UnpaidAddresses,
  Effect.map(MemoryStore, ({ call }) =>
    UnpaidAddresses.of({
      list: (...page) => call("UnpaidAddresses.list", (tables) => list(tables, ...page)),
      drop: (unpaid, at) => call("UnpaidAddresses.drop", (tables) => drop(tables, unpaid, at)),
      dropped: (address) => call("UnpaidAddresses.dropped", (tables) => droppedAddress(tables, address)),
      sweptBy: (transactionId, currency) =>
        call("UnpaidAddresses.sweptBy", (tables) => {
          const sweep = sweepBy(tables, transactionId)
          return sweep?.currency === currency ? droppedAddress(tables, sweep.address) : undefined
        }),
      sweepsAmong: (transactionIds) =>
        call("UnpaidAddresses.sweepsAmong", (tables) =>
          new Set(transactionIds.filter((id) => sweepBy(tables, id) !== undefined)))
    }))
)
