/**
 * After a restore: finds out what was paid since the backup, before anything is decided or paid.
 *
 * The lost process may have signed payments that the store does not know. Each has a sequence of the account that the
 * store has not given away, one after the other; those in no block yet are at most as many as there are deposits
 * without an answer and payouts without an end. So that many sequences are used up by transactions that move nothing,
 * and once a final block has them all, no payment of the past can come any more: what the account sent is all there is,
 * and is read from the chain, also what replaced a payment that the store knows. Where a chain does not count, the same
 * is waited for by its height: what was signed before has a last block. Submissions to the hub obey the same rule,
 * although one that is forgotten and made again is carried out once: of them there are only so many that are not final,
 * and nothing of them is recorded anew. What is only a hub has a pass of its own: nothing that is paid there answers a
 * deposit, so that it holds nobody else when it stands still. Sweeps of deposit addresses have an account of their own
 * and move nothing of it: one that is forgotten is harmless. Its deposit is found like any other, and a second one of
 * an address that is empty is refused by the chain. SECURITY: until then nothing is signed (`Payments.signOnce` refuses
 * it) and no verdict is made.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../../ports/chain/Chains.ts"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import { Records } from "../../../ports/store/operations/Records.ts"
import { Restorations } from "../../../ports/store/operations/Restorations.ts"
import type { Restoration } from "../../../ports/store/operations/Restorations.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { MOST_UNDER_WAY, MOST_UNFINAL } from "../../../ports/store/orders/Settlements.ts"
import type { SentPayment, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { purposeOfPayment } from "../../domain/transfer/payment/PurposeOfPayment.ts"
import type { Filled, PaidPurpose } from "../../domain/transfer/payment/PurposeOfPayment.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import type { Alarm } from "./Alarms.ts"
import { findDelivery } from "../filling/Delivery.ts"
import { countStuck } from "./Meters.ts"
import { payingChains } from "../quoting/market/PayingChains.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { pollInterval } from "../polling/PollInterval.ts"

/** Blocks before the backup's last one that are read as well: a reorganisation may have moved a payment down. */
const MARGIN_BLOCKS = 128n

/** Sequences that are used up at the same time: nodes keep only so many of an account waiting. */
const AT_ONCE = 16n

/** How often somebody is told that payments are held although everything possible was done. */
const TELL_EVERY = Duration.minutes(1)

const greatest = (...values: ReadonlyArray<bigint>): bigint =>
  values.reduce((most, each) => each > most ? each : most, 0n)

/**
 * Waits until every chain was scanned up to where it was when this began: only then all deposits are known that were
 * answered.
 */
const untilScanned = Effect.fnUntraced(function*(chains: ReadonlyArray<Chain>) {
  const watcher = yield* DepositWatcher
  const deposits = yield* Deposits
  const heads = yield* Effect.forEach(
    chains,
    (chain) => Effect.map(watcher.head(chain), ({ height }) => ({ chain, height })),
    { concurrency: "unbounded" }
  )
  for (const { chain, height } of heads) {
    while (((yield* deposits.cursor(chain.id))?.height ?? -1n) < height) yield* Effect.sleep(pollInterval(chain))
  }
})

/** The first sequence that the backup had not given away; undefined when it had given away none. */
const firstUnknown = Effect.fnUntraced(function*(chain: Chain) {
  const records = yield* Records
  const { accountOn } = yield* SentTransactions
  return (yield* records.sequences(chain.id)).find((each) => each.account === accountOn(chain))?.next
})

/** What is only a hub has no deposits that are answered on it. */
const isServed = Effect.fnUntraced(function*({ id }: Chain) {
  const chains = yield* Chains
  return findChain(chains.all, id) !== undefined
})

/**
 * Uses up what the past may still claim, until a final block has it; the fence is kept, so that a restart goes on with
 * it.
 */
