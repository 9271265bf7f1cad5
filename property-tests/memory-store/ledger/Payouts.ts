/** The port `Payouts` in memory. Each change is made with its ledger movement. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import type { NewPayout, Payout } from "../../../ports/store/ledger/Payouts.ts"
import { payoutMovementId } from "../../../src/domain/ledger/LedgerIds.ts"
import { LedgerRefused } from "../../../src/domain/ledger/LedgerRefused.ts"
import { reopenPayout } from "../../../src/domain/ledger/Movements.ts"
import type { Transaction } from "../../../src/domain/ledger/Transaction.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { Tables } from "../Tables.ts"
import { isInFlight } from "../orders/payments/QueuedWork.ts"
import { postKnown, postMovement } from "./PostedMovements.ts"

const reserve = (tables: Tables, asked: NewPayout, movement: Transaction): Result.Result<Payout, LedgerRefused> => {
  const known = tables.payouts.get(asked.id)
  if (known !== undefined) return Result.succeed(known)
  const { amount, askedAt, currency, id, kind, nonce, paid, recipient, wallet } = asked
  const isUsed = tables.payouts.all().some((row) => row.kind === kind && row.wallet === wallet && row.nonce === nonce)
  if (isUsed) return Result.fail(new LedgerRefused({ id: movement.id, reason: "duplicate-id" }))
  const payout: Payout = {
    id,
    kind,
    wallet,
    recipient,
    currency,
    amount,
    nonce,
    paid,
    state: "open",
    askedAt,
    endedAt: undefined,
    round: 0
  }
  tables.payouts.add(id, payout)
  return Result.map(postMovement(tables, movement, askedAt), () => payout)
}

const close = (
  tables: Tables,
  ...[id, round, state, movement, at]: Parameters<Payouts["Service"]["close"]>
): Result.Result<void, LedgerRefused> => {
  const payout = tables.payouts.get(id)
  if (payout?.state !== "open" || payout.round !== round) return Result.succeed(undefined)
  if (state === "returned" && isInFlight(tables, "payout", id)) {
    tables.payouts.set(id, { ...payout, round: round + 1 })
    return Result.succeed(undefined)
  }
  tables.payouts.set(id, { ...payout, state, endedAt: at })
  return postMovement(tables, movement, at)
}

/** Begins the next round of a payout whose payment was lost, its money reserved again if it was paid. */
export const beginNextRound = (tables: Tables, id: string, at: number): void => {
  const before = tables.payouts.get(id)
  if (before === undefined || before.state === "returned") return
  tables.payouts.set(id, { ...before, state: "open", endedAt: undefined, round: before.round + 1 })
  if (before.state === "open") return
  const { amount: units, currency, round, wallet } = before
  const movement = { id: payoutMovementId("reopened", before.id, round), currency, wallet, payout: before.id, units }
  postKnown(tables, reopenPayout(movement), at)
}

export const layer = Layer.effect(
  Payouts,
  Effect.map(MemoryStore, ({ attempt, call }) =>
    Payouts.of({
      reserve: (payout, movement) => attempt("Payouts.reserve", (tables) => reserve(tables, payout, movement)),
      find: (id) => call("Payouts.find", ({ payouts }) => payouts.get(id)),
      open: call("Payouts.open", ({ payouts }) =>
        payouts.all().filter(({ state }) => state === "open").toSorted(
          ascending(({ askedAt }) => askedAt, ({ id }) => id)
        )),
      askedSince: (wallet, since) =>
        call("Payouts.askedSince", ({ payouts }) =>
          payouts.all().filter((row) => row.wallet === wallet && row.askedAt >= since).length),
      close: (...closing) =>
        attempt("Payouts.close", (tables) => close(tables, ...closing)),
      reopen: (id, at) => call("Payouts.reopen", (tables) => beginNextRound(tables, id, at))
    }))
)
