/**
 * What must hold in every simulated world, whatever goes wrong. A law reads the chains and the store, never what the
 * service says of itself, and returns the ways in which it is broken.
 */
import { Effect } from "effect"
import { orderIdIn } from "../../examples/ledger-vm/rules/Evidence.ts"
import { lostOfOutputs } from "./bitcoin/SweptLaw.ts"
import type { Books } from "./Books.ts"
import { movesNothing } from "./ChainView.ts"
import type { ChainView, Parties, ShownTransfer } from "./ChainView.ts"
import { isReturn } from "./faults/Forgotten.ts"
import type { Forgotten } from "./faults/Forgotten.ts"
import type { Faults } from "./Faults.ts"
import type { AppAccounts } from "./flows/AppAccounts.ts"
import { giftsToAddresses, paidToTheirs, unswept } from "./flows/addresses/AddressLaws.ts"
import type { Swept } from "./flows/addresses/AddressLaws.ts"
import { accruedWorth, capturedWorth, flowsBroken, flowsUnfinished } from "./flows/FlowLaws.ts"
import type { FlowEvidence } from "./flows/FlowLaws.ts"
import type { SponsorTerms } from "./flows/Sponsor.ts"
import { borneOf } from "./laws/Borne.ts"
import { fixedFor, mostDelivered, movedWith } from "./laws/Promised.ts"
import { accounts, ADVERSARY, chainIds, halfMicros, tronOdd, USERS } from "./Terms.ts"
import { KEPT_BPS } from "./tron/Terms.ts"
import type { Asked, Sends, Sent } from "./Users.ts"

type Broken = ReadonlyArray<string>

export interface Evidence {
  /** Of all chains of the world. */
  readonly views: ReadonlyArray<ChainView>
  readonly books: Effect.Effect<Books>
  readonly asked: ReadonlyArray<Asked>
  /** Also what is in no block now: a reorg takes a deposit back for a while, and its fill may be paid by then. */
  readonly sent: ReadonlyArray<Sent>
  readonly sends: ReadonlyArray<Sends>
  /** What a backup, and so the store that was restored from it, did not know. */
  readonly forgotten: Forgotten
  /** All sweeps of deposit addresses that a process has ever sent. */
  readonly swept: ReadonlyArray<Swept>
  /** Of these that are not among them: a reorg took them from their blocks, and they can be in none any more. */
  readonly dropped: ReadonlyArray<Swept>
  readonly faults: Faults
  readonly sponsor: SponsorTerms
  readonly accounts: Effect.Effect<AppAccounts>
}

/** What the store says, and what the chains show. */
const gather = ({ books, views }: Evidence) =>
  Effect.map(books, ({ deposits, losses, payments }) => {
    const shown = views.flatMap(({ parties, shown }) => shown().map((each) => ({ ...each, parties })))
    const moved = shown.filter(({ succeeded }) => succeeded)
    return {
      payments,
      deposits,
      losses,
      shown,
      moved,
      paid: moved.filter(({ parties, sender }) => sender === parties.solver),
      funded: moved.filter(({ parties, recipient, sender }) =>
        sender === parties.funder && recipient === parties.solver
      ),
      deposited: moved.filter(({ amount, parties, recipient }) => recipient === parties.depository && amount > 0n)
    }
  })
type Gathered = Effect.Success<ReturnType<typeof gather>>

/** A transaction on its chain: an endpoint of another chain can make the service record it on a second one. */
const placeOf = (chainId: number, transactionId: string) => `${chainId} ${transactionId}`

/**
 * By transaction. On Tron a deposit is known by the place of its log in the block, so an endpoint that invents another
 * one shows it as a deposit that no other endpoint has: of two rows, one that is gone says nothing.
 */
const statesOf = ({ deposits }: Gathered) =>
  new Map(
    deposits.toSorted((one, other) => Number(other.state === "gone") - Number(one.state === "gone")).map((
      { chain_id, state, transaction_id }
    ) => [placeOf(chain_id, transaction_id), state])
  )

/** The deposits that name an order of this service. Those of deposit addresses name their own or a later one. */
const named = ({ deposited }: Gathered, { asked, forgotten }: Evidence) =>
  deposited.filter(({ memo, sender }) =>
    !forgotten.orders.has(memo) &&
    asked.some(({ address, orderId }) => orderId === orderIdIn(memo) || address === sender)
  )

/** The quoted orders, and those of later deposits at deposit addresses. */
const ordersOf = ({ asked, swept }: Evidence): ReadonlySet<string> =>
  new Set([...asked.map(({ orderId }) => orderId), ...swept.map(({ memo }) => memo)])

