/**
 * Whether a store's deposits are those of the chain, and whether each one recorded as filled or refunded has its
 * payment.
 */
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import type { Finding } from "./Finding.ts"
import type { KeptPayment } from "./KeptPayment.ts"

/** A deposit as the store has it. */
export interface KeptDeposit {
  readonly deposit: Deposit
  readonly state: string
}

/** The compared blocks: after the first, up to and including the last. */
export interface ComparedBlocks {
  readonly after: bigint
  readonly upTo: bigint
}

const nameOf = ({ onchainId, transactionId }: Deposit): string => `deposit ${onchainId} (${transactionId})`

const described = ({ amount, currency, depositId, depositor, sender }: Deposit): string =>
  `${amount} of ${currency} from ${sender} by ${depositor} for order ${depositId}`

/** `seen`: every deposit that the chain shows in those blocks. */
export const judgeDeposits = (
  chain: string,
  kept: ReadonlyArray<KeptDeposit>,
  seen: ReadonlyArray<Deposit>,
  { after, upTo }: ComparedBlocks
): ReadonlyArray<Finding> => {
  const within = ({ block }: Deposit): boolean => block.height > after && block.height <= upTo
  const standing = new Map(seen.filter(within).map((deposit) => [deposit.onchainId, deposit]))
  const recorded = new Map(kept.map((each) => [each.deposit.onchainId, each]))
  const missed = [...standing.values()].filter(({ onchainId }) => {
    const row = recorded.get(onchainId)
    return row === undefined || row.state === "gone"
  })
  const known = kept.filter(({ deposit, state }) => state !== "gone" && within(deposit))
  return [
    ...missed.map((deposit): Finding => ({
      kind: "deposit-missed",
      chain,
      about: nameOf(deposit),
      stored: recorded.get(deposit.onchainId)?.state ?? "nothing",
      found: described(deposit)
    })),
    ...known.flatMap(({ deposit, state }): ReadonlyArray<Finding> => {
      const now = standing.get(deposit.onchainId)
      if (now === undefined) {
        return [{ kind: "deposit-vanished", chain, about: nameOf(deposit), stored: state, found: "no such deposit" }]
      }
      const [stored, found] = [described(deposit), described(now)]
      return stored === found ? [] : [{ kind: "deposit-differs", chain, about: nameOf(deposit), stored, found }]
    })
  ]
}

/**
 * For deposits and payments of all chains: every deposit recorded as filled or refunded has a payment that confirms it.
 */
export const judgeFates = (
  chainOf: (deposit: Deposit) => string,
  deposits: ReadonlyArray<KeptDeposit>,
  payments: ReadonlyArray<KeptPayment>
): ReadonlyArray<Finding> => {
  const paid = new Set(
    payments.filter(({ state }) => state === "included").map(({ deposit, leg }) => `${leg.split(":")[0]} ${deposit}`)
  )
  const needed: Readonly<Record<string, ReadonlyArray<string>>> = { filled: ["fill", "fallback"], refunded: ["refund"] }
  return deposits.flatMap(({ deposit, state }): ReadonlyArray<Finding> => {
    const legs = needed[state]
    return legs === undefined || legs.some((leg) => paid.has(`${leg} ${deposit.onchainId}`))
      ? []
      : [{
        kind: "deposit-unpaid",
        chain: chainOf(deposit),
        about: nameOf(deposit),
        stored: state,
        found: `no ${legs[0]} of it that was carried out`
      }]
  })
}
