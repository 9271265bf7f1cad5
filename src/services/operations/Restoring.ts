/**
 * After a restore from a backup: finds the payments since the backup, before anything is decided or paid.
 *
 * The lost process may have signed payments that the store does not know. Each has one of an account's sequences after
 * those that the store knows, without gaps. Those that are in no block yet are at most as many as there are open
 * deposits and payouts, and any account may have signed them. So that many sequences of each account are used up by
 * transactions that move nothing. Once a final block has them all, no old payment can be executed any more: the
 * accounts' transactions on the chain are complete, and they are read from it, with replacements of payments that the
 * store knows.
 *
 * On a chain without sequences, the wait is for a height instead: payments that were signed before have a last valid
 * block. Submissions to the hub follow the same rule, although a forgotten one that is made again is executed once: few
 * of them are in flight, and none of them is recorded again. A chain that is only a hub has its own pass: its payments
 * answer no deposit, so it does not delay the others when it stands still. Sweeps of deposit addresses use another
 * account and move none of its money, so a forgotten one is harmless: its deposit is found like any other, and the
 * chain refuses a second sweep of an empty address. SECURITY: until then nothing is signed (`Payments.signOnce` refuses
 * it) and no verdict is made. What is missing proves here that nothing was paid, so the quorum says what the accounts
 * have sent, how far they have come, and which deposits there are (QUORUM-8).
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import type { Loss } from "../../../ports/store/ledger/Losses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import { Records } from "../../../ports/store/operations/Records.ts"
import { Restorations } from "../../../ports/store/operations/Restorations.ts"
import type { Restoration } from "../../../ports/store/operations/Restorations.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { MOST_UNDER_WAY, MOST_UNFINAL } from "../../../ports/store/orders/Settlements.ts"
import type { SentPayment, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { isUnclaimed, purposeOfPayment } from "../../domain/transfer/payment/PurposeOfPayment.ts"
import type { Filled, PaidPurpose } from "../../domain/transfer/payment/PurposeOfPayment.ts"
import { forgottenDeposit } from "../../domain/transfer/refund/ForgottenRefund.ts"
import type { Alarm } from "./Alarms.ts"
import { knowDeposits } from "../deposits/watch/KnowDeposits.ts"
import { findDelivery } from "../filling/Delivery.ts"
import { found, lookUntil, whenMoved } from "../following/LookUntil.ts"
import { countStuck } from "./Meters.ts"
import { nameOrders } from "./NamelessPayments.ts"
import { isPaidAgain, makeKnownReturns } from "./PaidReturns.ts"
import type { KnownReturns } from "./PaidReturns.ts"
import { payingChains } from "../quoting/market/PayingChains.ts"
import { retryForever } from "../polling/RetryForever.ts"

/** Blocks before the backup's last one that are read as well: a reorg may have moved a payment down. */
const MARGIN_BLOCKS = 128n

/** How many sequences are used up at the same time: nodes keep only so many pending transactions of an account. */
const AT_ONCE = 16n

/** How often operators are told that payments are held although everything possible was done. */
const TELL_EVERY = Duration.minutes(1)

const greatest = (...values: ReadonlyArray<bigint>): bigint =>
  values.reduce((most, each) => each > most ? each : most, 0n)

/**
 * Of these payments those that no row has. An earlier attempt may have recorded some before it failed: looked at again,
 * they would count as payments for other deposits of their orders.
 */
const unrecorded = Effect.fnUntraced(function*(found: ReadonlyArray<Found>) {
  const records = yield* Records
  const kept = new Set<string>()
  for (const chainId of new Set(found.map(({ chain }) => chain.id))) {
    for (const { state, transactionId } of yield* records.payments(chainId)) {
      if (state !== "void") kept.add(`${chainId} ${transactionId}`)
    }
  }
  return found.filter(({ chain, sent }) => !kept.has(`${chain.id} ${sent.transactionId}`))
})

/** Only when every deposit is recorded, all are known that have payments. */
const knowAllDeposits = (chains: ReadonlyArray<Chain>) =>
  Effect.forEach(chains, knowDeposits, { concurrency: "unbounded", discard: true })

/** The first sequence of the account that the backup had not used. Undefined when it had used none. */
const firstUnknown = Effect.fnUntraced(function*(chain: Chain, account: Address) {
  const records = yield* Records
  return (yield* records.sequences(chain.id)).find((each) => each.account === account)?.next
})

