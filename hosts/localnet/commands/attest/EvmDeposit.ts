/** A deposit of ether by viem: `depositNative` of the depository. */
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import { getAddress } from "viem/utils"
import { call } from "../demo/Wallet.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"

const abi = parseAbi(["function depositNative(address depositor, bytes32 id) payable"])

export const deposit = (
  chain: Localnet["chains"][number],
  { address, privateKey }: Localnet["accounts"][number],
  amount: bigint,
  id: `0x${string}`
) =>
  Effect.map(
    call(
      chain,
      privateKey,
      getAddress(chain.depository),
      encodeFunctionData({ abi, functionName: "depositNative", args: [getAddress(address), id] }),
      amount
    ),
    (transactionId) => ({ transactionId, depositor: address.toLowerCase() })
  )