/** What was sent for an order, by its users or from its deposit address. */
const sentFor = (orderId: string, { sent, swept }: Evidence) =>
  [...sent, ...swept].filter(({ memo }) => memo === orderId)

const worth = (list: ReadonlyArray<{ readonly amount: bigint; readonly currency: string }>): bigint =>
  list.reduce((sum, { amount, currency }) => sum + amount * halfMicros(currency), 0n)

/**
 * What was paid for deposits of an order that a reorg has dropped for good, as far as the solver booked it as lost. It
 * books it once it has seen the reorg: until the end of the run, all of it counts.
 */
const lostOf = (orderId: string, { losses }: Gathered, { dropped }: Evidence, when: "now" | "end"): bigint => {
  const most = worth(dropped.filter(({ memo }) => memo === orderId))
  if (when === "now") return most
  const booked = worth(
    losses.filter(({ kind, order_id, recovered_at }) =>
      order_id === orderId && kind === "deposit" && recovered_at === null
    ).map(({ amount, currency }) => ({ amount: BigInt(amount), currency }))
  )
  return booked < most ? booked : most
}

/**
 * An order is never paid more often, or more, than what was sent for it, but for what is lost by a reorg, and booked so
 * at the end. At a strict address the excess of a deposit is returned beside its fill. How much was paid for an order that a restored store does not know is left to the operators
 * whom it told; how often is not, because the lost store knew what it paid for.
 */
const paidWhatWasSent = (seen: Gathered, evidence: Evidence, when: "now" | "end"): Broken => {
  const { asked, faults, forgotten } = evidence
  const reported = forgotten.reported()
  return [...ordersOf(evidence)].flatMap((orderId) => {
    const isLeft = ({ id }: { readonly id: string }) => forgotten.orders.has(orderId) && reported.has(id)
    const payments = seen.paid.filter((each) => each.memo === orderId)
    const explained = payments.filter((each) => !isLeft(each))
    const at = asked.find((each) => each.orderId === orderId)
    const excesses = payments.filter(({ slug }) => at?.address !== undefined && slug === at.destination)
    const deposits = sentFor(orderId, evidence)
    const dropped = evidence.dropped.filter(({ memo }) => memo === orderId)
    return [
      ...(payments.length > deposits.length + dropped.length + excesses.length
        ? [`${orderId} has ${deposits.length} deposits and ${payments.length} payments`]
        : []),
      ...(worth(explained) >
          worth(deposits) + lostOf(orderId, seen, evidence, when) + movedWith(worth(deposits), faults)
        ? [`${orderId}: paid ${worth(explained)}, received ${worth(deposits)}`]
        : [])
    ]
  })
}

/** An order is filled at most once, to its user, for no more than promised. */
const filledOnce = (seen: Gathered, evidence: Evidence): Broken => {
  const { asked, faults, forgotten } = evidence
  // What came in on the destination goes back there. Its books say that it is a refund, or said so before a restore.
  const refunds = new Set([
    ...forgotten.refunds,
    ...seen.payments.filter(isReturn).map(({ transaction_id }) => transaction_id)
  ])
  return asked.flatMap((each) => {
    const { amountIn, amountOut, at, destination, orderId, recipient } = each
    const fills = seen.paid.filter(({ id, memo, slug }) => memo === orderId && slug === destination && !refunds.has(id))
    const deposits = sentFor(orderId, evidence)
    const [fill] = fills
    const [deposit] = deposits
    const timely = seen.deposited.filter(({ memo, time }) => memo === orderId && time * 1_000 <= at + fixedFor(faults))
    return [
      ...(fills.length > 1 ? [`${orderId} is filled ${fills.length} times`] : []),
      ...(fill !== undefined && fill.recipient !== recipient ? [`${orderId} is paid to ${fill.recipient}`] : []),
      ...(fill !== undefined && timely.length === deposits.length && deposits.length === 1 && deposit !== undefined
          && deposit.amount <= amountIn && fill.amount > mostDelivered(each, deposit.amount, faults)
        ? [`${orderId}: paid ${fill.amount}, promised ${amountOut}`]
        : [])
    ]
  })
}

