/**
 * Whether another transaction used a payment's nonce in a final block, so that the payment can never be executed.
 *
 * SECURITY: the payment is signed a second time after this answers yes, so "the node has no receipt of it" is not
 * enough: nodes lose transactions, and their indexes lag. The block in which the account's nonce passed the payment's
 * nonce is read completely, and must hold none of the payment's variants. When the node no longer has the state to find
 * that block, the read fails instead.
 */
import { parseTransaction } from "viem"
import type { Hex, PublicClient } from "viem"
import type { Variants } from "../../../ports/chain/Treasury.ts"
import { NodeIsBehind } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/** How many blocks below the final one the search starts. Nodes keep the state of a few more blocks. */
const FIRST_STEP = 16n

const findPassing = async (used: (height: bigint) => Promise<boolean>, finalHeight: bigint): Promise<bigint> => {
  let [above, step] = [finalHeight, FIRST_STEP]
  let below = above > step ? above - step : 0n
  while (below > 0n && await used(below)) {
    step *= 4n
    above = below
    below = above > step ? above - step : 0n
  }
  if (below === 0n && await used(0n)) return 0n
  while (above - below > 1n) {
    const middle = (above + below) / 2n
    if (await used(middle)) above = middle
    else below = middle
  }
  return above
}

/** `finalHeight`: −1 when no block is final. */
export const isSuperseded = async (
  client: PublicClient,
  account: Hex,
  variants: Variants,
  finalHeight: bigint
): Promise<boolean> => {
  const { nonce = 0 } = parseTransaction(viemHex(variants[0].raw))
  const used = async (blockNumber: bigint) =>
    (await client.getTransactionCount({ address: account, blockNumber })) > nonce
  if (finalHeight < 0n || !(await used(finalHeight))) return false
  const block = await client.getBlock({ blockNumber: await findPassing(used, finalHeight) })
  const isOurs = variants.some(({ transactionId }) => block.transactions.some((hash) => hash === transactionId))
  // The block holds the payment itself: the node only lost its receipt.
  if (isOurs) throw new NodeIsBehind()
  return true
}
