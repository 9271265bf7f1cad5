/** What the store says of sponsors' money, app fees and sends, read through its ports beside all faults. */
import { Effect } from "effect"
import { AppBalances } from "../../../ports/store/ledger/AppBalances.ts"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { quotedWorth } from "../../../src/domain/deposit-address/AddressSponsorship.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Transaction, TransactionKind } from "../../../src/domain/ledger/Transaction.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import { START } from "../Terms.ts"
import { sponsorCurrency, sponsorKey } from "./Sponsor.ts"
import { sponsorWallet } from "../Terms.ts"

/** What a request's movements moved. */
export interface Moved {
  readonly request: string
  readonly currency: string
  /** Smallest units. */
  readonly units: bigint
}

export interface AppAccounts {
  /** What the sponsor has, less holds, micro-USDC. */
  readonly balance: bigint
  /** What its key has spent, micro-USDC. */
  readonly spent: bigint
  /** What sponsors paid for requests, each once that it was paid. */
  readonly captured: ReadonlyArray<Moved>
  /** App fees that recipients may claim. */
  readonly accrued: ReadonlyArray<Moved>
  /** The most that each request may draw, micro-USDC, by request. */
  readonly quoted: ReadonlyMap<RequestId, bigint>
  readonly statuses: ReadonlyMap<RequestId, Status>
  /** The requests of later deposits at each deposit address. */
  readonly later: ReadonlyMap<Address, ReadonlyArray<RequestId>>
  /** Accounts whose balance is not the sum of their entries. */
  readonly differences: number
}

/** The request in a movement's id. */
const requestOf = ({ id }: Transaction): string => id.split(":")[1] ?? ""

const movedTo = (to: "Revenue" | "AppFeePayable") => (transaction: Transaction): Moved => {
  const postings = transaction.postings.filter(({ account }) => account._tag === to)
  return {
    request: requestOf(transaction),
    currency: postings[0]?.currency.address ?? "",
    units: postings.reduce((sum, { units }) => sum + units, 0n)
  }
}

/** The most requests that a run makes at one address. */
const MOST_LATER = 1_000

/** `requests`, `addresses`: those that were quoted. Needs the store's ports. */
export const readAppAccounts = (requests: ReadonlyArray<RequestId>, addresses: ReadonlyArray<Address>) =>
  Effect.gen(function*() {
    const [balances, budgets, ledger, transfers] = [yield* AppBalances, yield* Budgets, yield* Ledger, yield* Transfers]
    const depositAddresses = yield* DepositAddresses
    const all = (kind: TransactionKind) =>
      Effect.map(balances.movementsOfKind(kind), (posted) => posted.map(({ transaction }) => transaction))
    const found = yield* Effect.forEach(requests, (id) => transfers.find(id))
    const kept = found.flatMap((transfer) => transfer === undefined ? [] : [transfer])
    return {
      balance: yield* ledger.balanceOf({ _tag: "Wallet", wallet: sponsorWallet }, sponsorCurrency),
      spent: (yield* budgets.find(sponsorKey.id, START))?.spent ?? 0n,
      captured: (yield* all("capture")).map(movedTo("Revenue")),
      accrued: (yield* all("accrue")).map(movedTo("AppFeePayable")),
      quoted: new Map(
        kept.map(({ id, terms: { sponsorship } }) =>
          [id, sponsorship === undefined ? 0n : quotedWorth(sponsorship).draw] as const
        )
      ),
      statuses: new Map(kept.map(({ id, status }) => [id, status] as const)),
      later: new Map(
        yield* Effect.forEach(
          addresses,
          (address) =>
            Effect.map(
              depositAddresses.requestsOf(address, MOST_LATER),
              (made) => [address, made.filter((id) => !requests.includes(id))] as const
            )
        )
      ),
      differences: (yield* ledger.differences).length
    } satisfies AppAccounts
  }).pipe(Effect.orDie)
