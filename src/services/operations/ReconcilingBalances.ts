/**
 * Recomputes every balance of app money, from the ledger's entries and from what the settlement chain shows
 * (BALANCE-2). Reads only: what it finds is for a person to mend.
 *
 * From entries: an account whose kept balance is not their sum. From the chain: credits that it does not show as they
 * were booked, transfers that should have been credited and were not, payouts that are booked as paid and are not on
 * it. Listed besides: what arrived at the solver and credits nobody, with the reason.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AppBalances } from "../../../ports/store/ledger/AppBalances.ts"
import type { PostedTransaction } from "../../../ports/store/ledger/AppBalances.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { CreditWatcher } from "../../../ports/chain/CreditWatcher.ts"
import type { SeenArrival } from "../../../ports/chain/CreditWatcher.ts"
import { Credits } from "../../../ports/store/ledger/Credits.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import type { LedgerDifference } from "../../../ports/store/ledger/Ledger.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { ownerOf } from "../../domain/ledger/Account.ts"
import { judgeCredit } from "../../domain/ledger/JudgeCredit.ts"
import type { CreditTerms, NotCreditedReason } from "../../domain/ledger/JudgeCredit.ts"
import { Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { creditTerms } from "../app-balance/Crediting.ts"

/**
 * Money of a wallet that a transaction or a movement of the ledger is about; smallest units of the movement's currency.
 */
export interface WalletMoney {
  /** The movement's id in the ledger, or that of the transaction on the chain. */
  readonly id: string
  readonly wallet: string
  readonly amount: bigint
}

/** A transfer that credits nobody, though it meant to, or came without saying whom it is for. */
export interface UncreditedArrival {
  readonly transactionId: string
  readonly sender: string
  /** Smallest units of the settlement token; zero for what came in another one. */
  readonly amount: bigint
  /** `unmarked`: nothing in it means a credit. */
  readonly reason: NotCreditedReason | "unmarked"
}

/** What a reconciliation found. The books agree when the first four are empty. */
export interface BalanceReconciliation {
  /** Accounts whose kept balance is not the sum of their entries. */
  readonly differences: ReadonlyArray<LedgerDifference>
  /** Credits that the chain does not show as they were booked: a loss, or a forgery. */
  readonly unfounded: ReadonlyArray<WalletMoney>
  /** Transactions that are credits by the rules and are not booked: owed to a wallet. */
  readonly missed: ReadonlyArray<WalletMoney>
  /** Payouts that are booked as paid, and whose payment is in no final block with success. */
  readonly unpaid: ReadonlyArray<WalletMoney>
  readonly uncredited: ReadonlyArray<UncreditedArrival>
  /**
   * What was booked as credits in the blocks that were read, and what of it the chain shows; smallest units of the
   * token.
   */
  readonly credited: bigint
  readonly received: bigint
}

/** Which blocks of the settlement chain are read, up to where crediting has looked. */
export interface ReconciledBlocks {
  /** Credits in earlier blocks are not looked for on the chain; from the first that was booked when undefined. */
  readonly from: bigint | undefined
  /** How many of the last ones are read whole, for what no log of the token tells: failures and other tokens. */
  readonly whole: bigint
  /** Payouts that were booked as paid before are not looked for; milliseconds, all of them when undefined. */
  readonly paidSince?: number | undefined
}

/** Blocks that are read whole in one go. */
const CHUNK = 20n

/** What a movement gives to or takes from its only owner. */
const moneyOf = ({ transaction: { id, postings } }: PostedTransaction): WalletMoney => {
  const [posting] = postings.filter(({ account }) => ownerOf(account) !== undefined)
  const units = posting?.units ?? 0n
  return {
    id,
    wallet: posting === undefined ? "" : ownerOf(posting.account) ?? "",
    amount: units < 0n ? -units : units
  }
}

/**
 * The part of a movement's id that names what it is about: `credit:<chain>:<transaction>:<log>`,
 * `paid:<payout>:<round>`.
 */
const partOf = ({ id }: WalletMoney, index: number): string => id.split(":")[index] ?? ""

/** Which ending of a payout a movement is about, whatever it says of it: the payout and its round. */
const endingOf = ({ id }: WalletMoney): string => id.slice(id.indexOf(":"))

const isHex32 = Schema.is(Hex32)

const total = (of: ReadonlyArray<WalletMoney>): bigint => of.reduce((sum, { amount }) => sum + amount, 0n)

/** Every transfer of the token to the solver in these blocks; fails on a node that has not got that far. */
const arrivals = Effect.fnUntraced(function*(from: bigint, to: bigint) {
  const watcher = yield* CreditWatcher
  const { chain } = yield* SettlementChain
  const terms = yield* creditTerms
  const behind = new ChainUnavailable({ chain: chain.slug, operation: "reconciliation", kind: "behind" })
  const seen = new Map<string, SeenArrival>()
  let cursor = (yield* watcher.start(chain, from > 0n ? from - 1n : from)) ?? (yield* behind)
  while (cursor.height < to) {
    const scan = yield* watcher.scan(chain, terms, cursor)
    for (const arrival of scan.arrivals) {
      const { height } = arrival.block
      if (height >= from && height <= to) seen.set(arrival.evidence.transactionId, arrival)
    }
    if (scan.cursor.height <= cursor.height) return yield* behind
    cursor = scan.cursor
  }
  return seen
})