/** A chain that is only a hub has no deposits to answer. */
const isServed = Effect.fnUntraced(function*({ id }: Chain) {
  const chains = yield* Chains
  return findChain(chains.all, id) !== undefined
})

/** How many old payments on a chain may still be in no block. Any of its accounts may have signed each. */
const mostUnanswered = Effect.fnUntraced(function*(chain: Chain, restoration: Restoration) {
  const restorations = yield* Restorations
  return BigInt((yield* isServed(chain)) ? yield* restorations.unanswered(restoration) : 0) +
    BigInt(chain.gate === undefined ? 0 : MOST_UNFINAL + MOST_UNDER_WAY)
})

/** The next sequences up to the fence. False when the chain refuses one, as it does without money for gas. */
const useUp = Effect.fnUntraced(
  function*(chain: Chain, account: Address, from: bigint, fence: bigint) {
    const sent = yield* SentTransactions
    for (let next = from; next < fence && next < from + AT_ONCE; next += 1n) yield* sent.useUp(chain, account, next)
    return true
  },
  Effect.catchTag("ChainUnavailable", (error) => error.kind === "refused" ? Effect.succeed(false) : Effect.fail(error))
)

/**
 * Uses up the sequences of an account that old payments may have, until a final block has them. The fence is stored, so
 * that a restart continues with it.
 */
const fenceOff = Effect.fnUntraced(function*(chain: Chain, unanswered: bigint, account: Address) {
  const restorations = yield* Restorations
  const sent = yield* SentTransactions
  const { counted, pendingSequence, sequence } = yield* sent.position(chain, account, "quorum")
  // On a chain without sequences, the store's numbers say nothing about when payments can be executed.
  const known = counted ? (yield* firstUnknown(chain, account)) ?? 0n : 0n
  const first = greatest(sequence, pendingSequence, known)
  // What was signed and that no node shows may have sequences beyond. Where nothing is counted, it has none beyond.
  const fence = yield* restorations.fenceAt(chain.id, account, counted ? first + unanswered : first)
  let toldAt = yield* Clock.currentTimeMillis
  let wasRefused = false
  return yield* lookUntil(
    chain,
    Effect.fnUntraced(function*() {
      const position = yield* sent.position(chain, account, "quorum")
      if (position.finalSequence >= fence) {
        return found({ account, counted, fence, finalHeight: position.finalHeight })
      }
      // The store's own payments keep their sequences: their fillings broadcast them.
      const isRefused = !(yield* useUp(chain, account, greatest(position.sequence, known), fence))
      const now = yield* Clock.currentTimeMillis
      if ((isRefused && !wasRefused) || now - toldAt >= Duration.toMillis(TELL_EVERY)) {
        toldAt = now
        yield* Effect.logWarning(
          `payments on ${chain.slug} are still held: final blocks have the sequences of ${account} below ${position.finalSequence}, and need those below ${fence}${
            isRefused
              ? ". A node refused its transaction that uses one up, which is tried again: it may lack native currency for gas. If it has some, the node's own log has the reason"
              : ""
          }`
        )
      }
      wasRefused = isRefused
      return whenMoved
    })
  )
})

/**
 * Warns of accounts that have paid before the backup and have no key here: what they have signed since can be neither
 * found nor ruled out. Only the operator knows whether they were still paying.
 */
const warnOfMissingKeys = Effect.fnUntraced(function*(chain: Chain) {
  const records = yield* Records
  const { accountsOn } = yield* SentTransactions
  const own: ReadonlySet<Address> = new Set(accountsOn(chain))
  const payments = yield* records.payments(chain.id)
  // The operator's account moves none of the solver's money.
  const paying = payments.filter(({ leg }) => !leg.startsWith("sweep") && !leg.startsWith("permit"))
  const missing = new Set(paying.map(({ account }) => account).filter((account) => !own.has(account)))
  if (missing.size === 0) return
  yield* Effect.logWarning(
    `the key of ${
      [...missing].join(", ")
    } is not configured: what it has signed on ${chain.slug} since the backup is neither found nor ruled out`
  )
})

/** An account whose sequences below the fence are all in final blocks. */
type Fenced = Pick<Effect.Success<ReturnType<typeof fenceOff>>, "account" | "fence">

