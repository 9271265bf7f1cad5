/** The port `SponsoredRequests` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SponsoredRequests } from "../../../ports/store/ledger/SponsoredRequests.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { SponsoredRequest } from "../../../src/domain/sponsorship/SponsoredCosts.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { Tables } from "../Tables.ts"

/** What a wallet paid for this request, if it paid. */
const paidFor = (
  { holds, settled }: Tables,
  wallet: Address,
  { id, terms: { destinationChainId, originChainId, sponsorship } }: Transfer
): SponsoredRequest | undefined => {
  const [row, end] = [holds.get(id), settled.get(id)]
  if (row?.state !== "settled" || row.held?.wallet !== wallet || sponsorship === undefined) return undefined
  if (end === undefined || end.captured === 0n) return undefined
  const { at: heldAt, key } = row.held
  return { key, heldAt, originChainId, destinationChainId, agreement: sponsorship, ...end }
}

const paidBy = (
  tables: Tables,
  wallet: Address,
  from: number,
  to: number,
  limit: number
): ReadonlyArray<SponsoredRequest> => {
  const found = tables.transfers.all().flatMap((transfer) => {
    const paid = paidFor(tables, wallet, transfer)
    return paid === undefined || paid.heldAt < from || paid.heldAt >= to ? [] : [{ id: transfer.id, paid }]
  })
  const newestFirst = found.toSorted(ascending(({ paid }) => -paid.heldAt, ({ id }) => id))
  return newestFirst.slice(0, limit).map(({ paid }) => paid)
}

export const layer = Layer.effect(
  SponsoredRequests,
  Effect.map(MemoryStore, ({ call }) =>
    SponsoredRequests.of({
      paidBy: (...asked) => call("SponsoredRequests.paidBy", (tables) => paidBy(tables, ...asked))
    }))
)
