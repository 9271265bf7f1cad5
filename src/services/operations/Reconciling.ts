/**
 * Compares the store with its chains and with its own entries, and reports every difference.
 *
 * Read-only; decides nothing. From a given time on, it checks what has happened and what is still open, and ignores the
 * rest, so that the work does not grow with the age of the service. The chains' positions are read before the store:
 * the store had everything on a chain before it was sent, so a running service causes no false differences.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Records } from "../../../ports/store/operations/Records.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import type { AccountPosition, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Finding } from "../../domain/reconciliation/Finding.ts"
import { judgeDeposits, judgeFates } from "../../domain/reconciliation/JudgeDeposits.ts"
import type { KeptDeposit } from "../../domain/reconciliation/JudgeDeposits.ts"
import { isExcess, judgeExcess } from "../../domain/reconciliation/JudgeExcess.ts"
import { judgePayments, judgeTwice, judgeUnrecorded } from "../../domain/reconciliation/JudgePayments.ts"
import type { KeptPayment } from "../../domain/reconciliation/KeptPayment.ts"
import { isDepositInScope, isPaymentInScope } from "../../domain/reconciliation/ReconciliationScope.ts"
import type { Since } from "../../domain/reconciliation/ReconciliationScope.ts"
import { sequenceGaps } from "../../domain/reconciliation/SequenceGaps.ts"
import type { SequenceGap } from "../../domain/reconciliation/SequenceGaps.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { formatUsd, usdFromMicros } from "../../domain/money/Usd.ts"
import { deliveryOf } from "../../domain/transfer/payment/DeliveryOf.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { heldIn, holdingsOn } from "../quoting/market/Holdings.ts"
import { payingChains } from "../quoting/market/PayingChains.ts"
import { reconcileBalances } from "./ReconcilingBalances.ts"
import type { WalletMoney } from "./ReconcilingBalances.ts"
import { gates } from "../hub/Gates.ts"
import { StuckRequests } from "./StuckRequests.ts"

/** What was checked, and the differences. */
export interface Reconciliation {
  readonly checked: {
    readonly chains: number
    readonly payments: number
    readonly deposits: number
    readonly unended: number
  }
  readonly findings: ReadonlyArray<Finding>
}

/** Larger gaps are reported and not searched: that would be hours of reading. */
const SEARCHED_BLOCKS = 50_000n

/** How many transactions are read at the same time. */
const READS = 20

const least = (one: bigint, other: bigint): bigint => one < other ? one : other
const most = (one: bigint, other: bigint): bigint => one > other ? one : other

/** Where the check begins: the time, and on each chain the last block before it. */
interface Beginning {
  readonly since: Since
  readonly before: bigint | undefined
}

/** Every deposit that the chain shows after a block, up to another. */
const scanAll = Effect.fnUntraced(function*(chain: Chain, after: bigint, upTo: bigint) {
  const watcher = yield* DepositWatcher
  const found = new Map<Deposit["onchainId"], Deposit>()
  // No block has this hash, so the scan begins somewhat earlier, which only costs time.
  let cursor: Cursor = { height: after, hash: "" }
  while (cursor.height < upTo) {
    const scan = yield* watcher.scan(chain, cursor)
    for (const deposit of scan.deposits) found.set(deposit.onchainId, deposit)
    if (scan.cursor.height <= cursor.height) break
    cursor = scan.cursor
  }
  return [...found.values()]
})

const unsearched = (
  chain: Chain,
  account: Address,
  { from, fromBlock, to, toBlock }: SequenceGap,
  why: string
): Finding => ({
  kind: "sequence-unaccounted",
  chain: chain.slug,
  about: from === to ? `sequence ${from} of ${account}` : `sequences ${from} to ${to} of ${account}`,
  stored: "nothing",
  found: `transactions between blocks ${fromBlock} and ${toBlock}${why}`
})

/** Transactions of the account with sequences that the store does not know. */
const searchGap = Effect.fnUntraced(
  function*(chain: Chain, own: Address, kept: ReadonlyArray<KeptPayment>, gap: SequenceGap, since: Since) {
    const sent = yield* SentTransactions
    if (gap.toBlock - gap.fromBlock > SEARCHED_BLOCKS) return [unsearched(chain, own, gap, ", too many to search")]
    const found = (yield* sent.between(chain, gap.fromBlock, gap.toBlock, "endpoint")).filter(({ account, sequence }) =>
      account === own && sequence !== undefined && sequence >= gap.from && sequence <= gap.to
    )
    const complete = BigInt(found.length) === gap.to - gap.from + 1n
    const recent = found.filter(({ block }) => since === undefined || block.time * 1000 >= since)
    return [
      ...judgeUnrecorded(chain.slug, kept, recent),
      ...(complete ? [] : [unsearched(chain, own, gap, ", not all of them there")])
    ]
  }
)

