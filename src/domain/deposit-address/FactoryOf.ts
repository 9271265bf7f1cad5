/**
 * The factory of a deposit address on an EVM chain (ADDRESS-15): the chain's own, or a former one. No new addresses are
 * quoted from a former factory, but existing ones can be paid forever.
 *
 * No record is needed: the factory is the configured one that gives this address for the order and depositor.
 */
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import type { Chain } from "../chain/Chain.ts"
import type { OrderId } from "../order/Order.ts"
import { computeDepositAddress } from "./DepositAddress.ts"

/** What determines an address, without its factory. */
export interface OfFactory {
  readonly address: Address
  readonly orderId: OrderId
  readonly depositor: Address
}

/** Undefined on a chain without factories, and for an address of a factory that is not configured. */
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
 * SECURITY: anybody can sweep an address of a former factory, at a moment of their choice and together with deposits of
 * their own. As this can be repeated, no sponsor pays for it.
 */
export const isOfFormerFactory = (chain: Chain, of: OfFactory): boolean => {
  const factory = factoryOf(chain, of)
  return factory !== undefined && factory !== chain.depositAddresses?.factory
}
