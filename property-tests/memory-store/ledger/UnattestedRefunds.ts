/** The port `UnattestedRefunds` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UNATTESTED_WINDOW_MS, UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import type { UnattestedRefund } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { Tables } from "../Tables.ts"

/** Rows are kept for another window after they stop counting, because workers' clocks differ. */
const KEPT_MS = 2 * UNATTESTED_WINDOW_MS

/** What was reserved for a refund counts as lost from its signing on, once. In the transaction that signs it. */
export const countSigned = (
  { unattested, unattestedTotals }: Tables,
  { chainId, deposit, leg }: Pick<StoredPayment, "chainId" | "deposit" | "leg">,
  at: number
): void => {
  const row = leg.startsWith("refund:") ? unattested.get(deposit) : undefined
  if (row === undefined || row.signedAt !== undefined) return
  unattested.set(deposit, { ...row, signedAt: at, reservedAt: at })
  const before = unattestedTotals.get(String(chainId))?.usdMicros ?? 0n
  unattestedTotals.set(String(chainId), { chainId, usdMicros: before + row.usdMicros })
}

const reserve = (tables: Tables, { onchainId, usdMicros }: UnattestedRefund, cap: bigint, at: number): boolean => {
  const { decisions, heldRefunds, unattested } = tables
  for (const row of unattested.all()) {
    if (row.reservedAt <= at - KEPT_MS && row.signedAt === undefined) unattested.remove(row.onchainId)
  }
  const since = at - UNATTESTED_WINDOW_MS
  const before = unattested.get(onchainId)
  const own = before !== undefined && before.reservedAt > since ? before.usdMicros : usdMicros
  const others = unattested.all().filter((row) =>
    row.reservedAt > since && row.onchainId !== onchainId && !decisions.has(row.onchainId)
  ).reduce((sum, row) => sum + row.usdMicros, 0n)
  if (!decisions.has(onchainId) && others + own > cap) {
    heldRefunds.set(onchainId, { onchainId, usdMicros: own, heldAt: at })
    return false
  }
  heldRefunds.remove(onchainId)
  unattested.set(onchainId, { onchainId, usdMicros: own, reservedAt: at, signedAt: before?.signedAt })
  return true
}

export const layer = Layer.effect(
  UnattestedRefunds,
  Effect.map(MemoryStore, ({ call }) =>
    UnattestedRefunds.of({
      reserve: (refund, cap, at) => call("UnattestedRefunds.reserve", (tables) => reserve(tables, refund, cap, at)),
      decide: ({ at, by, onchainId, requestId }) =>
        call("UnattestedRefunds.decide", ({ decisions }) => {
          const first = decisions.get(onchainId) ?? { onchainId, requestId, by, at }
          decisions.set(onchainId, first)
          return first
        }),
      decisions: (limit) =>
        call("UnattestedRefunds.decisions", ({ decisions }) =>
          decisions.all().toSorted(ascending(({ at }) =>
            -at, ({ onchainId }) => onchainId)).slice(0, limit)),
      held: (limit) =>
        call("UnattestedRefunds.held", ({ deposits, heldRefunds }) =>
          heldRefunds.all().toSorted(ascending(({ heldAt }) =>
            heldAt, ({ onchainId }) =>
            onchainId)).flatMap((
              { heldAt, onchainId, usdMicros }
            ) => {
              const row = deposits.get(onchainId)
              return row?.state === "unrefundable" ? [{ deposit: row.deposit, usdMicros, heldAt }] : []
            }).slice(0, limit)),
      totals: call("UnattestedRefunds.totals", ({ unattestedTotals }) =>
        unattestedTotals.all().toSorted(ascending(({ chainId }) =>
          chainId
        )))
    }))
)
