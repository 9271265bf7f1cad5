/**
 * Transactions in a range of blocks that may hold deposits: those with events of the depository, or with transfers of
 * configured tokens to it. Each once, in the chain's order.
 */
import { pad, toEventSelector } from "viem"
import type { Hex, PublicClient } from "viem"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Place } from "../observe/Receipt.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { walkLogs } from "./Logs.ts"
import type { LogFilter, Pace } from "./Logs.ts"

/** The filters for nodes. The domain decodes what the logs mean. */
const DEPOSITS = [
  toEventSelector("RelayNativeDeposit(address,uint256,bytes32)"),
  toEventSelector("RelayErc20Deposit(address,address,uint256,bytes32)")
]
const TRANSFERS = [toEventSelector("Transfer(address,address,uint256)")]

/** Transfers of configured tokens to an account. */
export const transfersTo = (account: Hex, tokens: ReadonlyArray<Hex>): LogFilter => ({
  addresses: tokens,
  topics: [TRANSFERS, null, [pad(account)]]
})

/** Read lazily: a caller that stops early causes no more requests. */
export const candidatesIn = async function*(
  client: PublicClient,
  chain: Chain,
  from: bigint,
  to: bigint,
  pace: Pace
): AsyncGenerator<Place, void> {
  const depository = viemHex(chain.depository)
  const tokens = chain.currencies.filter(({ isNative }) => !isNative).map(({ address }) => viemHex(address))
  const filters = [{ addresses: [depository], topics: [DEPOSITS] }, transfersTo(depository, tokens)]
  let last: Place | undefined
  for await (const { blockHash, blockNumber, transactionHash } of walkLogs(client, filters, from, to, pace)) {
    // Logs of one transaction are adjacent.
    if (last?.transactionHash === transactionHash && last.blockHash === blockHash) continue
    last = { blockHash, blockNumber, transactionHash }
    yield last
  }
}
