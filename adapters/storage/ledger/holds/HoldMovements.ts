/** Movements of the ledger that holds make. */
import { Effect } from "effect"
import type { Result } from "effect"
import type { Ledger } from "../../../../ports/store/ledger/Ledger.ts"
import type { LedgerRefused } from "../../../../src/domain/ledger/LedgerRefused.ts"
import type { Transaction } from "../../../../src/domain/ledger/Transaction.ts"

/** What the domain made of what was checked here is posted; anything else than a refusal is a defect. */
export const holdMovements = (ledger: Ledger["Service"]) => {
  /** What the domain made of what was checked here; anything else is a defect. */
  const post = (made: Result.Result<Transaction, LedgerRefused>, at: number) =>
    Effect.flatMap(Effect.orDie(Effect.fromResult(made)), (movement) => ledger.post(movement, at))

  const postKnown = (made: Result.Result<Transaction, LedgerRefused>, at: number) =>
    Effect.catchTag(post(made, at), "LedgerRefused", (refused) => Effect.die(refused))

  return { post, postKnown }
}
