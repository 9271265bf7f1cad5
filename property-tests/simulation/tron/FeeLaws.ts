/**
 * What must hold of the costs of the service's payments on the simulated Tron chain: what they can take is counted
 * before they are signed, and is in the quote. Both laws read what blocks show. They say nothing where costs rose in
 * between: nobody can know that before.
 */
import { bandwidthOf, callCost, energyWithRoom } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { paidOrderIn } from "../../../src/domain/families/tron/payment/SentPayment.ts"
import type { ChainView } from "../ChainView.ts"
import type { LossInBooks } from "../Books.ts"
import type { Forgotten } from "../faults/Forgotten.ts"
import type { Fault, Faults } from "../Faults.ts"
import { halfMicros, tron as trx } from "../Terms.ts"
import type { Asked } from "../Users.ts"
import { holding } from "./Contracts.ts"
import { fundingIn, isFundingOf } from "./Funding.ts"
import { contract, energies, isOfService, tokenIn, USUAL_PRICES } from "./Terms.ts"
import type { Costs, TronChain } from "./TronChain.ts"
import type { Executed, Kept } from "./TronLedger.ts"
import type { SentTransaction } from "./TronTransaction.ts"

const hasStruck = ({ counts }: Faults, ...faults: ReadonlyArray<Fault>): boolean =>
  faults.some((fault) => counts.has(fault))

/** After these, a payment or a sweep costs something else than was quoted. */
const costsMove: ReadonlyArray<Fault> = ["fee-spike", "energy-rises", "price-jumps", "price-apart"]

/** With its room, half micro-dollars. */
const AS_HOLDER = energyWithRoom(energies.newHolder) * USUAL_PRICES.energy * halfMicros(trx)

/** What the transfer of a token to one who holds some of it offers for energy, sun. */
const TO_HOLDER = energyWithRoom(energies.transfer) * USUAL_PRICES.energy

/** Whether the account held some of the token in a block of more than that height, which a reorg has replaced. */
const hasLostHolder = (chain: TronChain, token: string, account: string, above: number): boolean =>
  chain.replaced().some(({ height, storage }) => height > above && (storage.get(holding(token, account)) ?? 0n) > 0n)

/**
 * Whether a transfer burnt what it takes where the recipient holds some of the token, and lacked only what a new holder
 * takes. It was tried after the solidified block that it names. `before`: the block before its own.
 */
const isToLostHolder = (chain: TronChain, { fee, sent }: Executed, before: Kept | undefined): boolean => {
  const paid = paidOrderIn(sent.transaction)
  if (paid === undefined || (before?.storage.get(holding(paid.currency, paid.recipient)) ?? 0n) > 0n) return false
  const burnt = fee - bandwidthOf(sent.rawData.length) * USUAL_PRICES.bandwidth
  return burnt >= TO_HOLDER && hasLostHolder(chain, paid.currency, paid.recipient, sent.reference.bits)
}

/**
 * A call offers as much for energy as its trial took: it never runs out, unless a reorg has taken back what the trial
 * rests on. That is what a sweep was sent for its energy, where no block up to its own has it again, or what made the
 * recipient of a token a holder.
 */
export const outOfEnergy = (chain: TronChain, faults: Faults): ReadonlyArray<string> => {
  if (hasStruck(faults, "fee-spike", "energy-rises")) return []
  const { blocks } = chain.state()
  const isTakenBack = (sweep: SentTransaction, height: number): boolean => {
    const hasFunding = ({ executed }: Kept): boolean => executed.some(({ sent }) => isFundingOf(sweep)(sent))
    return chain.replaced().some(hasFunding) && !blocks.slice(0, height + 1).some(hasFunding)
  }
  return blocks.flatMap(({ executed, height }) =>
    executed.filter((each) =>
      isOfService(each.sent.transaction.owner) && each.result === "OUT_OF_ENERGY" &&
      !isTakenBack(each.sent, height) && !isToLostHolder(chain, each, blocks[height - 1])
    ).map(({ sent: { id } }) => `${id} runs out of energy on tron`)
  )
}

/** Bytes of raw data of a refund, and of a sweep: more than they take. */
const RAW_DATA = 350
/** A node can be so far behind, and names the prices of then, milliseconds. */
const BEHIND_MS = 200_000

/** Sun that a refund is charged at most: its own cost, and of what was swept that of an address's first sweep. */
const mostReturn = ({ energyPercent, prices }: Costs, came: "sent" | "swept"): bigint => {
  const call = (energy: bigint) => callCost(prices, energyWithRoom(energy * energyPercent / 100n), RAW_DATA)
  const transfer = call(energies.transfer + energies.newHolder)
  const trx = call(0n) + prices.memo + (came === "swept" ? call(energies.nativeDeposit) : 0n)
  const token = transfer + (came === "swept" ? transfer + prices.newAccount : 0n)
  return trx > token ? trx : token
}

/**
 * Half micro-dollars: a deposit of that time was worth its refund, whenever the refund was priced since. A refund that
 * is not worth its gas when it is priced is not paid (REFUND-5), and prices may have risen for a while.
 */
export const dearestReturn = (chain: TronChain, time: number, came: "sent" | "swept"): bigint =>
  chain.costsSince(time - BEHIND_MS).map((costs) => mostReturn(costs, came)).reduce(
    (most, each) => each > most ? each : most,
    0n
  ) * halfMicros(trx)

