/**
 * The factory that a deposit address on an EVM chain follows from: the chain's own, or a former one, at which no
 * address is quoted any more while those that were are paid for ever.
 *
 * Known without a record of it: of the configured factories it is the one whose address of the same order and depositor
 * it is.
 */
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import type { Chain } from "../chain/Chain.ts"
import type { OrderId } from "../order/Order.ts"
import { computeDepositAddress } from "./DepositAddress.ts"

/** What an address follows from, beside its factory. */
export interface OfFactory {
  readonly address: Address
  readonly orderId: OrderId
  readonly depositor: Address
}

/** Undefined on a chain without factories, and of an address of a factory that this configuration does not name. */
export const factoryOf = (
  { depositAddresses }: Chain,
  { address, depositor, orderId }: OfFactory
): Address | undefined => {
  if (depositAddresses?.factory === undefined) return undefined
  const { factory, former = [] } = depositAddresses
  return [factory, ...former].find((each) => {
    const made = computeDepositAddress({ factory: each, depositor, orderId })
    return Result.isSuccess(made) && made.success === address
  })
}

/**
 * SECURITY: anybody may sweep an address of a former factory, at a moment of his choosing and beside deposits of his
 * own. What he can repeat so, no sponsor pays for.
 */
export const isOfFormerFactory = (chain: Chain, of: OfFactory): boolean => {
  const factory = factoryOf(chain, of)
  return factory !== undefined && factory !== chain.depositAddresses?.factory
}
