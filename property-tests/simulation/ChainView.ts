/** What the laws read of a simulated chain, whatever its family: transfers in blocks, and what accounts hold. */
import { accountOn, unitsOf } from "../../examples/ledger-vm/ledger/Ledger.ts"
import type { SimulatedChain } from "./Chain.ts"
import { accounts, chainIds, currencies, depository, funder, halfMicros, native, slugs, solver } from "./Terms.ts"
import type { AnySlug, Slug } from "./Terms.ts"

/** A transfer of one currency from one account to another. */
export interface ShownTransfer {
  readonly slug: AnySlug
  readonly id: string
  /** Of its block, whole seconds. */
  readonly time: number
  readonly succeeded: boolean
  readonly sender: string
  readonly recipient: string
  readonly currency: string
  /** Smallest units. */
  readonly amount: bigint
  /** An order's id, where it names one. */
  readonly memo: string
  /** What the solver has paid for it on a ledger, half micro-dollars. Zero on other chains, whose views count fees. */
  readonly solverFee: bigint
}

/** The accounts on one chain. */
export interface Parties {
  readonly solver: string
  readonly depository: string
  /** The operator's own account, which refills the solver's. */
  readonly funder: string
  /** Of the users, then the adversary's. */
  readonly accounts: ReadonlyArray<string>
}

export interface ChainView {
  readonly slug: AnySlug
  readonly chainId: number
  readonly parties: Parties
  /** All that blocks show, in their order. */
  readonly shown: () => ReadonlyArray<ShownTransfer>
  /** What an account holds, half micro-dollars. */
  readonly worth: (account: string) => bigint
  /**
   * What an account has paid to miners beyond what a quote can know, half micro-dollars. On ledgers a payment costs what
   * its quote says; sequences that a restored store uses up are in no quote.
   */
  readonly feesOf: (account: string) => bigint
  /**
   * Where costs rise for a while by more than the laws' bound for dust: the most that a refund of a deposit of that
   * block, in whole seconds, has been charged at any time since, half micro-dollars. Zero elsewhere.
   */
  readonly dearestReturn: (time: number, came: "sent" | "swept") => bigint
}

/** A transfer to oneself, by which a restored store uses a sequence up. */
export const movesNothing = (
  { amount, recipient, sender }: Pick<ShownTransfer, "amount" | "recipient" | "sender">
): boolean => sender === recipient && amount === 0n

const ledgerView = (slug: Slug, chain: SimulatedChain): ChainView => ({
  slug,
  chainId: chainIds[slug],
  parties: { solver, depository, funder, accounts },
  shown: () =>
    chain.state().blocks.flatMap(({ block: { entries, time } }) =>
      entries.map(({ feePaid, id, signed: { transfer }, succeeded }) => ({
        ...transfer,
        slug,
        id,
        time,
        succeeded,
        solverFee: (transfer.payer ?? transfer.sender) === solver ? feePaid * halfMicros(native) : 0n
      }))
    ),
  worth: (account) => {
    const holder = [solver, depository, ...accounts].find((each) => each === account)
    return holder === undefined ? 0n : currencies.reduce(
      (sum, currency) => sum + unitsOf(accountOn(chain.state(), holder), currency) * halfMicros(currency),
      0n
    )
  },
  feesOf: (account) =>
    chain.state().blocks.flatMap(({ block }) => block.entries).reduce(
      (sum, { feePaid, signed: { transfer } }) =>
        transfer.sender === account && movesNothing(transfer) ? sum + feePaid : sum,
      0n
    ) * halfMicros(native),
  dearestReturn: () => 0n
})

export const ledgerViews = (chains: Readonly<Record<Slug, SimulatedChain>>): ReadonlyArray<ChainView> =>
  slugs.map((slug) => ledgerView(slug, chains[slug]))