interface Evidence {
  readonly views: ReadonlyArray<ChainView>
  readonly asked: ReadonlyArray<Asked>
  readonly faults: Faults
  readonly forgotten: Pick<Forgotten, "orders">
}

/** Sun that the solver has spent for each sweep of a block, by its id: what it sent the address together with it. */
const costsOfSweeps = (all: ReadonlyArray<Executed>): ReadonlyMap<string, bigint> => {
  const spent = new Map<string, bigint>()
  for (const { fee, sent: { expiration, reference, transaction } } of all) {
    const funding = fundingIn({ transaction })
    if (funding === undefined) continue
    const funded = all.filter(({ sent }) =>
      sent.transaction.owner === funding.to && sent.expiration === expiration &&
      sent.reference.hash === reference.hash
    )
    // Sweeps of both currencies may be sent together: whose TRX these are is not known then.
    const [sweep, ...others] = funded
    if (sweep !== undefined && others.length === 0) spent.set(sweep.sent.id, funding.amount + fee)
  }
  return spent
}

/**
 * A user pays what its fill or refund costs, and the sweep of its deposit address: it is worth less than the deposit by
 * that at least. Read of orders whose deposits are alike, and of payments whose recipient has an account. Not of a
 * deposit below the quoted amount: what the order lets a refund keep is in proportion to the deposit, and its gas is not
 * (CLAIM-4).
 *
 * `losses`: a payment may be for a deposit that a reorg dropped, of another currency. Of those that it can have been made
 * for, the one that it leaves least of counts.
 */
export const unpaidFees = (
  chain: TronChain,
  { asked, faults, forgotten, views }: Evidence,
  losses: ReadonlyArray<LossInBooks>
): ReadonlyArray<string> => {
  if (hasStruck(faults, ...costsMove)) return []
  const all = chain.state().blocks.flatMap(({ executed }) => executed)
  const fees = new Map(all.map(({ fee, sent: { id } }) => [id, fee] as const))
  const sweeps = costsOfSweeps(all)
  const moved = views.flatMap(({ parties, shown }) =>
    shown().filter(({ succeeded }) => succeeded).map((each) => ({ ...each, parties }))
  )
  return asked.flatMap(({ amountIn, isSponsored, orderId }) => {
    if (isSponsored || forgotten.orders.has(orderId)) return []
    const named = moved.filter(({ memo }) => memo === orderId)
    const [deposit, ...others] = named.filter(({ parties, recipient }) => recipient === parties.depository)
    if (deposit === undefined || deposit.amount < amountIn) return []
    if (others.some(({ amount, currency }) => amount !== deposit.amount || currency !== deposit.currency)) return []
    const lost = losses.filter(({ kind, order_id, recovered_at }) =>
      kind === "deposit" && order_id === orderId && recovered_at === null
    ).map(({ amount, currency }) => BigInt(amount) * halfMicros(currency))
    const received = deposit.amount * halfMicros(deposit.currency)
    const swept = (sweeps.get(deposit.id) ?? 0n) * halfMicros(trx)
    return named.flatMap(({ amount, currency, id, parties, recipient, sender, slug }) => {
      if (sender !== parties.solver || !parties.accounts.includes(recipient)) return []
      if (slug !== "tron" && swept === 0n) return []
      // The first sweep of a token makes the depository a holder. What is priced later leaves that out.
      const paid = amount * halfMicros(currency)
      const [whole = received] = [received, ...lost].filter((each) => each >= paid).toSorted((one, other) =>
        one < other ? -1 : 1
      )
      const kept = whole - paid + (swept > 0n && deposit.currency !== trx ? AS_HOLDER : 0n)
      const fee = swept + (slug === "tron" ? fees.get(id) ?? 0n : 0n) * halfMicros(trx)
      return kept < fee ? [`${orderId} left ${kept} for a payment on tron that cost ${fee}`] : []
    })
  })
}

/**
 * A quote for a deposit address names at least the gas of its sweeps, whoever pays it. What makes the depository a holder
 * again is not in a quote that was made before a reorg.
 */
export const underquotedSweeps = (
  chain: TronChain,
  { asked, faults, views }: Pick<Evidence, "asked" | "faults" | "views">
): ReadonlyArray<string> => {
  if (hasStruck(faults, ...costsMove)) return []
  const sweeps = costsOfSweeps(chain.state().blocks.flatMap(({ executed }) => executed))
  const moved = views.flatMap(({ shown }) => shown())
  return asked.flatMap(({ address, currencyIn, gas, orderId }) => {
    const token = tokenIn(currencyIn)
    const unquoted = token !== undefined && hasLostHolder(chain, token, contract, 0) ? AS_HOLDER : 0n
    return moved.filter(({ currency, sender }) => sender === address && currency === currencyIn).flatMap(({ id }) => {
      const [quoted, cost] = [gas * halfMicros(currencyIn), (sweeps.get(id) ?? 0n) * halfMicros(trx)]
      return quoted + unquoted < cost
        ? [`${orderId} is quoted gas of ${quoted}, and its sweep on tron cost ${cost}`]
        : []
    })
  })
}
