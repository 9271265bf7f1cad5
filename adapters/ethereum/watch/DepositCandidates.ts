/**
 * Transactions of a range of blocks that may have deposited something: by events of the depository, and configured
 * tokens that were sent to it. Each once, in the chain's order, whatever it holds.
 */
import { pad, toEventSelector } from "viem"
import type { Hex, PublicClient } from "viem"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Place } from "../observe/Receipt.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { walkLogs } from "./Logs.ts"
import type { LogFilter } from "./Logs.ts"

/** What a node filters by; what the logs then mean is decoded in the domain. */
const DEPOSITS = [
  toEventSelector("RelayNativeDeposit(address,uint256,bytes32)"),
  toEventSelector("RelayErc20Deposit(address,address,uint256,bytes32)")
]
const TRANSFERS = [toEventSelector("Transfer(address,address,uint256)")]

/** Configured tokens that were sent to an account. */
export const transfersTo = (account: Hex, tokens: ReadonlyArray<Hex>): LogFilter => ({
  addresses: tokens,
  topics: [TRANSFERS, null, [pad(account)]]
})

/** Read as it is walked along: who stops early asks for no more. */
export const candidatesIn = async function*(
  client: PublicClient,
  chain: Chain,
  from: bigint,
  to: bigint
): AsyncGenerator<Place, void> {
  const depository = viemHex(chain.depository)
  const tokens = chain.currencies.filter(({ isNative }) => !isNative).map(({ address }) => viemHex(address))
  const filters = [{ addresses: [depository], topics: [DEPOSITS] }, transfersTo(depository, tokens)]
  let last: Place | undefined
  for await (const { blockHash, blockNumber, transactionHash } of walkLogs(client, filters, from, to)) {
    // Logs of one transaction are beside each other.
    if (last?.transactionHash === transactionHash && last.blockHash === blockHash) continue
    last = { blockHash, blockNumber, transactionHash }
    yield last
  }
}