/** What the solver has sent is in the books, and what the books call paid is on the chain. */
const booksAgree = (seen: Gathered, { forgotten }: Evidence): Broken => {
  const known = new Set(seen.payments.map(({ transaction_id }) => transaction_id))
  const onChain = new Map(seen.shown.map(({ id, succeeded }) => [id, succeeded]))
  return [
    ...seen.shown.filter(({ amount, id, memo, parties, recipient, sender }) =>
      sender === parties.solver && !known.has(id) && !forgotten.orders.has(memo) &&
      // A restored store uses up the sequences that it may have forgotten.
      !(forgotten.isRestored() && movesNothing({ amount, recipient, sender }))
    )
      .map(({ id, slug }) => `${slug} has a payment ${id} that is in no book`),
    ...seen.paid.flatMap(({ amount, currency, id, recipient, slug }) => {
      const booked = seen.payments.find(({ transaction_id }) => transaction_id === id)
      return booked === undefined ||
          (booked.amount === `${amount}` && booked.currency === currency && booked.recipient === recipient &&
            booked.chain_id === chainIds[slug])
        ? []
        : [
          `${slug} has a payment ${id} of ${amount} to ${recipient}, booked as ${booked.amount} to ${booked.recipient}`
        ]
    }),
    ...seen.payments.filter(({ state, transaction_id }) => state === "included" && onChain.get(transaction_id) !== true)
      .map(({ order_id, leg }) => `the ${leg} of ${order_id} is booked as paid and on no chain`)
  ]
}

/**
 * A restored store uses up what forgotten payments and unanswered deposits may have, not more: each sequence costs a fee.
 * A deposit has at most a payment and its excess, and endpoints invent deposits that only the store knows.
 */
const usesUpFew = (seen: Gathered, { sent, swept, views }: Evidence): Broken =>
  views.flatMap(({ parties, slug }) => {
    const usedUp = seen.shown.filter((each) =>
      each.slug === slug && each.sender === parties.solver && movesNothing(each)
    )
    const most = 2 * (sent.length + swept.length) + seen.deposits.length
    return usedUp.length > most ? [`${usedUp.length} sequences are used up on ${slug}, for at most ${most}`] : []
  })

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, each) => total + each, 0n)

const wealth = (views: ReadonlyArray<ChainView>, holderOf: (parties: Parties) => string): bigint =>
  sum(views.map(({ parties, worth }) => worth(holderOf(parties))))

/** Millionths of half a dollar that everybody has at the beginning. */
export const wealthsOf = (views: ReadonlyArray<ChainView>) => ({
  users: accounts.map((_, nth) => wealth(views, (parties) => parties.accounts[nth] ?? "")),
  /** What is deposited is the solver's: the hub credits it with the deposits that it paid for. */
  solver: wealth(views, ({ solver }) => solver) + wealth(views, ({ depository }) => depository)
})

const flowsOf = (seen: Gathered, evidence: Evidence, accounts: AppAccounts): FlowEvidence => {
  const { asked, faults, forgotten, sends, sponsor } = evidence
  const states = statesOf(seen)
  const deposits = Map.groupBy(named(seen, evidence), ({ memo }) => memo)
  return {
    accounts,
    asked: asked.filter(({ orderId }) => !forgotten.orders.has(orderId)),
    sends: sends.filter(({ requestId }) => !forgotten.requests.has(requestId)),
    sponsor,
    moved: seen.moved,
    paid: seen.paid,
    movedWith: (amount) => movedWith(amount, faults),
    answered: (orderId) =>
      (deposits.get(orderId) ?? []).map(({ amount, id, slug }) => ({
        amount,
        state: states.get(placeOf(chainIds[slug], id))
      }))
  }
}

/** What was paid for orders that a restored store does not know, and nothing was deposited for. Half micro-dollars. */
const unexplained = (seen: Gathered, { forgotten }: Evidence): bigint =>
  sum([...forgotten.orders].map((orderId) => {
    const of = (list: Gathered["moved"]) => worth(list.filter(({ memo }) => memo === orderId))
    const lost = of(seen.paid) - of(seen.deposited)
    return lost > 0n ? lost : 0n
  }))