interface Found {
  readonly chain: Chain
  readonly sent: SentTransaction
  readonly payment: SentPayment
}

/**
 * Without sequences, transactions are known by id: everything that the accounts sent since the backup and that has no
 * row in the store. Undefined when it is not certain which order one of them has paid.
 */
const unnumberedSince = Effect.fnUntraced(function*(chain: Chain, { height }: Restoration, finalHeight: bigint) {
  const sent = yield* SentTransactions
  const records = yield* Records
  const from = height > MARGIN_BLOCKS ? height - MARGIN_BLOCKS : 0n
  const kept = new Set((yield* records.payments(chain.id)).map(({ transactionId }) => transactionId))
  const missing = (yield* sent.between(chain, from, finalHeight, "quorum")).filter(({ signedAs, transactionId }) =>
    !kept.has(transactionId) && (signedAs === undefined || !kept.has(signedAs))
  )
  return yield* nameOrders(chain, missing)
})

/**
 * Of everything that was sent since the backup what the account has sent after the sequences that the store had used.
 * Undefined when some of it cannot be found. Transactions with known sequences are recorded too: payments may have been
 * replaced after the backup.
 */
const sentBy = Effect.fnUntraced(
  function*(chain: Chain, everything: ReadonlyArray<SentTransaction>, { account, fence }: Fenced) {
    const payments = yield* Payments
    const known = yield* firstUnknown(chain, account)
    const own = everything.filter((each) => each.account === account)
    const now = yield* Clock.currentTimeMillis
    yield* Effect.forEach(
      own,
      (each) =>
        each.payment === undefined || each.sequence === undefined || each.sequence >= (known ?? 0n)
          ? Effect.void
          : payments.adoptVariant({ chainId: chain.id, payment: each.payment, sent: each }, now),
      { discard: true }
    )
    const all = own.filter(({ sequence }) => sequence !== undefined && sequence >= (known ?? 0n) && sequence < fence)
    const first = known ?? all[0]?.sequence ?? fence
    return BigInt(all.length) === fence - first ? all : undefined
  }
)

/** The same of all accounts. Undefined when some of it cannot be found. */
const sentSince = Effect.fnUntraced(
  function*(chain: Chain, { height }: Restoration, fenced: ReadonlyArray<Fenced>, finalHeight: bigint) {
    const sent = yield* SentTransactions
    const from = height > MARGIN_BLOCKS ? height - MARGIN_BLOCKS : 0n
    const everything = yield* sent.between(chain, from, finalHeight, "quorum")
    const found = yield* Effect.forEach(fenced, (each) => sentBy(chain, everything, each))
    const all = found.filter((each) => each !== undefined)
    return all.length === found.length ? all.flat() : undefined
  }
)

/** A sweep names no order, and its row stays missing; the next sweep uses its number again, with another sequence. */
const isPayment = (chain: Chain) => (sent: SentTransaction): ReadonlyArray<Found> =>
  sent.payment === undefined ? [] : [{ chain, sent, payment: sent.payment }]

const legOf = Effect.fnUntraced(function*(known: KnownReturns, { chain, payment }: Found, filled: Filled) {
  const transfers = yield* Transfers
  const payouts = yield* Payouts
  const transfer = yield* transfers.findByOrder(payment.orderId)
  const payout = transfer === undefined ? yield* payouts.find(payment.orderId) : undefined
  // A wallet's payout has its own id in place of an order's.
  if (payout !== undefined) return { _tag: "Payout", deposit: payout.id } satisfies PaidPurpose
  if (transfer === undefined) return undefined
  return purposeOfPayment(transfer, yield* known.of(transfer), { ...payment, chainId: chain.id }, filled)
})

const columnOf = ({ _tag, deposit }: PaidPurpose): PaymentPurpose => {
  switch (_tag) {
    case "Fill":
      return "fill"
    case "Fallback":
      return "fallback"
    case "Refund":
      return `refund:${deposit}`
    case "Excess":
      return `excess:${deposit}`
    case "Payout":
      return "payout"
  }
}

const alarm = (what: Alarm, message: string) => Effect.andThen(countStuck(what), Effect.logError(message))