const fenceOff = Effect.fnUntraced(function*(chain: Chain, restoration: Restoration) {
  const restorations = yield* Restorations
  const sent = yield* SentTransactions
  const { counted, pendingSequence, sequence } = yield* sent.position(chain)
  // Where the chain does not count, how many the store has numbered says nothing of when they can come.
  const known = counted ? (yield* firstUnknown(chain)) ?? 0n : 0n
  const unanswered = BigInt((yield* isServed(chain)) ? yield* restorations.unanswered(restoration) : 0) +
    BigInt(chain.gate === undefined ? 0 : MOST_UNFINAL + MOST_UNDER_WAY)
  const fence = restoration.fence ??
    (yield* restorations.fenceAt(chain.id, greatest(sequence, pendingSequence, known) + unanswered))
  let toldAt = yield* Clock.currentTimeMillis
  while (true) {
    const position = yield* sent.position(chain)
    const now = yield* Clock.currentTimeMillis
    if (now - toldAt >= Duration.toMillis(TELL_EVERY)) {
      toldAt = now
      yield* Effect.logWarning(
        `payments on ${chain.slug} are still held: final blocks have the account's sequences below ${position.finalSequence}, and need those below ${fence}`
      )
    }
    if (position.finalSequence >= fence) return { counted, fence, finalHeight: position.finalHeight }
    const from = greatest(position.sequence, known)
    // The store's own payments keep their sequences: their fillings broadcast them.
    for (let next = from; next < fence && next < from + AT_ONCE; next += 1n) yield* sent.useUp(chain, next)
    yield* Effect.sleep(Duration.millis(chain.blockTimeMs))
  }
})

interface Found {
  readonly chain: Chain
  readonly sent: SentTransaction
  readonly payment: SentPayment
}

/**
 * What is not numbered is known by its name: all that the account sent since the backup and the store has no row of.
 */
const unnumberedSince = Effect.fnUntraced(function*(chain: Chain, { height }: Restoration, finalHeight: bigint) {
  const sent = yield* SentTransactions
  const records = yield* Records
  const from = height > MARGIN_BLOCKS ? height - MARGIN_BLOCKS : 0n
  const kept = new Set((yield* records.payments(chain.id)).map(({ transactionId }) => transactionId))
  return (yield* sent.between(chain, from, finalHeight)).filter(({ transactionId }) => !kept.has(transactionId))
})

/**
 * Everything that the account sent since the backup, beyond the sequences that the store had given away; undefined when
 * some of it cannot be found. What it sent under those is recorded: payments may have been replaced after the backup.
 */
const sentSince = Effect.fnUntraced(
  function*(chain: Chain, { height }: Restoration, fence: bigint, finalHeight: bigint) {
    const sent = yield* SentTransactions
    const payments = yield* Payments
    const known = yield* firstUnknown(chain)
    const from = height > MARGIN_BLOCKS ? height - MARGIN_BLOCKS : 0n
    const everything = yield* sent.between(chain, from, finalHeight)
    const now = yield* Clock.currentTimeMillis
    yield* Effect.forEach(
      everything,
      (each) =>
        each.payment === undefined || each.sequence === undefined || each.sequence >= (known ?? 0n)
          ? Effect.void
          : payments.adoptVariant({
            account: sent.accountOn(chain),
            chainId: chain.id,
            payment: each.payment,
            sent: each
          }, now),
      { discard: true }
    )
    const all = everything.filter(({ sequence }) =>
      sequence !== undefined && sequence >= (known ?? 0n) && sequence < fence
    )
    const first = known ?? all[0]?.sequence ?? fence
    return BigInt(all.length) === fence - first ? all : undefined
  }
)

/**
 * A sweep names no order and its row stays forgotten; its number is used again by the next one, under another sequence.
 */
const isPayment = (chain: Chain) => (sent: SentTransaction): ReadonlyArray<Found> =>
  sent.payment === undefined ? [] : [{ chain, sent, payment: sent.payment }]

/** Deposits that name the order and have no refund yet, oldest first. */
const unrefunded = Effect.fnUntraced(function*({ orderId }: Transfer) {
  const history = yield* TransferHistory
  const payments = yield* Payments
  const named = yield* history.allDeposits(orderId)
  const open: Array<Deposit> = []
  for (const { deposit } of named) {
    if ((yield* payments.find(orderId, `refund:${deposit.onchainId}`)) === undefined) open.push(deposit)
  }
  return open
})

