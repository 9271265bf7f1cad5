/** Deposits that a test signs itself: to send them again after a reorg, or to send what no honest client sends. */
import { Effect } from "effect"
import { keccak256 } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { orderIdOf } from "./Misbehaving.ts"
import { reader } from "./Client.ts"
import type { QuoteAnswer } from "./Client.ts"

export interface DepositChanges {
  readonly value?: bigint
  /** The order that is named, 32 bytes. */
  readonly orderId?: Hex
  /** The depositor that the event names, 20 bytes. The caller can choose any. */
  readonly depositor?: Hex
  /** Added to the quoted tip per gas, to come first in a block. */
  readonly extraTip?: bigint
}

/** The raw transaction of the quote's deposit step on any of the chains, with the changes. */
export const signDeposit = (anvil: Anvil, key: Hex, quoted: QuoteAnswer, changes: DepositChanges = {}) =>
  Effect.promise(async () => {
    const data = quoted.steps[0]?.items[0]?.data
    if (data === undefined) throw new Error("the quote has no deposit step")
    const account = privateKeyToAccount(key)
    const { depositor, extraTip = 0n, orderId = orderIdOf(quoted), value = BigInt(data.value) } = changes
    const named = depositor === undefined ? data.data.slice(10, 74) : depositor.slice(2).padStart(64, "0")
    const tip = BigInt(data.maxPriorityFeePerGas) + extraTip
    return account.signTransaction({
      type: "eip1559",
      chainId: anvil.chainId,
      nonce: await reader(anvil).getTransactionCount({ address: account.address }),
      to: data.to,
      data: `0x${data.data.slice(2, 10)}${named}${orderId.slice(2)}`,
      value,
      gas: 150_000n,
      maxFeePerGas: BigInt(data.maxFeePerGas) + extraTip + tip,
      maxPriorityFeePerGas: tip
    })
  })

/** A plain transfer of native currency, with or without an order. A deposit address may have code. */
export const signTransfer = (anvil: Anvil, key: Hex, to: Hex, value: bigint) =>
  Effect.promise(async () => {
    const account = privateKeyToAccount(key)
    const nonce = await reader(anvil).getTransactionCount({ address: account.address })
    return account.signTransaction({
      type: "eip1559",
      chainId: anvil.chainId,
      nonce,
      to,
      value,
      gas: 60_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n
    })
  })

/** Sends a raw transaction to the chain without waiting for a block. Returns its hash. */
export const sendRaw = (anvil: Anvil, raw: Hex) =>
  Effect.as(anvil.request("eth_sendRawTransaction", [raw]), keccak256(raw))
