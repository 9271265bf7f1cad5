/** The port `DepositAddresses` in memory. An address has one row for all chains. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import type { AddressPage, AddressPlace, TouchedRange } from "../../../ports/store/orders/DepositAddresses.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { descending } from "../Ordering.ts"
import type { AddressRow } from "../rows/OrderRows.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"

/** Stores the address that a transfer's terms name, unless it is known, and that the request is for it. */
export const keepAddress = ({ addresses, addressRequests }: Tables, transfer: Transfer): void => {
  const { apiKeyId, id, orderId, quotedAt, terms: { depositAddress, originChainId, originCurrency } } = transfer
  if (depositAddress === undefined) return
  const { address, depositor, factory, mode, refundTo } = depositAddress
  if (!addresses.has(address)) {
    addresses.add(address, {
      touchedAt: quotedAt,
      kept: {
        chainId: originChainId,
        address,
        mode,
        requestId: id,
        orderId,
        depositor,
        factory,
        currency: originCurrency,
        refundTo,
        apiKeyId,
        createdAt: quotedAt
      }
    })
  }
  addressRequests.add(id, { requestId: id, address })
}

/** Clocks differ, so the time at which an address was touched never goes back. */
export const touchAddress = ({ addresses }: Tables, address: Address, at: number): void => {
  addresses.change(address, (row) => row.touchedAt < at ? { ...row, touchedAt: at } : row)
}

const newestFirst = descending<AddressRow>(({ touchedAt }) => touchedAt, ({ kept: { address } }) => address)

const isBefore = ({ kept: { address }, touchedAt }: AddressRow, place: AddressPlace): boolean =>
  touchedAt < place.touchedAt || (touchedAt === place.touchedAt && address < place.address)

const recent = (
  { addresses, droppedAddresses }: Tables,
  chainId: ChainId,
  { since, until }: TouchedRange,
  after: AddressPlace | undefined,
  limit: number
): AddressPage => {
  const rows = addresses.all().filter((row) =>
    row.kept.chainId === chainId && row.touchedAt >= since && (until === undefined || row.touchedAt < until) &&
    (after === undefined || isBefore(row, after)) && !droppedAddresses.has(row.kept.address)
  ).toSorted(newestFirst)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    addresses: rows.slice(0, limit).map(({ kept }) => kept),
    next: last === undefined ? undefined : { touchedAt: last.touchedAt, address: last.kept.address }
  }
}

export const layer = Layer.effect(
  DepositAddresses,
  Effect.map(MemoryStore, ({ call }) =>
    DepositAddresses.of({
      find: (chainId, address) =>
        call("DepositAddresses.find", ({ addresses }) => {
          const kept = addresses.get(address)?.kept
          return kept?.chainId === chainId ? kept : undefined
        }),
      among: (accounts) =>
        call("DepositAddresses.among", ({ addresses }) =>
          [...new Set(accounts)].flatMap((account) => addresses.get(account)?.kept ?? [])),
      findByRequest: (requestId) =>
        call("DepositAddresses.findByRequest", ({ addresses, addressRequests }) => {
          const request = addressRequests.get(requestId)
          return request === undefined ? undefined : addresses.get(request.address)?.kept
        }),
      recent: (...page) =>
        call("DepositAddresses.recent", (tables) => recent(tables, ...page)),
      requestsOf: (address, limit) =>
        call("DepositAddresses.requestsOf", ({ requestsOfAddress }) =>
          requestsOfAddress(address).map(({ requestId }) =>
            requestId
          ).toSorted().toReversed().slice(0, limit)),
      reindexedAt: (...of) =>
        call("DepositAddresses.reindexedAt", ({ reindexes }) => reindexes.get(keyOf(...of))?.at),
      noteReindex: (chainId, address, target, last, at) =>
        call("DepositAddresses.noteReindex", ({ reindexes }) => {
          const key = keyOf(chainId, address, target)
          const before = reindexes.get(key)?.at
          // Only a later time: a record with the same time would admit every caller that has read the last one.
          if (before !== last || (last !== undefined && last >= at)) return false
          reindexes.set(key, { key, address, at })
          return true
        }),
      forgetReindex: (chainId, address, target, last, at) =>
        call("DepositAddresses.forgetReindex", ({ reindexes }) => {
          const key = keyOf(chainId, address, target)
          if (reindexes.get(key)?.at !== at) return
          if (last === undefined) reindexes.remove(key)
          else reindexes.set(key, { key, address, at: last })
        })
    }))
)
