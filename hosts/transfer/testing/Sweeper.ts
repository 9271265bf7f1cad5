/**
 * A stranger who tries to sweep other users' deposit addresses: what he learns from the chain, and how he chooses the
 * moment.
 */
import { Effect } from "effect"
import { erc20Abi, parseEventLogs } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as depositoryAbi } from "../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { addressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { reader } from "./Client.ts"
import { holdMining, resumeMining } from "./Misbehaving.ts"
import { sendRaw } from "./SignedDeposit.ts"
import type { TestCurrency } from "./Tokens.ts"

/** The inputs of an address, which the first sweep of a token there has made public. */
export const learnOrder = (anvil: Anvil, depositAddress: Hex, token: TestCurrency) =>
  Effect.promise(async () => {
    const client = reader(anvil)
    const [swept] = await client.getContractEvents({
      abi: erc20Abi,
      address: token.address,
      eventName: "Transfer",
      args: { from: depositAddress, to: addressOf("Depository") },
      fromBlock: 0n
    })
    if (swept === undefined) throw new Error("nothing was swept there yet")
    const { logs } = await client.getTransactionReceipt({ hash: swept.transactionHash })
    const [deposit] = parseEventLogs({ abi: depositoryAbi, eventName: "RelayErc20Deposit", logs })
    if (deposit === undefined) throw new Error("nothing was deposited")
    return { orderId: deposit.args.id, depositor: deposit.args.from }
  })

interface Call {
  readonly key: Hex
  readonly to: Hex
  readonly value?: bigint
  readonly data?: Hex
}

/** Nodes order a block by the offered fee per gas. */
const sign = (anvil: Anvil, { key, ...call }: Call, offered: bigint) =>
  Effect.promise(async () => {
    const account = privateKeyToAccount(key)
    const nonce = await reader(anvil).getTransactionCount({ address: account.address })
    return account.signTransaction({
      type: "eip1559",
      chainId: anvil.chainId,
      nonce,
      ...call,
      gas: 2_000_000n,
      maxFeePerGas: offered,
      maxPriorityFeePerGas: 1_000n
    })
  })

/**
 * Native payments to addresses, and in the same block a call that sweeps them, without other transactions in between.
 */
export const sweepWithPayments = Effect.fnUntraced(function*(
  anvil: Anvil,
  payments: ReadonlyArray<Call>,
  sweep: Call
) {
  yield* holdMining(anvil)
  for (const payment of payments) yield* sendRaw(anvil, yield* sign(anvil, payment, 10n ** 11n))
  const hash = yield* sendRaw(anvil, yield* sign(anvil, sweep, 10n ** 10n))
  yield* anvil.mine(1)
  yield* resumeMining(anvil)
  const receipt = yield* Effect.promise(() => reader(anvil).waitForTransactionReceipt({ hash }))
  if (receipt.status !== "success") return yield* Effect.die(new Error("the stranger's sweep reverted"))
})