/** No user gains more than others have deposited for it, and the solver loses nothing but what it booked as lost. */
const nobodyGains = (
  seen: Gathered,
  evidence: Evidence,
  before: ReturnType<typeof wealthsOf>,
  appAccounts: AppAccounts
): Broken => {
  const { asked, faults, sent, views } = evidence
  const now = wealthsOf(views)
  const ofUser = (user: number, orderId: string, sender: string | undefined, address?: string) =>
    asked.some((each) =>
      each.user === user && (each.orderId === orderId || (address !== undefined && each.address === address)) &&
      each.address !== sender
    )
  const giftsTo = (user: number) =>
    worth([
      ...seen.deposited.filter(({ memo, parties, sender }) =>
        sender !== parties.accounts[user] && ofUser(user, memo, sender)
      ),
      ...giftsToAddresses(asked, seen.moved, user, views.flatMap(({ parties }) => parties.accounts[user] ?? []))
    ])
  const booked = seen.losses.filter(({ recovered_at }) => recovered_at === null).reduce(
    (sum, { amount, currency }) => sum + BigInt(amount) * halfMicros(currency),
    unexplained(seen, evidence)
  )
  const fees = sum(views.map(({ feesOf, parties }) => feesOf(parties.solver)))
  // App fees are owed to others. What a sponsor paid was credited before.
  const owed = accruedWorth(appAccounts) - capturedWorth(appAccounts)
  const lost = before.solver + worth(seen.funded) - now.solver + owed - fees - borneOf(seen.moved, seen)
  return [
    ...now.users.flatMap((units, nth) => {
      // What others send for its quotes moves with the prices, too. Nobody sends from a deposit address.
      const moved = worth(
        sent.filter(({ address, by, memo }) => by === nth || ofUser(nth, memo, "", address))
      )
      const gain = units - (before.users[nth] ?? 0n) - giftsTo(nth) - movedWith(moved, faults)
      return gain > booked
        ? [`${nth >= ADVERSARY ? "the adversary" : `user ${nth}`} has gained ${gain}, booked as lost ${booked}`]
        : []
    }),
    ...(lost > booked + movedWith(worth(sent), faults)
      ? [`the solver has lost ${lost}, booked ${booked}`]
      : [])
  ]
}

/** What an honest user can lose beside what the quote says: fees and refunds at the dearest gas. Half micro-dollars. */
const GAS_BOUND = 400_000n
/** The same, where a transfer's origin or destination is the Bitcoin chain. */
const BITCOIN_GAS_BOUND = 1_000_000n
/** The most that the fees of a transfer take of it, basis points. */
const FEES_BOUND_BPS = 200n

/** What a token kept of a transfer on its way, `units` of which arrived. */
const keptOf = (currency: string, units: bigint): bigint =>
  currency === tronOdd ? (units + 2n) * KEPT_BPS / (10_000n - KEPT_BPS) : 0n

/**
 * An honest user loses no more than the fees of what it sent under a quote of its own, and what it sent for nothing or
 * for others.
 */
const honestKeepTheirs = (
  { asked, faults, forgotten, sent, views }: Evidence,
  before: ReturnType<typeof wealthsOf>
): Broken => {
  const now = wealthsOf(views)
  const bound = ({ address, amount, by, currency, memo, origin, outputs = [] }: Sent): bigint => {
    const units = amount * halfMicros(currency)
    const isBitcoin = origin === "bitcoin" ||
      asked.some(({ destination, orderId }) => orderId === memo && destination === "bitcoin")
    const gas = isBitcoin ? BITCOIN_GAS_BOUND : GAS_BOUND
    const own = asked.find((each) =>
      each.user === by && !forgotten.orders.has(each.orderId) &&
      (each.orderId === memo || (address !== undefined && each.address === address))
    )
    return own !== undefined
      ? units * (FEES_BOUND_BPS + own.appBps) / 10_000n + movedWith(units, faults) + gas +
        lostOfOutputs(outputs) * halfMicros(currency)
      : units + keptOf(currency, units) + gas
  }
  return Array.from({ length: USERS }, (_, nth) => nth).flatMap((nth) => {
    const own = sent.filter(({ by }) => by === nth)
    const loss = (before.users[nth] ?? 0n) - (now.users[nth] ?? 0n)
    const most = own.reduce((sum, each) => sum + bound(each), 0n)
    return loss > most ? [`user ${nth} has lost ${loss}, at most ${most} may be lost`] : []
  })
}

/**
 * What the adversary and its accomplice have gained so far, half micro-dollars: for a search of what comes closest to
 * profit.
 */
export const profitOf = (views: ReadonlyArray<ChainView>, before: ReturnType<typeof wealthsOf>): bigint => {
  const theirs = ({ users }: ReturnType<typeof wealthsOf>) =>
    users.slice(ADVERSARY).reduce((sum, units) => sum + units, 0n)
  return theirs(wealthsOf(views)) - theirs(before)
}

/** What holds at every moment. */
export const brokenNow = (evidence: Evidence) =>
  Effect.map(gather(evidence), (seen) => [...filledOnce(seen, evidence), ...paidWhatWasSent(seen, evidence, "now")])

/** Below this, a deposit is not worth the fee of its refund, at the highest that a fee usually is. Smallest units. */
const DUST = 20_000n