/**
 * Without sequences there are no gaps: every transaction of the account is compared, as far back as the search goes.
 */
const searchUncounted = Effect.fnUntraced(
  function*(
    chain: Chain,
    own: Address,
    kept: ReadonlyArray<KeptPayment>,
    from: bigint,
    { height }: AccountPosition
  ) {
    const sent = yield* SentTransactions
    const found = yield* sent.between(chain, most(from, height - SEARCHED_BLOCKS), height, "endpoint")
    return judgeUnrecorded(chain.slug, kept, found.filter(({ account }) => account === own))
  }
)

/** An account, and how far its sequences have advanced. */
interface Positioned {
  readonly account: Address
  readonly position: AccountPosition
}

/** What an account has sent that the store does not know. */
const unrecordedOf = Effect.fnUntraced(
  function*(
    chain: Chain,
    { account, position }: Positioned,
    kept: ReadonlyArray<KeptPayment>,
    { before = -1n, since }: Beginning
  ) {
    const records = yield* Records
    const scanned = yield* records.scanned(chain.id)
    const own = kept.filter((payment) => payment.account === account)
    const given = (yield* records.sequences(chain.id)).find((each) => each.account === account)
    // Everything before the last ignored payment is ignored as well.
    const older = own.findLast((payment) => payment.block !== undefined && !isPaymentInScope(payment, since))
    // The account may have been used before it belonged to this store: only transactions after its first payment count.
    const first = older === undefined ? given?.first ?? own[0]?.sequence : older.sequence + 1n
    const firstBlock = older?.block?.height ?? scanned?.anchored ??
      own.find(({ block }) => block !== undefined)?.block?.height ?? 0n
    if (!position.counted) return yield* searchUncounted(chain, account, own, most(firstBlock, before + 1n), position)
    const gaps = first === undefined
      ? []
      : sequenceGaps(own, { first, firstBlock, next: position.sequence, lastBlock: position.height })
    const unrecorded = yield* Effect.forEach(
      gaps.filter(({ toBlock }) => toBlock > before),
      (gap) => searchGap(chain, account, own, gap, since)
    )
    return unrecorded.flat()
  }
)

const payments = Effect.fnUntraced(
  function*(chain: Chain, positions: ReadonlyArray<Positioned>, beginning: Beginning) {
    const { since } = beginning
    const records = yield* Records
    const sent = yield* SentTransactions
    const kept = yield* records.payments(chain.id)
    const judged = kept.filter((payment) => isPaymentInScope(payment, since))
    const looked = yield* Effect.forEach(judged, ({ transactionId }) => sent.find(chain, transactionId), {
      concurrency: READS
    })
    const seen = new Map(
      looked.filter((each): each is SentTransaction => each !== undefined).map((each) => [each.transactionId, each])
    )
    const unrecorded = yield* Effect.forEach(positions, (each) => unrecordedOf(chain, each, kept, beginning))
    return {
      kept,
      judged: judged.length,
      findings: [...judgePayments(chain.slug, judged, seen), ...unrecorded.flat()]
    }
  }
)

/** Deposits outside of the scanned blocks, each looked up by its transaction. */
const lookUp = Effect.fnUntraced(function*(chain: Chain, kept: ReadonlyArray<KeptDeposit>) {
  const watcher = yield* DepositWatcher
  const found = yield* Effect.forEach(
    kept,
    Effect.fnUntraced(function*({ deposit: { onchainId, transactionId } }) {
      const there = yield* Effect.provideService(watcher.look(chain, transactionId), Due, true)
      return there?.find((each) => each.onchainId === onchainId)
    }),
    { concurrency: READS }
  )
  return found.filter((each) => each !== undefined)
})

