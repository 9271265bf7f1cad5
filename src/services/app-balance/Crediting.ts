/**
 * Credits app balances: one loop scans the settlement chain's final blocks from a stored cursor (BALANCE-2).
 *
 * The domain decides what a transaction credits. Row, ledger and cursor are written in one transaction, so a crash at
 * any point leads to the same credit. Blocks without arrivals are passed in memory, so a restart scans the last seconds
 * again. A transfer that was meant as a credit but is not one is stored with its reason,
 * for the reconciliation. A transfer unrelated to credits is not stored.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { CreditWatcher } from "../../../ports/chain/CreditWatcher.ts"
import type { ArrivalScan, SeenArrival } from "../../../ports/chain/CreditWatcher.ts"
import { Credits } from "../../../ports/store/ledger/Credits.ts"
import type { Arrival } from "../../../ports/store/ledger/Credits.ts"
import { OrderSigner } from "../../../ports/signing/OrderSigner.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { judgeCredit } from "../../domain/ledger/JudgeCredit.ts"
import type { CreditTerms } from "../../domain/ledger/JudgeCredit.ts"
import { creditId } from "../../domain/ledger/LedgerIds.ts"
import { credit } from "../../domain/ledger/Movements.ts"
import type { CurrencyAddress } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { asAddress } from "../../domain/families/AddressCodec.ts"
import { isHalted, seemsHalted } from "../deposits/halt/Halting.ts"
import { countCredits, countStuck } from "../operations/Meters.ts"
import { Followers } from "../following/Followers.ts"
import { after, again, lookUntil, whenFinal, whenMoved } from "../following/LookUntil.ts"
import { makeKnownCursor } from "../deposits/watch/KnownCursor.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { retryForever } from "../polling/RetryForever.ts"

/** Where crediting starts. */
export interface CreditingSettings {
  /** Where the first scan of a new store starts; the chain's newest final block when undefined. */
  readonly fromBlock: bigint | undefined
}

/** Where credits are accepted: the settlement chain, its token, the solver's account. */
export const creditTerms = Effect.gen(function*() {
  const { chain, token } = yield* SettlementChain
  const { solver } = yield* OrderSigner
  return { chainId: chain.id, token: asAddress(token), solver } satisfies CreditTerms
})

const received = ({ solver, token }: CreditTerms, { evidence: { transfers } }: SeenArrival): bigint =>
  transfers.filter(({ emitter, to }) => emitter === token && to === solver).reduce(
    (sum, { amount }) => sum + amount,
    0n
  )

/** What is stored of an arrival; undefined when it has nothing to do with credits, or has to be looked at again. */
const arrivalOf = (terms: CreditTerms, token: CurrencyAddress, seen: SeenArrival): Arrival | undefined => {
  const verdict = judgeCredit(terms, seen.evidence)
  const { sender, transactionId } = seen.evidence
  const of = { transactionId, sender, block: seen.block, amount: received(terms, seen) }
  if (verdict._tag === "NotCredited") return { ...of, outcome: verdict }
  if (verdict._tag !== "Credit") return undefined
  const { amount, key, wallet } = verdict
  const movement = credit({
    id: creditId(key),
    currency: { chainId: terms.chainId, address: token },
    wallet,
    units: amount
  })
  return Result.isSuccess(movement)
    ? { ...of, amount, outcome: { _tag: "Credited", wallet, movement: movement.success } }
    : undefined
}

/** Only host names: an endpoint's URL may contain a key. */
const tellHidden = Effect.fnUntraced(function*(chain: Chain, { hiddenBy = [] }: ArrivalScan) {
  if (hiddenBy.length === 0) return
  yield* countStuck("credit-hidden")
  yield* Effect.logError(
    `credits of app balances in final blocks of ${chain.slug} are not shown by ${
      hiddenBy.join(", ")
    }: the quorum shows them`
  )
})

/** Blocks without arrivals are passed in memory. Their place is written so often, for a restart to begin from. */
const WRITTEN_EVERY = Duration.toMillis(Duration.seconds(5))

const makeLook = Effect.fnUntraced(function*(terms: CreditTerms, { fromBlock }: CreditingSettings) {
  const credits = yield* Credits
  const followers = yield* Followers
  const watcher = yield* CreditWatcher
  const { chain, token } = yield* SettlementChain
  const known = makeKnownCursor(credits.cursor(chain.id))
  let writtenAt: number | undefined

  return Effect.gen(function*() {
    // Nothing on a halted chain counts as final. The stored cursor is kept.
    if (yield* seemsHalted([chain.id])) return yield* Effect.as(Effect.sync(known.forget), whenMoved)
    const from = yield* known.current
    if (from === undefined) {
      const start = yield* watcher.start(chain, fromBlock)
      if (start === undefined) return whenMoved
      return yield* Effect.as(credits.anchor(chain.id, start), again)
    }
    const scanned = yield* watcher.scan(chain, terms, from)
    const { arrivals, cursor, replaced } = scanned
    const next = (yield* followers.seen(chain, "watches")).finalHeight > cursor.height
      ? after(pollInterval(chain))
      : whenFinal(cursor.height + 1n)
    const now = yield* Clock.currentTimeMillis
    if (known.isRecorded(cursor) && !replaced) return next
    const isDue = writtenAt === undefined || now < writtenAt || now - writtenAt >= WRITTEN_EVERY
    if (arrivals.length === 0 && !replaced && !isDue) {
      return yield* Effect.as(Effect.sync(() => known.reach(cursor)), next)
    }
    // SECURITY: read after the chain was. What a halted chain shows is not credited.
    if (yield* isHalted([chain.id])) return yield* Effect.as(Effect.sync(known.forget), whenMoved)
    if (replaced) {
      yield* countStuck("final-block-replaced")
      yield* Effect.logError(
        `${chain.slug} has replaced a block that was final: credits are looked for again, and those that are gone are for the reconciliation to show`
      )
    }
    if (known.isRecorded(cursor)) return next
    // What is credited relies on the chain's final blocks.
    if (arrivals.length > 0) yield* followers.seen(chain, "waits")
    const judged = arrivals.flatMap((seen) => arrivalOf(terms, token, seen) ?? [])
    const fresh = yield* credits.record(chain.id, cursor, judged, now)
    known.note(cursor)
    writtenAt = now
    yield* tellHidden(chain, scanned)
    yield* countCredits("credited", fresh.filter(({ outcome }) => outcome._tag === "Credited").length)
    yield* countCredits("not-credited", fresh.filter(({ outcome }) => outcome._tag === "NotCredited").length)
    return next
  })
})

export const layer = (settings: CreditingSettings) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { chain } = yield* SettlementChain
    const terms = yield* creditTerms
    const look = yield* makeLook(terms, settings)
    const turn = look.pipe(retryForever("credits"))
    yield* lookUntil(chain, () => turn, "watches").pipe(Effect.forkScoped)
  }))