/**
 * Whether a deposit was not worth its refund when that was priced. What was swept pays for its sweep as well. On Tron
 * everything may have cost eight times as much then.
 */
const isDust = (
  { asked, faults, views }: Evidence,
  { amount, currency, sender, slug, time }: ShownTransfer
): boolean => {
  const came = asked.some(({ address }) => address === sender) ? "swept" : "sent"
  if (amount < (came === "swept" ? 2n * DUST : DUST)) return true
  const dearest = views.find((view) => view.slug === slug)?.dearestReturn(time, came) ?? 0n
  return amount * halfMicros(currency) < dearest + movedWith(dearest, faults)
}

/** A deposit that was paid for is final in the end, or its loss is booked. It may be gone from its chain meanwhile. */
const paidForOpen = ({ deposits, payments }: Gathered): Broken => {
  const fills = new Set(
    payments.flatMap(({ leg, order_id, state }) => leg === "fill" && state === "included" ? [order_id] : [])
  )
  const filled = new Set(deposits.flatMap(({ deposit_id, state }) => state === "filled" ? [deposit_id] : []))
  return deposits.flatMap(({ deposit_id, state }) =>
    state === "open" && fills.has(deposit_id) && !filled.has(deposit_id)
      ? [`a deposit that was paid for under ${deposit_id.slice(0, 10)} is open`]
      : []
  )
}

/** Why the run is not over: deposits that wait for an answer, payments on their way, money that is held. */
export const unfinished = Effect.fnUntraced(function*(evidence: Evidence) {
  const seen = yield* gather(evidence)
  const states = statesOf(seen)
  const waiting = [
    ...named(seen, evidence).flatMap((deposit) => {
      const { amount, id, memo, slug } = deposit
      const state = states.get(placeOf(chainIds[slug], id))
      if (state === undefined) return [`a deposit of ${amount} on ${slug} for ${memo.slice(0, 10)} is not noticed`]
      if (state === "open") return [`a deposit of ${amount} on ${slug} for ${memo.slice(0, 10)} is open`]
      // While USDT refuses, or after a refund that failed in its block, an operator retries that (`Retries.ts`).
      return state === "unrefundable" && slug === "tron" && !isDust(evidence, deposit)
        ? [`a deposit of ${amount} on tron for ${memo.slice(0, 10)} is unrefundable`]
        : []
    }),
    ...seen.payments.filter(({ state }) => state === "sent" || state === "signed").map(({ leg, order_id }) =>
      `the ${leg} of ${order_id.slice(0, 10)} is on its way`
    ),
    ...paidForOpen(seen)
  ]
  const known = evidence.asked.filter(({ orderId }) => !evidence.forgotten.orders.has(orderId))
  waiting.push(...unswept(known, seen.moved))
  return waiting.length > 0 ? waiting : flowsUnfinished(flowsOf(seen, evidence, yield* evidence.accounts))
})

/** What holds at the end, beside `brokenNow`. */
export const brokenAtEnd = (evidence: Evidence, before: ReturnType<typeof wealthsOf>) =>
  Effect.map(Effect.all([gather(evidence), evidence.accounts]), ([seen, accounts]): Broken => {
    const states = statesOf(seen)
    const unanswered = named(seen, evidence).flatMap((deposit) => {
      const { amount, id, memo, slug } = deposit
      const state = states.get(placeOf(chainIds[slug], id))
      const isPaid = state === "filled" || state === "refunded"
      return isPaid || (state === "unrefundable" && isDust(evidence, deposit))
        ? []
        : [`a deposit of ${amount} for ${memo} ended as ${state ?? "unknown"}`]
    })
    const owed = [...ordersOf(evidence)].flatMap((orderId) => {
      const answered = seen.deposits.filter(({ deposit_id, state }) =>
        deposit_id === orderId && (state === "filled" || state === "refunded")
      )
      const paid = seen.paid.filter(({ memo }) => memo === orderId)
      return paid.length < answered.length
        ? [`${orderId}: ${answered.length} deposits count as answered, ${paid.length} are paid`]
        : []
    })
    return [
      ...unanswered,
      ...owed,
      ...paidWhatWasSent(seen, evidence, "end"),
      ...paidToTheirs(evidence.asked, seen.moved, seen.paid, evidence.views),
      ...booksAgree(seen, evidence),
      ...usesUpFew(seen, evidence),
      ...nobodyGains(seen, evidence, before, accounts),
      ...honestKeepTheirs(evidence, before),
      ...flowsBroken(flowsOf(seen, evidence, accounts))
    ]
  })
