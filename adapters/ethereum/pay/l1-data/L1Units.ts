/**
 * Gas that Arbitrum takes for a transaction's data on L1 (PRICE-27). It is counted in units of the chain's own gas, and
 * estimates, gas limits and receipts contain it. So it rises and falls with fees, while the code that runs takes the same.
 *
 * Measured as what the same data takes when it is sent to an account without code, beyond what the EVM takes for it on
 * any chain. Asked only where it matters: of payments whose estimate is above its bound, and of those that run strangers'
 * code.
 */
import type { Hex, PublicClient, SignedAuthorizationList } from "viem"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { withMargin } from "../Fees.ts"
import { intrinsicGas } from "../GasWithin.ts"
import type { Carried } from "../GasWithin.ts"

/** Nobody has its key, and nobody can deploy to it: the end of keccak256("causeway: an account without code"). */
const WITHOUT_CODE: Hex = "0xec76fe65ecd6c0f0eb5b9f64bff5793e18b3150d"

/** The least gas of any transaction. */
const TRANSFER_GAS = 21_000n

/** What is above the EVM's own price of the data. Zero for what is below it: nobody's bound becomes smaller. */
export const unitsAbove = (bare: bigint, carried: Carried): bigint => {
  const own = intrinsicGas(carried)
  return bare > own ? bare - own : 0n
}

interface Data {
  readonly data: Hex
  readonly authorizationList?: SignedAuthorizationList
}

/** What data and authorizations take before any code runs, above the EVM's own price. With the margin that estimates have. */
export const unitsOfData = async (
  client: PublicClient,
  account: Hex,
  { authorizationList, data }: Data
): Promise<bigint> => {
  const carried = authorizationList === undefined ? { data } : { data, authorizationList }
  return withMargin(unitsAbove(await client.estimateGas({ account, to: WITHOUT_CODE, value: 0n, ...carried }), carried))
}

/** Zero, without a question, on a chain that takes none. */
export const l1Units = (
  client: PublicClient,
  account: Hex,
  { l1DataFee }: Pick<Chain, "l1DataFee">,
  body: Data
): Promise<bigint> => l1DataFee === "arbitrum" ? unitsOfData(client, account, body) : Promise.resolve(0n)

/**
 * What a transaction must offer above the EVM's own price, or no block takes it: data on Arbitrum, and the state that
 * delegations may make with EIP-8037. Zero, without a question, where it has neither.
 */
export const unitsToBegin = (
  client: PublicClient,
  account: Hex,
  { l1DataFee }: Pick<Chain, "l1DataFee">,
  body: Data
): Promise<bigint> =>
  l1DataFee === "arbitrum" || body.authorizationList !== undefined
    ? unitsOfData(client, account, body)
    : Promise.resolve(0n)

/** The gas of a payment without those units: what its code takes (PRICE-26). */
export const unitsOfCode = (gas: bigint, units: bigint): bigint =>
  gas > TRANSFER_GAS + units ? gas - units : gas < TRANSFER_GAS ? gas : TRANSFER_GAS
