/** The port `Losses` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import type { BookedLoss, Loss } from "../../../ports/store/ledger/Losses.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { LossRow } from "../rows/LedgerRows.ts"
import type { Tables } from "../Tables.ts"
import { beginNextRound } from "./Payouts.ts"

const book = (tables: Tables, loss: Loss, at: number): boolean => {
  const { amount, chainId, currency, deposit, kind, orderId, transactionId } = loss
  const isPaidFor = tables.paymentsOfOrder(orderId).some((payment) =>
    payment.deposit === deposit && payment.state !== "void" && payment.state !== "reverted"
  )
  if (kind === "deposit" && tables.deposits.get(deposit)?.state === "gone" && !isPaidFor) return false
  const id = `${kind}:${kind === "deposit" ? deposit : transactionId}`
  const before = tables.losses.get(id)
  if (before !== undefined && before.recoveredAt === null && before.amount === amount) return false
  const booked = before ?? { id, kind, chainId, orderId, deposit, transactionId, currency }
  tables.losses.set(id, { ...booked, amount, noticedAt: at, recoveredAt: null })
  // SECURITY: a filling that found its payment final may not have closed its deposit yet. The new sighting prevents that
  // close.
  tables.deposits.change(deposit, (row) => {
    const isReopened = row.state === "filled" || row.state === "refunded" ||
      (kind === "payment" && row.state === "open")
    return isReopened ? { ...row, state: "open", sighting: row.sighting + 1 } : row
  })
  if (kind === "payment") beginNextRound(tables, deposit, at)
  return true
}

const toLoss = ({ id: _, ...loss }: LossRow): BookedLoss => loss

export const layer = Layer.effect(
  Losses,
  Effect.map(MemoryStore, ({ call }) =>
    Losses.of({
      book: (loss, at) => call("Losses.book", (tables) => book(tables, loss, at)),
      recover: (deposit, kinds, at) =>
        call("Losses.recover", ({ losses }) => {
          for (const row of losses.all()) {
            if (row.deposit === deposit && kinds.includes(row.kind) && row.recoveredAt === null) {
              losses.set(row.id, { ...row, recoveredAt: at })
            }
          }
        }),
      all: call("Losses.all", ({ losses }) =>
        losses.all().toSorted(ascending(({ noticedAt }) => -noticedAt, ({ id }) => id)).map(toLoss))
    }))
)