/** What whole blocks show besides, in goes that each come back in time. */
const mentions = Effect.fnUntraced(function*(from: bigint, to: bigint) {
  const watcher = yield* CreditWatcher
  const { chain } = yield* SettlementChain
  const found: Array<SeenArrival> = []
  for (let at = from; at <= to; at += CHUNK) {
    const last = at + CHUNK - 1n
    found.push(...(yield* watcher.mentions(chain, { from: at, to: last < to ? last : to })))
  }
  return found
})

const isPaid = Effect.fnUntraced(function*(money: WalletMoney) {
  const payments = yield* Payments
  const treasury = yield* Treasury
  const { chain } = yield* SettlementChain
  const id = partOf(money, 1)
  const payment = isHex32(id) ? yield* payments.find(OrderId.make(id), "payout") : undefined
  if (payment === undefined) return false
  const outcome = yield* treasury.outcome(chain, payment.variants)
  return outcome._tag === "Included" && outcome.succeeded && outcome.final
})

const uncreditedOf = (terms: CreditTerms, { evidence }: SeenArrival): ReadonlyArray<UncreditedArrival> => {
  const verdict = judgeCredit(terms, evidence)
  const { sender, transactionId, transfers } = evidence
  const amount = transfers.filter(({ emitter, to }) => emitter === terms.token && to === terms.solver).reduce(
    (sum, each) => sum + each.amount,
    0n
  )
  if (verdict._tag === "NotCredited") return [{ transactionId, sender, amount, reason: verdict.reason }]
  return verdict._tag === "Unrelated" ? [{ transactionId, sender, amount, reason: "unmarked" }] : []
}

const creditOf = (terms: CreditTerms, { evidence }: SeenArrival): WalletMoney | undefined => {
  const verdict = judgeCredit(terms, evidence)
  return verdict._tag === "Credit"
    ? { id: evidence.transactionId, wallet: verdict.wallet, amount: verdict.amount }
    : undefined
}

/** Credits that were booked: those of earlier blocks are left out, those of which no block is known are not. */
const bookedSince = Effect.fnUntraced(function*(from: bigint) {
  const balances = yield* AppBalances
  const credits = yield* Credits
  const { chain } = yield* SettlementChain
  const booked = (yield* balances.movementsOfKind("credit")).map(moneyOf)
  const blocks = new Map<string, bigint>(
    (yield* credits.list(chain.id)).map(({ block, transactionId }) => [transactionId, block.height])
  )
  return { all: booked, inRange: booked.filter((money) => (blocks.get(partOf(money, 2)) ?? from) >= from) }
})

/** The first block of a credit, or of what meant to be one; the one behind the last when there is none. */
const firstBlock = Effect.fnUntraced(function*(to: bigint) {
  const credits = yield* Credits
  const { chain } = yield* SettlementChain
  const heights = (yield* credits.list(chain.id)).map(({ block }) => block.height)
  return heights.reduce((least, height) => height < least ? height : least, to + 1n)
})

export const reconcileBalances = Effect.fn("ReconcilingBalances.reconcile")(
  function*(blocks: ReconciledBlocks) {
    const balances = yield* AppBalances
    const credits = yield* Credits
    const ledger = yield* Ledger
    const { chain } = yield* SettlementChain
    const terms = yield* creditTerms
    const { paidSince = 0, whole } = blocks
    const differences = yield* ledger.differences
    const to = (yield* credits.cursor(chain.id))?.height ?? -1n
    const from = blocks.from ?? (yield* firstBlock(to))
    const seen = to < from ? new Map<string, SeenArrival>() : yield* arrivals(from, to)
    const wholeFrom = to - whole + 1n > from ? to - whole + 1n : from
    const mentioned = whole > 0n ? yield* mentions(wholeFrom, to) : []
    // Read after the chain: what is credited meanwhile is booked, and not missed.
    const { all, inRange } = yield* bookedSince(from)
    // One credit a transaction: of several that were booked for one, the first may be founded.
    const first = new Map(all.toReversed().map((money) => [partOf(money, 2), money.id]))
    const shown = (money: WalletMoney): boolean => {
      if (first.get(partOf(money, 2)) !== money.id) return false
      const arrival = seen.get(partOf(money, 2))
      const credit = arrival === undefined ? undefined : creditOf(terms, arrival)
      return credit !== undefined && credit.wallet === money.wallet && credit.amount === money.amount
    }
    // A credit of a block behind the one that was looked at is for the next reconciliation.
    const laterThanLooked = yield* Effect.map(credits.list(chain.id), (rows) =>
      new Set<string>(
        rows.filter(({ block }) => block.height > to).map(({ transactionId }) => transactionId)
      ))
    const judged = inRange.filter((money) => !laterThanLooked.has(partOf(money, 2)))
    const booked = new Set(all.map((money) => partOf(money, 2)))
    // What was lost is owed again, and booked as such.
    const reopened = new Set((yield* balances.movementsOfKind("reopened")).map((each) => endingOf(moneyOf(each))))
    const paid = (yield* balances.movementsOfKind("paid")).filter(({ at }) => at >= paidSince).map(moneyOf).filter((
      money
    ) => !reopened.has(endingOf(money)))
    return {
      differences,
      unfounded: judged.filter((money) => !shown(money)),
      missed: [...seen.values()].flatMap((arrival) => creditOf(terms, arrival) ?? []).filter(({ id }) =>
        !booked.has(id)
      ),
      unpaid: yield* Effect.filter(paid, (money) => Effect.map(isPaid(money), (is) => !is)),
      uncredited: [
        ...new Map([...mentioned, ...seen.values()].map((each) => [each.evidence.transactionId, each])).values()
      ].flatMap((each) => uncreditedOf(terms, each)),
      credited: total(judged),
      received: total(judged.filter(shown))
    } satisfies BalanceReconciliation
  }
)
