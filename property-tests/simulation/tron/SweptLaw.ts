/**
 * What is paid to deposit addresses on Tron is swept, unless it is not worth twice its sweep (ADDRESS-4). For a sweep
 * the solver sends an address TRX (TRON-21): to nobody else, and no more than a sweep can cost.
 */
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import type { Forgotten } from "../faults/Forgotten.ts"
import type { Fault, Faults } from "../Faults.ts"
import { halfMicros } from "../Terms.ts"
import type { AnySlug } from "../Terms.ts"
import { holding } from "./Contracts.ts"
import { solver, spelled, tokenIn } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { fundingIn, isFundingOf } from "./Funding.ts"
import { headOf } from "./TronLedger.ts"
import type { SentTransaction } from "./TronTransaction.ts"

/** Half micro-dollars: more is worth its sweep, in both currencies, at usual prices and at any price of TRX. */
const MOST_LEFT = 150_000n
/** Sun: more than the dearest sweep takes, with eight times the usual prices and energy that rose by half. */
const MOST_FUNDING = 300_000n

interface Quoted {
  readonly address?: Address | undefined
  readonly origin: AnySlug
  readonly currencyIn: string
}

const heldAt = (chain: TronChain, address: Address, currency: string): bigint => {
  const [holder, token] = [Result.getOrThrow(accountOfTron(address)), tokenIn(currency)]
  const { balances, storage } = headOf(chain.state())
  return (token === undefined ? balances.get(holder) : storage.get(holding(token, holder))) ?? 0n
}

/**
 * Sun that the solver sent an address for sweeps, less what they cost, as the newest block shows it (TRON-26). `of`: the
 * transactions of the sweeps that count; all of them unless given.
 */
const leftOfFunding = (chain: TronChain, address: Address, of?: ReadonlySet<string>): bigint => {
  const holder = Result.getOrUndefined(accountOfTron(address))
  if (holder === undefined) return 0n
  const all = chain.state().blocks.flatMap(({ executed }) => executed)
  const sweeps = all.filter(({ sent }) => sent.transaction.owner === holder && (of === undefined || of.has(sent.id)))
  const isFor = (sent: SentTransaction): boolean =>
    of === undefined ? fundingIn(sent)?.to === holder : sweeps.some((sweep) => isFundingOf(sweep.sent)(sent))
  const funding = all.reduce((sum, { sent }) => isFor(sent) ? sum + (fundingIn(sent)?.amount ?? 0n) : sum, 0n)
  return sweeps.reduce((sum, { fee }) => sum - fee, funding)
}

/** What was paid to an address and nobody has moved yet. */
const unmovedAt = (chain: TronChain, address: Address, currency: string): bigint => {
  const held = heldAt(chain, address, currency)
  if (tokenIn(currency) !== undefined) return held
  const left = leftOfFunding(chain, address)
  return left > 0n ? held - left : held
}

/** Whether so much of a currency was paid to an address that it is to be swept. */
export const isLeft = (chain: TronChain, address: Address, currency: string): boolean =>
  unmovedAt(chain, address, currency) * halfMicros(currency) > MOST_LEFT

/** Why the run is not over: money of the quoted currency that nobody has moved yet, as the newest block shows it. */
export const unsweptOnTron = (chain: TronChain, asked: ReadonlyArray<Quoted>): ReadonlyArray<string> =>
  asked.flatMap(({ address, currencyIn, origin }) =>
    address === undefined || origin !== "tron" || !isLeft(chain, address, currencyIn)
      ? []
      : [`${unmovedAt(chain, address, currencyIn)} of ${currencyIn} lie at the deposit address ${address} on tron`]
  )

/**
 * TRX that the solver sent for sweeps are swept for nobody: an address brings no more than others have paid to it
 * (TRON-26). A restored store has forgotten sweeps, and with them what they left.
 */
export const sweptOfFunding = (
  chain: TronChain,
  asked: ReadonlyArray<Quoted>,
  { isRestored }: Pick<Forgotten, "isRestored">
): ReadonlyArray<string> => {
  if (isRestored()) return []
  const acts = chain.state().blocks.flatMap(({ executed }) =>
    executed.flatMap(({ result, sent }) => result === "SUCCESS" ? [sent.transaction.act] : [])
  )
  return [...new Set(asked.flatMap(({ address }) => address ?? []))].flatMap((address) => {
    const holder = Result.getOrUndefined(accountOfTron(address))
    const paid = acts.reduce(
      (sum, act) => act._tag === "Transfer" && act.to === holder && act.owner !== solver.evm ? sum + act.amount : sum,
      0n
    )
    const swept = acts.reduce((sum, act) => act._tag === "Trigger" && act.owner === holder ? sum + act.value : sum, 0n)
    return swept > paid ? [`${swept} sun are swept from ${address} on tron, to which ${paid} were paid`] : []
  })
}

/** After these, a sweep can cost more than it was sent, or be executed without what was sent for it. */
const sweepsCostMore: ReadonlyArray<Fault> = ["fee-spike", "reorg", "reorg-drops", "reorg-deepest", "fork-returns"]

/**
 * What is paid to an address pays for none of its sweeps: they cost no more than the solver has sent (TRON-21). A
 * restored store does not know what forgotten sweeps have spent of that beyond what they were sent themselves (TRON-26).
 */
export const burntOfPaid = (
  chain: TronChain,
  asked: ReadonlyArray<Quoted>,
  { counts }: Pick<Faults, "counts">,
  forgotten: ReadonlySet<string>
): ReadonlyArray<string> =>
  sweepsCostMore.some((fault) => counts.has(fault))
    ? []
    : [...new Set(asked.flatMap(({ address }) => address ?? []))].flatMap((address) => {
      const burnt = -leftOfFunding(chain, address)
      const unknown = forgotten.size === 0 ? 0n : -leftOfFunding(chain, address, forgotten)
      return burnt > 0n && burnt > unknown
        ? [`sweeps of ${address} on tron have cost ${burnt} sun that were paid to it`]
        : []
    })

/** TRX that the solver has sent without an order: only deposit addresses get them, and no more than a sweep can cost. */
export const strayFunding = (chain: TronChain, asked: ReadonlyArray<Quoted>): ReadonlyArray<string> => {
  const addresses = new Set<string>(asked.flatMap(({ address }) => address ?? []))
  return chain.state().blocks.flatMap(({ executed }) =>
    executed.flatMap(({ sent }) => {
      const funding = fundingIn(sent)
      if (funding === undefined) return []
      const to = spelled(funding.to)
      return [
        ...(addresses.has(to) ? [] : [`${sent.id} sends TRX to ${to} without an order`]),
        ...(funding.amount > MOST_FUNDING ? [`${sent.id} sends ${funding.amount} sun for a sweep of ${to}`] : [])
      ]
    })
  )
}
