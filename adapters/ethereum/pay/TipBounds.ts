/**
 * The tip that a payment offers (EVM-9): the preferred endpoint's, within bounds that follow from what as many hosts name
 * as the quorum needs.
 *
 * SECURITY: a transaction burns its whole tip, whatever others pay. One endpoint that names a great one would have the
 * solver give all of its native currency to whoever makes the block. Of the base fee nothing but what the block takes is
 * burnt, so one endpoint may name that.
 */
import { Effect } from "effect"
import type { PublicClient } from "viem"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { maxOf, minOf } from "../../../src/domain/money/Rounding.ts"
import type { EthereumRpc } from "../rpc/EthereumRpc.ts"
import type { FeesPerGas } from "./Fees.ts"

/** By how much tips differ that honest nodes name at the same moment. */
const APART = 2n

const isNear = (one: bigint, other: bigint): boolean => one <= APART * other && other <= APART * one

/** With fewer liars than others it is between what two honest ones name, or one of these. The lower one of two. */
const middleOf = (tips: ReadonlyArray<bigint>): bigint =>
  tips.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))[Math.floor((tips.length - 1) / 2)] ?? 0n

const readOffer = async (client: PublicClient) => {
  const [tip, block] = await Promise.all([client.estimateMaxPriorityFeePerGas(), client.getBlock()])
  return { tip, base: block.baseFeePerGas ?? 0n }
}

/** Fees per gas. */
interface TipBounds {
  /** What is offered where the preferred endpoint's tip is outside of the bounds. */
  readonly agreed: bigint
  readonly most: bigint
}

/**
 * Where the first hosts are far apart, all are asked. A tip of no more than the base fee costs little, whoever names it:
 * nodes that name none would have a payment offer less than others take. Undefined where a single host decides: no other
 * one is asked.
 */
export const tipBounds = (
  rpc: EthereumRpc["Service"],
  chain: Chain
): Effect.Effect<TipBounds | undefined, ChainUnavailable> =>
  rpc.isAlone(chain) ? Effect.undefined : Effect.map(
    rpc.several(
      chain,
      "tip",
      readOffer,
      (offers) => offers.every(({ tip }) => offers.every((other) => isNear(tip, other.tip)))
    ),
    (named) => {
      const agreed = middleOf(named.map(({ answer }) => answer.tip))
      const base = named.map(({ answer }) => answer.base).reduce(minOf)
      return { agreed, most: maxOf(APART * agreed, base) }
    }
  )

/** One that is too low would hold up its payment. */
export const boundedTip = (named: bigint, bounds: TipBounds | undefined): bigint =>
  bounds === undefined || (named <= bounds.most && APART * named >= bounds.agreed) ? named : bounds.agreed

/** The same fees with a bounded tip. */
export const withBoundedTip = (fees: FeesPerGas, bounds: TipBounds | undefined): FeesPerGas => {
  const tip = boundedTip(fees.maxPriorityFeePerGas, bounds)
  const change = tip - fees.maxPriorityFeePerGas
  return {
    ...fees,
    maxPriorityFeePerGas: tip,
    maxFeePerGas: fees.maxFeePerGas + change,
    expectedFeePerGas: fees.expectedFeePerGas + change
  }
}