const legOf = Effect.fnUntraced(function*({ chain, payment }: Found, filled: Filled) {
  const transfers = yield* Transfers
  const payouts = yield* Payouts
  const transfer = yield* transfers.findByOrder(payment.orderId)
  const payout = transfer === undefined ? yield* payouts.find(payment.orderId) : undefined
  // A wallet's payout names itself where others name an order.
  if (payout !== undefined) return { _tag: "Payout", deposit: payout.id } satisfies PaidPurpose
  if (transfer === undefined) return undefined
  return purposeOfPayment(transfer, yield* unrefunded(transfer), { ...payment, chainId: chain.id }, filled)
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

/** Records one payment; a leg that has another one keeps it, unless that one can never be carried out. */
const adopt = Effect.fnUntraced(function*({ chain, payment, sent }: Found, paid: PaidPurpose) {
  const payments = yield* Payments
  const treasury = yield* Treasury
  const { accountOn } = yield* SentTransactions
  const leg = columnOf(paid)
  const row = { leg, deposit: paid.deposit, chainId: chain.id, account: accountOn(chain), sent, payment }
  const now = yield* Clock.currentTimeMillis
  if (yield* payments.adopt(row, now)) {
    return yield* Effect.logWarning(
      `a payment on ${chain.slug} that was made after the backup is known again: ${sent.transactionId}`
    )
  }
  const other = yield* payments.find(payment.orderId, leg)
  const outcome = other === undefined ? undefined : (yield* treasury.outcome(chain, other.variants))._tag
  if (other !== undefined && (outcome === "Superseded" || outcome === "Expired")) {
    yield* payments.setAside(other)
    if (yield* payments.adopt(row, now)) return
  }
  yield* alarm(
    "paid-twice",
    `an order on ${chain.slug} was paid by ${other?.transactionId} and by ${sent.transactionId}`
  )
})

/** Records a payment that is of one kind; false for one of another. */
const adoptIf = (wanted: PaidPurpose["_tag"]) =>
  Effect.fnUntraced(function*(found: Found) {
    const paid = yield* legOf(found, "unknown")
    if (paid?._tag !== wanted) return false
    yield* adopt(found, paid)
    return true
  })

/** Records what is left once every fill is known: what went back of a deposit that was filled, or of none. */
const adoptRest = Effect.fnUntraced(function*(found: Found) {
  const { chain, payment, sent } = found
  const paid = yield* legOf(found, (yield* findDelivery(payment.orderId))?.deposit)
  if (paid !== undefined) return yield* adopt(found, paid)
  // Quoted after the backup, or nothing that this service would have paid.
  yield* alarm(
    "paid-unknown-order",
    `${sent.transactionId} on ${chain.slug} paid ${payment.amount} of ${payment.currency} to ${payment.recipient} for order ${payment.orderId}, which nothing here explains`
  )
})

/**
 * Refunds first: a deposit that was refunded did not claim the fill. What went back beside a fill comes last: only what
 * was filled has an excess.
 */
const adoptAll = Effect.fnUntraced(function*(found: ReadonlyArray<Found>) {
  const others = (wanted: PaidPurpose["_tag"]) => (left: ReadonlyArray<Found>) =>
    Effect.filter(left, (each) => Effect.map(adoptIf(wanted)(each), (taken) => !taken))
  const left = yield* others("Refund")(found).pipe(
    Effect.flatMap(others("Fill")),
    Effect.flatMap(others("Fallback")),
    Effect.flatMap(others("Payout"))
  )
  yield* Effect.forEach(left, adoptRest, { discard: true })
})

/**
 * True when all open restorations on these chains are settled; `after` has all deposits known that their payments may
 * answer.
 */
const settleOn = Effect.fnUntraced(
  function*(
    chains: ReadonlyArray<Chain>,
    after: Effect.Effect<void, ChainUnavailable | StoreUnavailable, Deposits | DepositWatcher>
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
        const { counted, fence, finalHeight } = yield* fenceOff(chain, restoration)
        return {
          chain,
          all: counted
            ? yield* sentSince(chain, restoration, fence, finalHeight)
            : yield* unnumberedSince(chain, restoration, finalHeight)
        }
      }),
      { concurrency: "unbounded" }
    )
    // Another worker may have settled it meanwhile, and payments go on.
    if ((yield* openOn).length === 0) {
      return true
    }
    const incomplete = sent.filter(({ all }) => all === undefined)
    if (incomplete.length > 0) {
      yield* alarm(
        "restoration-incomplete",
        `not all transactions of the account on ${
          incomplete.map(({ chain }) => chain.slug).join(", ")
        } since the backup can be found: payments stay held`
      )
      return false
    }
    const found = sent.flatMap(({ all, chain }) => (all ?? []).flatMap(isPayment(chain)))
    yield* adoptAll(found)
    const now = yield* Clock.currentTimeMillis
    yield* Effect.forEach(served, ({ chain }) => restorations.settle(chain.id, now), { discard: true })
    yield* Effect.logWarning(
      `all that was paid since the backup is known: payments on ${
        served.map(({ chain }) => chain.slug).join(", ")
      } go on`
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
  yield* untilSettled(settleOn(served, untilScanned(all)))
  yield* Effect.forEach(hubs, (hub) => untilSettled(settleOn([hub], Effect.void)), { discard: true })
}))