/** Records one payment. An existing payment for the purpose stays, unless it can never be executed. */
const adopt = Effect.fnUntraced(function*(known: KnownReturns, { chain, payment, sent }: Found, paid: PaidPurpose) {
  const payments = yield* Payments
  const treasury = yield* Treasury
  const leg = columnOf(paid)
  const row = { leg, deposit: paid.deposit, chainId: chain.id, sent, payment }
  const now = yield* Clock.currentTimeMillis
  if (yield* payments.adopt(row, now)) {
    known.note(payment.orderId, leg)
    return yield* Effect.logWarning(
      `a payment on ${chain.slug} that was made after the backup is known again: ${sent.transactionId}`
    )
  }
  const other = yield* payments.find(payment.orderId, leg)
  const outcome = other === undefined ? undefined : yield* treasury.outcome(chain, other.variants, "quorum")
  if (other !== undefined && outcome !== undefined && isPaidAgain(leg, outcome)) {
    yield* payments.setAside(other)
    if (yield* payments.adopt(row, now)) return known.note(payment.orderId, leg)
  }
  yield* alarm(
    "paid-twice",
    `an order on ${chain.slug} was paid by ${other?.transactionId} and by ${sent.transactionId}`
  )
})

/**
 * Books what is lost by a payment whose deposit nobody knows: it was dropped by a reorg, and the store had forgotten
 * both. No filling looks after such a payment. A deposit that comes after all takes it over, and the loss is recovered.
 */
const bookUnclaimed = Effect.fnUntraced(function*({ chain, payment: { orderId }, sent }: Found) {
  const payments = yield* Payments
  const losses = yield* Losses
  const transfers = yield* Transfers
  const refund = `refund:${forgottenDeposit(sent.transactionId)}` as const
  for (const purpose of ["fill", "fallback", refund] as const) {
    const kept = yield* payments.find(orderId, purpose)
    if (kept === undefined || kept.transactionId !== sent.transactionId) continue
    if (purpose !== refund && !isUnclaimed(kept)) continue
    const { amount, currency, deposit, transactionId } = kept
    const { block, gasPaid, succeeded } = sent
    const state = succeeded ? "included" : "reverted"
    if (!(yield* payments.recordOutcome(orderId, purpose, { state, transactionId, block, gasPaid }))) {
      return yield* new ChainUnavailable({ chain: chain.slug, operation: "outcome of a payment", kind: "behind" })
    }
    // Nobody knows what was deposited for an order that was quoted after the backup.
    if (!succeeded || (yield* transfers.findByOrder(orderId)) === undefined) continue
    const loss: Loss = { kind: "deposit", chainId: chain.id, orderId, deposit, transactionId, currency, amount }
    if (!(yield* losses.book(loss, yield* Clock.currentTimeMillis))) continue
    yield* alarm(
      "filled-deposit-gone",
      `the order ${orderId} was ${
        purpose === refund ? "refunded" : "filled"
      } on ${chain.slug} by ${transactionId}, and no deposit for it is on its chain`
    )
  }
})

/** Records a payment of one kind. False for one of another. */
const adoptIf = (known: KnownReturns, wanted: PaidPurpose["_tag"]) =>
  Effect.fnUntraced(function*(found: Found) {
    const paid = yield* legOf(known, found, (yield* findDelivery(found.payment.orderId))?.deposit ?? "unknown")
    if (paid?._tag !== wanted) return false
    yield* adopt(known, found, paid)
    return true
  })

/**
 * Records the rest once every fill is known: payments beside the fill of a deposit, or without one. SECURITY: what fits
 * no deposit is recorded, too. Of a known order it is the refund of a deposit that a reorg has dropped: it may come
 * back, and would be refunded again (RESTORE-1).
 */
const adoptRest = Effect.fnUntraced(function*(known: KnownReturns, found: Found) {
  const { chain, payment, sent } = found
  const transfers = yield* Transfers
  const paid = yield* legOf(known, found, (yield* findDelivery(payment.orderId))?.deposit)
  yield* adopt(known, found, paid ?? { _tag: "Refund", deposit: forgottenDeposit(sent.transactionId) })
  if (paid !== undefined || (yield* transfers.findByOrder(payment.orderId)) !== undefined) return
  // Quoted after the backup, or a payment that this service would not have made.
  yield* alarm(
    "paid-unknown-order",
    `${sent.transactionId} on ${chain.slug} paid ${payment.amount} of ${payment.currency} to ${payment.recipient} for order ${payment.orderId}, which no record of this store explains`
  )
})

