/**
 * Recomputes every balance of app money, from the ledger's entries and from the settlement chain (BALANCE-2).
 * Read-only: an operator corrects what it finds.
 *
 * From entries: accounts whose stored balance is not the sum of their entries. From the chain: credits that differ from
 * their booking, transfers that should have been credited and were not, and payouts that are booked as paid without a
 * payment. It also lists arrivals at the solver that credit nobody, with the reason.
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

/** A wallet's money in a transaction or a ledger movement, smallest units of the movement's currency. */
export interface WalletMoney {
  /** The movement's id in the ledger, or that of the transaction on the chain. */
  readonly id: string
  readonly wallet: string
  readonly amount: bigint
}

/** A transfer that credits nobody, although it was meant to, or names no wallet. */
export interface UncreditedArrival {
  readonly transactionId: string
  readonly sender: string
  /** Smallest units of the settlement token; zero for another token. */
  readonly amount: bigint
  /** `unmarked`: nothing in it asks for a credit. */
  readonly reason: NotCreditedReason | "unmarked"
}

/** The result of a reconciliation. The books agree when the first four lists are empty. */
export interface BalanceReconciliation {
  /** Accounts whose stored balance is not the sum of their entries. */
  readonly differences: ReadonlyArray<LedgerDifference>
  /** Credits that the chain does not show as booked: a loss, or a forgery. */
  readonly unfounded: ReadonlyArray<WalletMoney>
  /** Transactions that are credits by the rules and are not booked: owed to a wallet. */
  readonly missed: ReadonlyArray<WalletMoney>
  /** Payouts that are booked as paid without a successful payment in a final block. */
  readonly unpaid: ReadonlyArray<WalletMoney>
  readonly uncredited: ReadonlyArray<UncreditedArrival>
  /**
   * The booked credits of the blocks that were read, and the part that the chain shows, smallest units of the token.
   */
  readonly credited: bigint
  readonly received: bigint
}

/** Which blocks of the settlement chain are read. The last is the last one that crediting has read. */
export interface ReconciledBlocks {
  /** The first block. When undefined, the first booked credit's. */
  readonly from: bigint | undefined
  /**
   * How many of the last blocks are read completely, for what the token's logs do not show: failures and other tokens.
   */
  readonly whole: bigint
  /** Only payouts that were booked as paid since then are checked, milliseconds. All of them when undefined. */
  readonly paidSince?: number | undefined
}

/** How many complete blocks are read at once. */
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
 * The part of a movement's id that names its subject: `credit:<chain>:<transaction>:<log>`, `paid:<payout>:<round>`.
 */
const partOf = ({ id }: WalletMoney, index: number): string => id.split(":")[index] ?? ""

/** The payout and round that a movement ends, whatever the result. */
const endingOf = ({ id }: WalletMoney): string => id.slice(id.indexOf(":"))

const isHex32 = Schema.is(Hex32)

const total = (of: ReadonlyArray<WalletMoney>): bigint => of.reduce((sum, { amount }) => sum + amount, 0n)

/** Every transfer of the token to the solver in these blocks. Fails on a node that does not have them yet. */
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

/** What complete blocks show in addition, read in parts that each finish in time. */
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
  const outcome = yield* treasury.outcome(chain, payment.variants, "endpoint")
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

/** Booked credits, without those of earlier blocks. Credits of unknown blocks are included. */
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

/** The first block with a credit or an attempted one. One after the last when there is none. */
const firstBlock = Effect.fnUntraced(function*(to: bigint) {
  const credits = yield* Credits
  const { chain } = yield* SettlementChain
  const heights = (yield* credits.list(chain.id)).map(({ block }) => block.height)
  return heights.reduce((least, height) => height < least ? height : least, to + 1n)
})

/** Compares app balances with the settlement chain: credits, payouts, and the sum of the ledger. */
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
    // Read after the chain, so that a credit in the meantime is booked and not missing.
    const { all, inRange } = yield* bookedSince(from)
    // One credit per transaction: of several bookings, the first may be right.
    const first = new Map(all.toReversed().map((money) => [partOf(money, 2), money.id]))
    const shown = (money: WalletMoney): boolean => {
      if (first.get(partOf(money, 2)) !== money.id) return false
      const arrival = seen.get(partOf(money, 2))
      const credit = arrival === undefined ? undefined : creditOf(terms, arrival)
      return credit !== undefined && credit.wallet === money.wallet && credit.amount === money.amount
    }
    // A credit after the last block belongs to the next reconciliation.
    const laterThanLooked = yield* Effect.map(credits.list(chain.id), (rows) =>
      new Set<string>(
        rows.filter(({ block }) => block.height > to).map(({ transactionId }) => transactionId)
      ))
    const judged = inRange.filter((money) => !laterThanLooked.has(partOf(money, 2)))
    const booked = new Set(all.map((money) => partOf(money, 2)))
    // A lost payout is owed again, and booked as such.
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
