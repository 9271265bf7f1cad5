/**
 * The movements of sponsor and app-fee money, each as one balanced transaction (SPONSOR-9, SPONSOR-12, LEDGER-1).
 *
 * A hold is placed when the deposit is seen, captured at the fill, and released on refund or failure. The request's id
 * makes each of these happen once. Constructors fail with `invalid-amount` only; the ledger checks balances.
 */
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import type { RequestId } from "../transfer/RequestId.ts"
import type { Account } from "./Account.ts"
import { LedgerRefused } from "./LedgerRefused.ts"
import {
  type LedgerCurrency,
  type LedgerId,
  type Posting,
  transaction,
  type Transaction,
  type TransactionKind
} from "./Transaction.ts"

type Made = Result.Result<Transaction, LedgerRefused>

/** All amounts here are in smallest units of `currency`, and above zero unless stated otherwise. */
interface Movement {
  readonly id: LedgerId
  readonly currency: LedgerCurrency
}

interface OfWallet extends Movement {
  readonly wallet: Address
  readonly units: bigint
}

interface OfRecipient extends Movement {
  readonly recipient: Address
  readonly units: bigint
}

/** An open hold. `held` is the whole balance of the hold's account. */
export interface OpenHold extends Movement {
  readonly wallet: Address
  readonly request: RequestId
  readonly held: bigint
}

/**
 * A payment to a wallet by its id. `units` is the whole balance of the payout's account, before or after the movement.
 */
interface OfPayout extends OfWallet {
  readonly payout: Hex32
}

interface OfPromise extends Movement {
  readonly wallet: Address
  readonly shares: ReadonlyArray<{ readonly recipient: Address; readonly units: bigint }>
}

const external: Account = { _tag: "External" }
const walletOf = ({ wallet }: { readonly wallet: Address }): Account => ({ _tag: "Wallet", wallet })
const holdOf = ({ request, wallet }: OpenHold): Account => ({ _tag: "Hold", wallet, request })
const payoutOf = ({ payout, wallet }: OfPayout): Account => ({ _tag: "Payout", wallet, payout })
const payableTo = ({ recipient }: { readonly recipient: Address }): Account => ({ _tag: "AppFeePayable", recipient })
const pendingFor = ({ recipient }: { readonly recipient: Address }): Account => ({ _tag: "AppFeePending", recipient })

const invalid = (id: LedgerId): Made => Result.fail(new LedgerRefused({ id, reason: "invalid-amount" }))

const moved = (currency: LedgerCurrency, units: bigint, from: Account, to: Account): ReadonlyArray<Posting> => [
  { account: from, currency, units: -units },
  { account: to, currency, units }
]

const move = ({ currency, id }: Movement, kind: TransactionKind, units: bigint, from: Account, to: Account): Made =>
  units > 0n ? Result.succeed(transaction(id, kind, moved(currency, units, from, to))) : invalid(id)

/** Money received for a wallet. The id is the credit's (chain, transaction, log index). */
export const credit = (of: OfWallet): Made => move(of, "credit", of.units, external, walletOf(of))

/** Moves `held` from the wallet to a request's hold. */
export const hold = (of: OpenHold): Made => move(of, "hold", of.held, walletOf(of), holdOf(of))

/** Earns `captured` of a hold, from nothing to all of it. The rest returns to the wallet. */
export const capture = (of: OpenHold & { readonly captured: bigint }): Made =>
  of.held > 0n && of.captured >= 0n && of.captured <= of.held
    ? Result.succeed(
      transaction(of.id, "capture", [
        ...moved(of.currency, of.captured, holdOf(of), { _tag: "Revenue" }),
        ...moved(of.currency, of.held - of.captured, holdOf(of), walletOf(of))
      ])
    )
    : invalid(of.id)

/** Returns a whole hold to its wallet. */
export const release = (of: OpenHold): Made => move(of, "release", of.held, holdOf(of), walletOf(of))

const promise = (
  of: OfPromise,
  kind: TransactionKind,
  postings: (share: OfPromise["shares"][number]) => ReadonlyArray<Posting>
): Made =>
  of.shares.length > 0 && of.shares.every(({ units }) => units > 0n)
    ? Result.succeed(transaction(of.id, kind, of.shares.flatMap(postings)))
    : invalid(of.id)

/** Books sponsored app fees: the sponsor owes them and their recipients wait for them. Nobody can spend them. */
export const bookReceivable = (of: OfPromise): Made =>
  promise(
    of,
    "receivable",
    (share) => moved(of.currency, share.units, { _tag: "Receivable", wallet: of.wallet }, pendingFor(share))
  )

/** The sponsor pays booked app fees from its balance. Their recipients can claim them from now on. */
export const settleReceivable = (of: OfPromise): Made =>
  promise(of, "settle", (share) => [
    ...moved(of.currency, share.units, walletOf(of), payableTo(share)),
    ...moved(of.currency, share.units, pendingFor(share), { _tag: "Receivable", wallet: of.wallet })
  ])

/** App fees that a user paid with a deposit. */
export const accrueAppFee = (of: OfRecipient): Made => move(of, "accrue", of.units, external, payableTo(of))

/** The app fees of one deposit, for all recipients at once. Shares of zero are left out. */
export const accrueAppFees = (of: Movement & { readonly shares: OfPromise["shares"] }): Made => {
  const shares = of.shares.filter(({ units }) => units !== 0n)
  return shares.length > 0 && shares.every(({ units }) => units > 0n)
    ? Result.succeed(
      transaction(
        of.id,
        "accrue",
        shares.flatMap((share) => moved(of.currency, share.units, external, payableTo(share)))
      )
    )
    : invalid(of.id)
}

/** Reserves app fees of a wallet for a payout. */
export const claim = (of: OfPayout): Made =>
  move(of, "claim", of.units, payableTo({ recipient: of.wallet }), payoutOf(of))

/** Reserves unspent balance of a wallet for a payout. */
export const withdraw = (of: OfPayout): Made => move(of, "withdraw", of.units, walletOf(of), payoutOf(of))

/** The reserved amount has been paid, finally. */
export const paidOut = (of: OfPayout): Made => move(of, "paid", of.units, payoutOf(of), external)

/** A reorg past finality has undone the payment: the amount is owed again, and reserved for it. */
export const reopenPayout = (of: OfPayout): Made => move(of, "reopened", of.units, external, payoutOf(of))

/** The reserved amount can never be paid: it returns to where it came from. */
export const returnPayout = (of: OfPayout & { readonly kind: "claim" | "withdraw" }): Made =>
  move(of, "returned", of.units, payoutOf(of), of.kind === "claim" ? payableTo({ recipient: of.wallet }) : walletOf(of))
