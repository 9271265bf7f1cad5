/**
 * What a rollup of the OP stack takes for a transaction's data on L1 (PRICE-28). It is no gas: it is in no estimate and
 * no gas limit, follows the fees of L1, and is taken from the sender's balance besides the gas, also when the transaction
 * reverts. The receipt shows it.
 *
 * Asked beside the fees of the newest block, in the same request. The chain's own bound is for data that cannot be
 * compressed, so that no choice of data makes a transaction cost more than its price.
 */
import { concat, hexToBigInt, isHex, keccak256, numberToHex, parseAbi, size, slice } from "viem"
import type { Hex, PublicClient, TransactionReceipt } from "viem"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { gasPriceOracle } from "../../../src/domain/families/ethereum/GasPriceOracle.ts"

const abi = parseAbi(["function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)"])

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

/** The most for a transaction with this body in the next block, smallest units. Zero, without a question, elsewhere. */
export const l1FeeOf = async (
  client: PublicClient,
  { l1DataFee }: Pick<Chain, "l1DataFee">,
  body: Sized
): Promise<bigint> =>
  l1DataFee === "op-stack"
    ? client.readContract({
      abi,
      address: gasPriceOracle,
      functionName: "getL1FeeUpperBound",
      args: [BigInt(unsignedBytes(body))]
    })
    : 0n

/** Data of this length as dear as any: hashes, which nothing compresses. */
export const usualData = (bytes: number): Hex => {
  const words = Array.from({ length: Math.ceil(bytes / 32) }, (_, index) => keccak256(numberToHex(index, { size: 32 })))
  return slice(concat(words), 0, bytes)
}

/** What it will probably be in the next blocks: one more block of L1 raises its base fee by an eighth. */
export const expectedL1Fee = (fee: bigint): bigint => (fee * 9n) / 8n

/** The most that is reserved for it: twice what it is now, as for the base fee of the chain itself. */
export const mostL1Fee = (fee: bigint): bigint => fee * 2n

/** What a transaction has cost its sender. On the OP stack its receipt has the fee for L1 beside the gas. */
export const paidFor = ({ l1DataFee }: Pick<Chain, "l1DataFee">, receipt: TransactionReceipt): bigint => {
  const gas = receipt.gasUsed * receipt.effectiveGasPrice
  const shown: unknown = l1DataFee === "op-stack" && "l1Fee" in receipt ? receipt.l1Fee : undefined
  return isHex(shown) && shown.length > 2 ? gas + hexToBigInt(shown) : gas
}
