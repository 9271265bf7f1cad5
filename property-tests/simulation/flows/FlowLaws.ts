/**
 * What must hold of sponsors' money, app fees and sends. As all laws, they read the chains and the store, and return the
 * ways in which they are broken.
 */
import type { Asked, Sends } from "../Users.ts"
import { halfMicros } from "../Terms.ts"
import type { AnySlug } from "../Terms.ts"
import { addressesDrawAsBudgeted } from "./addresses/AddressLaws.ts"
import type { AppAccounts, Moved } from "./AppAccounts.ts"
import type { SponsorTerms } from "./Sponsor.ts"

type Broken = ReadonlyArray<string>

/** A transfer that a chain shows as done. */
interface Shown {
  readonly slug: AnySlug
  readonly memo: string
  readonly recipient: string
  readonly currency: string
  readonly amount: bigint
}

export interface FlowEvidence {
  readonly accounts: AppAccounts
  readonly sponsor: SponsorTerms
  readonly asked: ReadonlyArray<Asked>
  readonly sends: ReadonlyArray<Sends>
  /** All transfers that moved something. */
  readonly moved: ReadonlyArray<Shown>
  /** What the solver paid. */
  readonly paid: ReadonlyArray<Shown>
  /** What changes of prices can be worth for an amount of half micro-dollars. */
  readonly movedWith: (amount: bigint) => bigint
  /** Each order's deposits. */
  readonly answered: (orderId: string) => ReadonlyArray<{ readonly amount: bigint; readonly state: string | undefined }>
}

const unitsOf = (moved: ReadonlyArray<Moved>): bigint => moved.reduce((sum, { units }) => sum + units, 0n)

/** Half micro-dollars. A sponsor's units are micro-dollars. */
export const capturedWorth = ({ captured }: AppAccounts): bigint => unitsOf(captured) * 2n
export const accruedWorth = ({ accrued }: AppAccounts): bigint =>
  accrued.reduce((sum, { currency, units }) => sum + units * halfMicros(currency), 0n)

/** A sponsor pays once or not at all, for fills only, and at most what was quoted, capped and budgeted. */
const sponsorPaysAsQuoted = ({ accounts, asked, paid, sponsor }: FlowEvidence): Broken => {
  const { balance, captured, differences, later, quoted, spent } = accounts
  const requestOf = (of: string) =>
    asked.find(({ address, requestId }) =>
      requestId === of || (address !== undefined && later.get(address)?.some((id) => id === of) === true)
    )
  const byRecipient = Map.groupBy(captured, ({ request }) => requestOf(request)?.recipient)
  return [
    ...asked.flatMap(({ cap, destination, orderId, requestId }) => {
      const own = captured.filter(({ request }) => request === requestId)
      const drawn = unitsOf(own)
      const most = quoted.get(requestId) ?? 0n
      const isFilled = paid.some(({ memo, slug }) => memo === orderId && slug === destination)
      return [
        ...(own.length > 1 ? [`the sponsor pays ${own.length} times for ${orderId}`] : []),
        ...(drawn > most ? [`the sponsor pays ${drawn} for ${orderId}, quoted ${most}`] : []),
        ...(cap !== undefined && most > cap ? [`${orderId} may draw ${most}, its cap is ${cap}`] : []),
        ...(drawn > 0n && !isFilled ? [`the sponsor pays ${drawn} for ${orderId}, which is not filled`] : [])
      ]
    }),
    ...(unitsOf(captured) > sponsor.perDay ? [`the sponsor's key has drawn ${unitsOf(captured)} in a day`] : []),
    ...[...byRecipient].flatMap(([recipient, own]) =>
      unitsOf(own) > sponsor.perRecipientPerDay
        ? [`the sponsor's key has drawn ${unitsOf(own)} for ${recipient} in a day`]
        : []
    ),
    ...addressesDrawAsBudgeted(asked, accounts, sponsor, ({ requestId }) => quoted.get(requestId) ?? 0n),
    ...(balance < 0n ? [`the sponsor's balance is ${balance}`] : []),
    ...(spent === unitsOf(captured) ? [] : [`the key has spent ${spent}, and the sponsor paid ${unitsOf(captured)}`]),
    ...(differences > 0 ? [`${differences} accounts of the ledger are not the sum of their entries`] : [])
  ]
}

/** Nothing is held for ever: what the sponsor was credited is there, or was paid. */
const heldFor = ({ accounts: { balance, captured }, sponsor: { credited } }: FlowEvidence): Broken =>
  balance + unitsOf(captured) === credited
    ? []
    : [`the sponsor has ${balance} and paid ${unitsOf(captured)} of ${credited}: the rest is held`]

/** What recipients of app fees may claim was received, once for each fill: `given` and `received` in half micro-dollars. */
const appFeesAreReceived = (
  { accounts: { accrued, captured }, answered, asked, movedWith, paid }: FlowEvidence
): Broken =>
  asked.flatMap(({ amountIn, appBps, currencyIn, destination, isSponsored, manner, orderId, requestId }) => {
    const own = accrued.filter(({ request }) => request === requestId)
    const [fill] = paid.filter(({ memo, slug }) => memo === orderId && slug === destination)
    const deposits = answered(orderId)
    const isPlain = manner === "exact" && deposits.length === 1 && deposits[0]?.state === "filled" &&
      deposits[0].amount === amountIn && !isSponsored
    const due = amountIn * appBps / 10_000n
    const drawn = unitsOf(captured.filter(({ request }) => request === requestId)) * 2n
    const received = deposits.reduce((sum, { amount }) => sum + amount, 0n) * halfMicros(currencyIn)
    const given = unitsOf(own) * halfMicros(currencyIn) +
      (fill === undefined ? 0n : fill.amount * halfMicros(fill.currency))
    return [
      ...(own.length > 1 ? [`app fees of ${orderId} are booked ${own.length} times`] : []),
      ...(own.length > 0 && fill === undefined ? [`app fees of ${orderId} are booked, and it is not filled`] : []),
      ...(isPlain && unitsOf(own) !== due ? [`app fees of ${orderId} are booked as ${unitsOf(own)}, due ${due}`] : []),
      ...(own.length > 0 && given > received + drawn + movedWith(received)
        ? [`${orderId}: ${given} is paid and booked, ${received} received and ${drawn} drawn`]
        : [])
    ]
  })

const isPaidOnChain = (
  moved: FlowEvidence["moved"],
  { amount, currency, orderId, origin, recipient }: Sends
): boolean =>
  moved.some((each) =>
    each.slug === origin && each.memo === orderId && each.recipient === recipient && each.currency === currency &&
    each.amount >= amount
  )

/** A send that its chain shows ends as success, and no other does. */
const sendsAreSeen = ({ accounts: { statuses }, moved, sends }: FlowEvidence): Broken =>
  sends.flatMap((send) => {
    const status = statuses.get(send.requestId)
    const isPaid = isPaidOnChain(moved, send)
    return isPaid === (status === "success")
      ? []
      : [`a send of ${send.amount} on ${send.origin} is ${isPaid ? "paid" : "not paid"}, and shown as ${status}`]
  })

/** Why the run is not over. */
export const flowsUnfinished = (evidence: FlowEvidence): Broken => [...heldFor(evidence), ...sendsAreSeen(evidence)]

/** What holds at the end, beside what `flowsUnfinished` waits for. */
export const flowsBroken = (evidence: FlowEvidence): Broken => [
  ...flowsUnfinished(evidence),
  ...sponsorPaysAsQuoted(evidence),
  ...appFeesAreReceived(evidence)
]