const deposits = Effect.fnUntraced(
  function*(chain: Chain, finalHeight: bigint, { before = -1n, since }: Beginning) {
    const records = yield* Records
    const scanned = yield* records.scanned(chain.id)
    const all = yield* records.deposits(chain.id)
    const kept = all.filter((each) => isDepositInScope(each, since))
    if (scanned === undefined) return { kept, findings: [] }
    const known = all.map(({ deposit }) => deposit.block.height).toSorted((one, other) => Number(one - other))
    const after = scanned.anchored ?? (known[0] ?? scanned.cursor.height + 1n) - 1n
    // A deposit that is not final may move at any time, and the worker's records move with it.
    const upTo = least(scanned.cursor.height, finalHeight)
    const scanFrom = most(after, before)
    const seen = scanFrom >= upTo ? [] : yield* scanAll(chain, scanFrom, upTo)
    // The scan begins somewhat earlier; the additional deposits are ignored.
    const recent = new Map(
      seen.filter(({ block }) => block.height > scanFrom).map((deposit) => [deposit.onchainId, deposit])
    )
    // Open deposits count whatever their age, and a reorg may have moved a deposit into the period or out of it.
    const elsewhere = yield* lookUp(
      chain,
      kept.filter(({ deposit: { block, onchainId }, state }) =>
        !recent.has(onchainId) && state !== "gone" && block.height > after && block.height <= upTo
      )
    )
    const judged = all.filter((each) => isDepositInScope(each, since) || recent.has(each.deposit.onchainId))
    return { kept, findings: judgeDeposits(chain.slug, judged, [...elsewhere, ...recent.values()], { after, upTo }) }
  }
)

/** Excess payments beside fills and refunds, each with its terms and deposit. */
const excesses = Effect.fnUntraced(
  function*(paid: ReadonlyArray<KeptPayment>, since: Since, slugOf: (of: Pick<KeptPayment, "chainId">) => string) {
    const transfers = yield* Transfers
    const history = yield* TransferHistory
    const looked = paid.filter((payment) => isExcess(payment) && isPaymentInScope(payment, since))
    const found = yield* Effect.forEach(
      looked,
      Effect.fnUntraced(function*(excess) {
        const made = paid.filter(({ orderId, state }) => orderId === excess.orderId && state === "included")
        const refund = made.find(({ leg }) => leg === `refund:${excess.deposit}`)
        const beside = refund ?? deliveryOf(made)
        const named = yield* history.deposits(excess.orderId)
        const answered = named.find(({ deposit }) => deposit.onchainId === beside?.deposit)
        const transfer = yield* transfers.findByOrder(excess.orderId)
        return judgeExcess(slugOf(excess), excess, transfer, beside, answered?.deposit)
      })
    )
    return found.flat()
  }
)

/** Reserved inventory must be available. Reservations are read after it, because a paid one is released. */
const inventory = Effect.fnUntraced(function*(chain: Chain) {
  const records = yield* Records
  const found = yield* Effect.forEach(
    holdingsOn(chain),
    Effect.fnUntraced(function*({ currency, holding }) {
      const held = yield* Effect.provideService(heldIn({ chain, currency, holding }), Due, true)
      const promised = (yield* records.promised)
        .filter((each) => each.chainId === chain.id && each.currency === currency.address && each.holding === holding)
        .reduce((sum, { amount }) => sum + amount, 0n)
      const short: Finding = {
        kind: "inventory-short",
        chain: chain.slug,
        about: `${currency.symbol} of the solver's ${holding}`,
        stored: `${promised} is promised`,
        found: `${held} is there`
      }
      return held < promised ? [short] : []
    }),
    { concurrency: READS }
  )
  return found.flat()
})

/** Submissions to hubs that are not configured here: nobody replaces them or learns their result. */
const unfollowed = Effect.gen(function*() {
  const settlements = yield* Settlements
  const gateOf = yield* gates
  return (yield* settlements.underWay).filter((submission) => gateOf(submission) === undefined).map((
    { chainId, createdAt, id }
  ): Finding => ({
    kind: "submission-unfollowed",
    chain: undefined,
    about: `submission ${id} to chain ${chainId}`,
    stored: `under way since ${new Date(createdAt).toISOString()}`,
    found: "no hub on that chain in the configuration"
  }))
})

