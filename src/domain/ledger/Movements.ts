/**
 * The movements of sponsor and app-fee money, each as one balanced transaction (SPONSOR-9, SPONSOR-12, LEDGER-1).
 *
 * A hold is placed when the deposit is seen, captured at the fill, released on refund or failure; the request's id
 * makes each of them happen once. Constructors fail with `invalid-amount` only: what an account has is the ledger's to
 * judge.
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

/** Every amount here is in smallest units of `currency`, and above zero unless it says otherwise. */
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

/** An open hold: `held` is all that the hold's account has. */
export interface OpenHold extends Movement {
  readonly wallet: Address
  readonly request: RequestId
  readonly held: bigint
}

/** A payment to a wallet by its id; `units` is all that the payout's account has, or shall have. */
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

/** Money that came in for a wallet; the id is the credit's (chain, transaction, log index). */
export const credit = (of: OfWallet): Made => move(of, "credit", of.units, external, walletOf(of))

/** Takes `held` off the wallet for a request. */
export const hold = (of: OpenHold): Made => move(of, "hold", of.held, walletOf(of), holdOf(of))

/** Earns `captured` of a hold, from nothing to all of it; the rest goes back to the wallet. */
export const capture = (of: OpenHold & { readonly captured: bigint }): Made =>
  of.held > 0n && of.captured >= 0n && of.captured <= of.held
    ? Result.succeed(
      transaction(of.id, "capture", [
        ...moved(of.currency, of.captured, holdOf(of), { _tag: "Revenue" }),
        ...moved(of.currency, of.held - of.captured, holdOf(of), walletOf(of))
      ])
    )
    : invalid(of.id)

/** Gives a whole hold back to its wallet. */
export const release = (of: OpenHold): Made => move(of, "release", of.held, holdOf(of), walletOf(of))

const promise = (
  of: OfPromise,
  kind: TransactionKind,
  postings: (share: OfPromise["shares"][number]) => ReadonlyArray<Posting>
): Made =>
  of.shares.length > 0 && of.shares.every(({ units }) => units > 0n)
    ? Result.succeed(transaction(of.id, kind, of.shares.flatMap(postings)))
    : invalid(of.id)

/** Books sponsored app fees: the sponsor owes them, their recipients wait for them, and nobody can spend them. */
export const bookReceivable = (of: OfPromise): Made =>
  promise(
    of,
    "receivable",
    (share) => moved(of.currency, share.units, { _tag: "Receivable", wallet: of.wallet }, pendingFor(share))
  )

/** The sponsor pays booked app fees from its balance: only now can their recipients claim them. */
export const settleReceivable = (of: OfPromise): Made =>
  promise(of, "settle", (share) => [
    ...moved(of.currency, share.units, walletOf(of), payableTo(share)),
    ...moved(of.currency, share.units, pendingFor(share), { _tag: "Receivable", wallet: of.wallet })
  ])

/** App fees that a user paid with a deposit. */
export const accrueAppFee = (of: OfRecipient): Made => move(of, "accrue", of.units, external, payableTo(of))

/** The app fees of one deposit, for all of their recipients at once; shares of nothing are left out. */
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

/** Sets app fees of a wallet aside to be paid out. */
export const claim = (of: OfPayout): Made =>
  move(of, "claim", of.units, payableTo({ recipient: of.wallet }), payoutOf(of))

/** Sets unspent balance of a wallet aside to be paid out. */
export const withdraw = (of: OfPayout): Made => move(of, "withdraw", of.units, walletOf(of), payoutOf(of))

/** What was set aside has been paid, for good. */
export const paidOut = (of: OfPayout): Made => move(of, "paid", of.units, payoutOf(of), external)

/** What was paid is undone, by a reorganisation of what was final: it is owed again, and set aside for it. */
export const reopenPayout = (of: OfPayout): Made => move(of, "reopened", of.units, external, payoutOf(of))

/** What was set aside can never be paid: it is again what it was. */
export const returnPayout = (of: OfPayout & { readonly kind: "claim" | "withdraw" }): Made =>
  move(of, "returned", of.units, payoutOf(of), of.kind === "claim" ? payableTo({ recipient: of.wallet }) : walletOf(of))
