/**
 * Signs a due payment and stores it, in one transaction, before anything is broadcast. An existing payment is returned,
 * and nothing is signed. Waits for money within the payment's patience.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Payments, PaymentsHalted, PaymentUndue } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { PaymentRefused, Treasury } from "../../../../ports/chain/Treasury.ts"
import type { AccountPayment, SignedPayment } from "../../../../ports/chain/Treasury.ts"
import { holdsUnits } from "../../../domain/transfer/payment/CodeUnits.ts"
import { countStuck } from "../../operations/Meters.ts"
import { Followers } from "../../following/Followers.ts"
import { showStatus, whileHalted } from "../DuePayment.ts"
import type { DuePayment, IsBorne } from "../DuePayment.ts"
import type { SignedNow } from "../guard/WaitUntilIncluded.ts"
import type { Unpaid } from "../Payout.ts"

const WAIT_FOR_FUNDS = Duration.seconds(5)

/** What the payment can cost by the account for which it can cost most. */
const dearest = (each: ReadonlyArray<AccountPayment>): Parameters<IsBorne>[0] =>
  each.toSorted((one, other) => (one.mostGas ?? 0n) > (other.mostGas ?? 0n) ? -1 : 1)[0] ?? {}

const found = (payment: StoredPayment | undefined): SignedNow | undefined =>
  payment === undefined ? undefined : { payment, isNew: false }

const foundBy = Effect.fnUntraced(
  function*({ payment: { orderId }, purpose }: Pick<DuePayment, "payment" | "purpose">) {
    const payments = yield* Payments
    return found(yield* payments.find(orderId, purpose))
  }
)

/**
 * Signed now, unless the store has the payment by then. Refusals are returned as values, unless another process has
 * signed it meanwhile.
 */
const signOnce = <R>(due: DuePayment<R>) =>
  Effect.gen(function*() {
    const { asOfNow, codeUnits, deposit, isBorne, purpose, rent } = due
    const payments = yield* Payments
    const treasury = yield* Treasury
    const payment = asOfNow === undefined ? due.payment : yield* asOfNow
    const prepared = yield* treasury.prepare(payment)
    const opensMore = rent !== undefined && (prepared.rent ?? 0n) > rent
    // Strangers' code sees which account pays it.
    const each = [prepared, ...prepared.others ?? []]
    if (codeUnits !== undefined && each.some((by) => !holdsUnits(codeUnits, by.codeUnits ?? 0n))) {
      return (yield* foundBy(due)) ?? "greedy" as const
    }
    if (opensMore || (isBorne !== undefined && !(yield* isBorne(dearest(each), "first")))) {
      return (yield* foundBy(due)) ?? "unborne" as const
    }
    let signed: SignedPayment | undefined
    const noting = <A extends AccountPayment>(by: A): A => ({
      ...by,
      sign: (sequence, held) =>
        Effect.tap(by.sign(sequence, held), (made) =>
          Effect.sync(() => {
            signed = made
          }))
    })
    const { others = [], ...first } = prepared
    const stored = yield* payments.signOnce(
      purpose,
      deposit.onchainId,
      payment,
      { ...noting(first), others: others.map(noting) },
      yield* Clock.currentTimeMillis
    )
    return { payment: stored, isNew: stored.transactionId === signed?.transactionId } satisfies SignedNow
  }).pipe(
    Effect.catchTag(
      ["PaymentRefused", "PaymentsHalted", "PaymentUndue"],
      (refused) => Effect.map(foundBy(due), (stored) => stored ?? refused)
    )
  )

/**
 * The stored payment. A missing one proves nothing until the payments since a backup are known. An existing one
 * continues in any case.
 */
const findSigned = Effect.fnUntraced(
  function*({ payment: { chain, orderId }, purpose }: Pick<DuePayment, "payment" | "purpose">) {
    const payments = yield* Payments
    const { held, payments: [stored] } = yield* payments.standing(orderId, [purpose], [chain])
    return stored === undefined && held !== undefined ? yield* held : found(stored)
  }
)