/** Every balance of app money, from its entries and from the settlement chain. */
const books = Effect.fnUntraced(function*({ before, since }: Beginning) {
  const { chain } = yield* SettlementChain
  const { differences, missed, unfounded, unpaid } = yield* reconcileBalances({
    from: before === undefined ? undefined : before + 1n,
    whole: 0n,
    paidSince: since
  })
  const of =
    (kind: Finding["kind"], stored: string, found: string) => ({ amount, id, wallet }: WalletMoney): Finding => ({
      kind,
      chain: chain.slug,
      about: `${amount} of the settlement token for ${wallet} (${id})`,
      stored,
      found
    })
  return [
    ...differences.map(({ account, currency, kept, summed }): Finding => ({
      kind: "ledger-balance",
      chain: undefined,
      about: `account ${account} in ${currency.address} of chain ${currency.chainId}`,
      stored: `a balance of ${kept}`,
      found: `entries that add up to ${summed}`
    })),
    ...unfounded.map(of("credit-unfounded", "that it came in", "no transaction that credits it")),
    ...missed.map(of("credit-missed", "nothing of it", "a transaction that credits it")),
    ...unpaid.map(of("payout-unpaid", "that it was paid out", "no final payment of it"))
  ]
})

const beginningOn = Effect.fnUntraced(function*(chain: Chain, since: Since) {
  const sent = yield* SentTransactions
  return {
    since,
    before: since === undefined ? undefined : yield* sent.lastBlockBefore(chain, since)
  } satisfies Beginning
})

/** Fails when it cannot read. That is no difference. */
export const reconcile = Effect.fnUntraced(function*(since: Since) {
  const chains = yield* Chains
  const paying = yield* payingChains
  const stuck = yield* StuckRequests
  const sent = yield* SentTransactions
  const { chain: settlement } = yield* SettlementChain
  const positions = yield* Effect.forEach(
    paying,
    Effect.fnUntraced(function*(chain) {
      const positions = yield* Effect.forEach(
        sent.accountsOn(chain),
        (account) =>
          Effect.map(sent.position(chain, account, "endpoint"), (position): Positioned => ({ account, position })),
        { concurrency: READS }
      )
      return { chain, positions, beginning: yield* beginningOn(chain, since) }
    }),
    { concurrency: "unbounded" }
  )
  // Deposits first: the payments of closed ones are then recorded.
  const served = positions.filter(({ chain }) => findChain(chains.all, chain.id) !== undefined)
  const received = yield* Effect.forEach(
    served,
    ({ beginning, chain, positions }) =>
      deposits(chain, positions.map(({ position }) => position.finalHeight).reduce(least), beginning)
  )
  const paid = yield* Effect.forEach(
    positions,
    ({ beginning, chain, positions }) => payments(chain, positions, beginning)
  )
  const short = yield* Effect.forEach(chains.all, inventory)
  const { overdue, refundsHeld, unended } = yield* stuck.look(yield* Clock.currentTimeMillis)
  const allPaid = paid.flatMap(({ kept }) => kept)
  const allReceived = received.flatMap(({ kept }) => kept)
  const slugOf = ({ chainId }: Pick<Deposit, "chainId">) => findChain(paying, chainId)?.slug ?? `${chainId}`
  const late = overdue.map(({ id, since, status, why }): Finding => ({
    kind: "overdue-request",
    chain: undefined,
    about: `request ${id}`,
    stored: `${status} since ${new Date(since).toISOString()}`,
    found: why
  }))
  const held = refundsHeld.map(({ deposit, heldAt, requestId, usdMicros }): Finding => ({
    kind: "refund-held",
    chain: slugOf(deposit),
    about: `deposit ${deposit.onchainId} of request ${requestId}`,
    stored: `held back by UNATTESTED_REFUNDS_USD since ${new Date(heldAt).toISOString()}`,
    found: `${formatUsd(usdFromMicros(usdMicros))} dollars that nothing would give back to the solver`
  }))
  return {
    checked: {
      chains: positions.length,
      payments: paid.reduce((sum, { judged }) => sum + judged, 0),
      deposits: allReceived.length,
      unended
    },
    findings: [
      ...late,
      ...held,
      ...(yield* books(
        positions.find(({ chain }) => chain.id === settlement.id)?.beginning ?? { since, before: undefined }
      )),
      ...paid.flatMap(({ findings }) => findings),
      ...judgeTwice(allPaid, since),
      ...(yield* excesses(allPaid, since, slugOf)),
      ...received.flatMap(({ findings }) => findings),
      ...judgeFates(slugOf, allReceived, allPaid),
      ...short.flat(),
      ...(yield* unfollowed)
    ]
  } satisfies Reconciliation
})