/**
 * Refunds first: a refunded deposit did not get the fill. Payments beside a fill come last: only a filled deposit has
 * an excess.
 */
const adoptAll = Effect.fnUntraced(function*(found: ReadonlyArray<Found>) {
  const known = makeKnownReturns()
  const others = (wanted: PaidPurpose["_tag"]) => (left: ReadonlyArray<Found>) =>
    Effect.filter(left, (each) => Effect.map(adoptIf(known, wanted)(each), (taken) => !taken))
  const left = yield* others("Refund")(found).pipe(
    Effect.flatMap(others("Fill")),
    Effect.flatMap(others("Fallback")),
    Effect.flatMap(others("Payout"))
  )
  yield* Effect.forEach(left, (each) => adoptRest(known, each), { discard: true })
})

/**
 * True when all open restorations on these chains are settled. After `after`, all deposits are known that their
 * payments may answer.
 */
const settleOn = Effect.fnUntraced(
  function*(
    chains: ReadonlyArray<Chain>,
    after: ReturnType<typeof knowAllDeposits>
  ) {
    const restorations = yield* Restorations
    const openOn = Effect.map(
      restorations.open,
      (open) =>
        chains.flatMap((chain) =>
          open.filter(({ chainId }) => chainId === chain.id).map((restoration) => ({ chain, restoration }))
        )
    )
    const served = yield* openOn
    if (served.length === 0) {
      return true
    }
    yield* Effect.logWarning(
      `this store was restored from a backup: payments on ${
        served.map(({ chain }) => chain.slug).join(", ")
      } are held until it is known what was paid since`
    )
    yield* after
    const sent = yield* Effect.forEach(
      served,
      Effect.fnUntraced(function*({ chain, restoration }) {
        const { accountsOn } = yield* SentTransactions
        yield* warnOfMissingKeys(chain)
        const unanswered = yield* mostUnanswered(chain, restoration)
        const fenced = yield* Effect.forEach(
          accountsOn(chain),
          (account) => fenceOff(chain, unanswered, account),
          { concurrency: "unbounded" }
        )
        const finalHeight = greatest(...fenced.map((each) => each.finalHeight))
        return {
          chain,
          usedUp: fenced.filter(({ counted }) => counted),
          all: fenced.every(({ counted }) => counted)
            ? yield* sentSince(chain, restoration, fenced, finalHeight)
            : yield* unnumberedSince(chain, restoration, finalHeight)
        }
      }),
      { concurrency: "unbounded" }
    )
    // Another worker may have settled it in the meantime, and payments go on.
    if ((yield* openOn).length === 0) {
      return true
    }
    const incomplete = sent.filter(({ all }) => all === undefined)
    if (incomplete.length > 0) {
      yield* alarm(
        "restoration-incomplete",
        `not all transactions of the accounts on ${
          incomplete.map(({ chain }) => chain.slug).join(", ")
        } since the backup can be found: payments stay held`
      )
      return false
    }
    const found = sent.flatMap(({ all, chain }) => (all ?? []).flatMap(isPayment(chain)))
    yield* adoptAll(yield* unrecorded(found))
    yield* Effect.forEach(found, bookUnclaimed, { discard: true })
    const now = yield* Clock.currentTimeMillis
    yield* Effect.forEach(sent, ({ chain, usedUp }) => restorations.settle(chain.id, usedUp, now), { discard: true })
    yield* Effect.logWarning(
      `all payments since the backup are known: payments on ${served.map(({ chain }) => chain.slug).join(", ")} go on`
    )
    return true
  }
)

const untilSettled = (pass: ReturnType<typeof settleOn>) =>
  pass.pipe(
    retryForever("settling what was paid since the backup"),
    Effect.tap((settled) => settled ? Effect.void : Effect.sleep(TELL_EVERY)),
    Effect.repeat({ until: (settled) => settled }),
    Effect.forkScoped
  )

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const { all } = yield* Chains
  const paying = yield* payingChains
  const served = yield* Effect.filter(paying, isServed)
  const hubs = paying.filter((chain) => !served.includes(chain))
  yield* untilSettled(settleOn(served, knowAllDeposits(all)))
  yield* Effect.forEach(hubs, (hub) => untilSettled(settleOn([hub], Effect.void)), { discard: true })
}))