/** The quote counted on available inventory: an operator must provide it. A request that waits for inventory waits. */
const tellShort = Effect.fnUntraced(function*<R>(
  { payment: { chain, currency }, turn }: DuePayment<R>,
  { reason }: PaymentRefused
) {
  if (reason === "unroutable") {
    return yield* Effect.logWarning(`a fill on ${chain.slug} waits for a route: the source of its swap does not answer`)
  }
  if (turn !== undefined) {
    return yield* Effect.logWarning(`a fill on ${chain.slug} waits for ${currency.symbol}, as its request allows`)
  }
  yield* countStuck("treasury-empty")
  yield* Effect.logError(`the treasury on ${chain.slug} lacks ${currency.symbol} or gas for a payment that is due`)
})

/**
 * When the wait began, in milliseconds: when its request became `delayed`, so that a restart does not begin the wait
 * again. A payment without a request waits in memory; its own deadline limits it.
 */
const waitingSince = Effect.fnUntraced(function*({ shown }: Pick<DuePayment, "shown">, now: number) {
  if (shown === undefined) return now
  const transfers = yield* Transfers
  const transfer = yield* transfers.find(shown)
  return transfer?.status === "delayed" ? transfer.updatedAt : now
})

/** `since`, `now` in milliseconds. */
const isOver = <R>({ patience, turn }: DuePayment<R>, since: number, now: number): boolean =>
  turn === undefined ? now - since >= Duration.toMillis(patience) : now > turn.until * 1000

/** Why nothing may be signed for the payment now. Undefined when it may. */
const refusal = <R>({ isDue, notAfter }: DuePayment<R>, now: number) =>
  Effect.gen(function*() {
    if (notAfter !== undefined && now > notAfter * 1000) return "expired" satisfies Unpaid
    return isDue !== undefined && !(yield* isDue) ? "undue" satisfies Unpaid : undefined
  })

export const signPayment = <R>(due: DuePayment<R>) =>
  Effect.gen(function*() {
    const { deposit: { chainId: origin, onchainId }, payment: { chain }, purpose, turn } = due
    const followers = yield* Followers
    let since: number | undefined
    let wasHalted = false
    while (true) {
      const seen = yield* followers.seen(chain, "waits")
      const stored = yield* findSigned(due)
      // Nothing is signed for a deposit on a halted chain. A signed payment continues: others wait behind its sequence.
      const halted = stored === undefined &&
        (yield* whileHalted(due, origin === undefined ? [chain.id] : [chain.id, origin]))
      if (halted) since = undefined
      wasHalted ||= halted
      const now = yield* Clock.currentTimeMillis
      const refused = stored === undefined ? yield* refusal(due, now) : undefined
      if (refused !== undefined) return refused
      const signed = stored ?? (turn === undefined || (yield* turn.take)
        ? yield* signOnce(due)
        : new PaymentRefused({ reason: "insufficient-funds" }))
      if (signed === "unborne" || signed === "greedy") return signed satisfies Unpaid
      // A chain was halted after it was asked for: it is waited for as before.
      if (signed instanceof PaymentsHalted) {
        yield* followers.moved(chain, seen)
        continue
      }
      if (signed instanceof PaymentUndue) return "undue" satisfies Unpaid
      if (!(signed instanceof PaymentRefused)) {
        return signed.payment.deposit === onchainId && signed.payment.leg === purpose
          ? signed
          : "claimed" satisfies Unpaid
      }
      if (signed.reason === "reverts") return signed.reason satisfies Unpaid
      if (since === undefined) {
        since = wasHalted ? now : yield* waitingSince(due, now)
        yield* tellShort(due, signed)
        yield* showStatus(due, "delayed")
      }
      if (isOver(due, since, now)) return signed.reason satisfies Unpaid
      yield* Effect.sleep(WAIT_FOR_FUNDS)
    }
  })
