/**
 * What a rollup of the OP stack takes for a transaction besides gas (PRICE-28): for its data on L1, and for the chain's
 * operator. Neither is in an estimate or a gas limit; both are taken from the sender's balance, also when the transaction
 * reverts. The receipt shows them. The fee for L1 follows the fees there; the operator's is linear in the gas, by numbers
 * that the chain's owner sets.
 *
 * Asked beside the fees of the newest block, in the same request. The chain's own bound is for data that cannot be
 * compressed, so that no choice of data makes a transaction cost more than its price.
 */
import {
  BaseError,
  concat,
  ContractFunctionRevertedError,
  hexToBigInt,
  isHex,
  keccak256,
  numberToHex,
  parseAbi,
  size,
  slice
} from "viem"
import type { Hex, PublicClient, TransactionReceipt } from "viem"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { gasPriceOracle } from "../../../../src/domain/families/ethereum/GasPriceOracle.ts"
import { divCeil } from "../../../../src/domain/money/Rounding.ts"

const abi = parseAbi([
  "function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)",
  "function getOperatorFee(uint256 gasUsed) view returns (uint256)"
])

/** The gas for which an operator's fee is asked: so much that its rounding to whole units is lost in the margin. */
const MUCH_GAS = 1_000_000_000n

/** What a transaction takes besides gas, smallest units. */
export interface FeesBesideGas {
  /** For its data on L1. */
  readonly data: bigint
  /** The operator's for any transaction, and for `MUCH_GAS` on top. */
  readonly operator: { readonly each: bigint; readonly forMuchGas: bigint }
}

export const NO_FEES: FeesBesideGas = { data: 0n, operator: { each: 0n, forMuchGas: 0n } }

/** The unsigned transaction without its data and authorizations: at most, for amounts below 2^96 and fees below 2^64. */
const ENVELOPE_BYTES = 90

/** An authorization with its signature. */
const AUTHORIZATION_BYTES = 112

interface Sized {
  readonly data: Hex
  readonly authorizationList?: ReadonlyArray<unknown> | undefined
}

/** At least the size of the transaction without its signature, which the chain adds. */
export const unsignedBytes = ({ authorizationList = [], data }: Sized): number =>
  ENVELOPE_BYTES + size(data) + AUTHORIZATION_BYTES * authorizationList.length

const isRevert = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError) !== null

/** Zero before the hard fork Isthmus, where the contract has no such function. */
const operatorFee = async (client: PublicClient, gas: bigint): Promise<bigint> => {
  try {
    return await client.readContract({ abi, address: gasPriceOracle, functionName: "getOperatorFee", args: [gas] })
  } catch (error) {
    if (isRevert(error)) return 0n
    throw error
  }
}

/** For a transaction with this body in the next block: the most for L1. None, without a question, elsewhere. */
export const l1FeeOf = async (
  client: PublicClient,
  { l1DataFee }: Pick<Chain, "l1DataFee">,
  body: Sized
): Promise<FeesBesideGas> => {
  if (l1DataFee !== "op-stack") return NO_FEES
  const [data, each, much] = await Promise.all([
    client.readContract({
      abi,
      address: gasPriceOracle,
      functionName: "getL1FeeUpperBound",
      args: [BigInt(unsignedBytes(body))]
    }),
    operatorFee(client, 0n),
    operatorFee(client, MUCH_GAS)
  ])
  return { data, operator: { each, forMuchGas: much > each ? much - each : 0n } }
}

/** Data of this length as dear as any: hashes, which nothing compresses. */
export const usualData = (bytes: number): Hex => {
  const words = Array.from({ length: Math.ceil(bytes / 32) }, (_, index) => keccak256(numberToHex(index, { size: 32 })))
  return slice(concat(words), 0, bytes)
}

const forOperator = ({ operator }: FeesBesideGas, gas: bigint): bigint =>
  operator.each + divCeil(operator.forMuchGas * gas, MUCH_GAS)

/** What they will probably be in the next blocks: one more block of L1 raises its base fee by an eighth. */
export const expectedL1Fee = (fees: FeesBesideGas, gas: bigint): bigint =>
  (fees.data * 9n) / 8n + forOperator(fees, gas)

/** The most that is reserved for them: twice what they are now, as for the base fee of the chain itself. */
export const mostL1Fee = (fees: FeesBesideGas, gas: bigint): bigint => (fees.data + forOperator(fees, gas)) * 2n

/** A number that only receipts of the OP stack have. Undefined where this one does not have it. */
const shownIn = (receipt: object, name: string): bigint | undefined => {
  const shown: unknown = Object.entries(receipt).find(([key]) => key === name)?.[1]
  return isHex(shown) && shown.length > 2 ? hexToBigInt(shown) : undefined
}

/**
 * The operator's, of a receipt: the scalar is for a million gas since the hard fork Isthmus, and a hundred for each since
 * Jovian, whose receipts also have the footprint's.
 */
const operatorIn = (receipt: TransactionReceipt): bigint => {
  const scaled = receipt.gasUsed * (shownIn(receipt, "operatorFeeScalar") ?? 0n)
  const isJovian = shownIn(receipt, "daFootprintGasScalar") !== undefined
  return (isJovian ? scaled * 100n : scaled / 1_000_000n) + (shownIn(receipt, "operatorFeeConstant") ?? 0n)
}

/** What a transaction has cost its sender. On the OP stack its receipt has these fees beside the gas. */
export const paidFor = ({ l1DataFee }: Pick<Chain, "l1DataFee">, receipt: TransactionReceipt): bigint => {
  const gas = receipt.gasUsed * receipt.effectiveGasPrice
  return l1DataFee === "op-stack" ? gas + (shownIn(receipt, "l1Fee") ?? 0n) + operatorIn(receipt) : gas
}
