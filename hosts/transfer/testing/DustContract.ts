/** A stranger's contracts that deposit dust a given number of times in one transaction. */
import { Effect } from "effect"
import { concatHex, createWalletClient, encodeFunctionData, erc20Abi, http, pad, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as depositoryAbi } from "../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { addressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { reader, sendCall } from "./Client.ts"
import { USDC } from "./Tokens.ts"

/** Calls the address in its first word as often as its second says, with the 68 bytes that follow. */
const REPEATS: Hex =
  "0x6029600c60003960296000f3604460406000376020355b8015602757600060006044600060006000355af15060019003600a565b00"

/** The same with a wei each. Before every call it hashes the last 32 of the 68 bytes. */
const HASHES: Hex = concatHex([
  "0x6031600c60003960316000f3",
  "0x604460406000376020355b8015602f57",
  "0x6020602420602452",
  "0x600060006044600060016000355af150",
  "0x60019003600a565b00"
])

/** The same with a wei each, and the 68 bytes unchanged. */
const PAYS: Hex =
  "0x6029600c60003960296000f3604460406000376020355b8015602757600060006044600060016000355af15060019003600a565b00"

const deployed = (anvil: Anvil, key: Hex, data: Hex) =>
  Effect.promise(async () => {
    const hash = await createWalletClient({ account: privateKeyToAccount(key), transport: http(anvil.url) })
      .sendTransaction({ data, chain: null })
    return (await reader(anvil).waitForTransactionReceipt({ hash })).contractAddress ?? "0x"
  })

/** Transfers of one unit of a token that name no order. Each call of the result is a transaction with this many. */
export const nameless = Effect.fnUntraced(function*(anvil: Anvil, key: Hex, each: number, transactions: number) {
  const contract = yield* deployed(anvil, key, REPEATS)
  yield* sendCall(anvil, key, {
    to: USDC.address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [contract, BigInt(each * transactions)] })
  })
  const inner = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [addressOf("Depository"), 1n] })
  return () =>
    sendCall(anvil, key, {
      to: contract,
      gas: 16_000_000n,
      data: concatHex([pad(USDC.address), toHex(each, { size: 32 }), inner])
    })
})

/** Deposits of a wei, each under its own id that is not an order's, or all under one id. Fits the chain's blocks. */
export const named = Effect.fnUntraced(function*(anvil: Anvil, key: Hex, each: number, order?: Hex) {
  yield* anvil.request("evm_setBlockGasLimit", ["0x5f5e100"])
  const contract = yield* deployed(anvil, key, order === undefined ? HASHES : PAYS)
  let seed = 0
  return () => {
    seed += 1
    const inner = encodeFunctionData({
      abi: depositoryAbi,
      functionName: "depositNative",
      args: [contract, order ?? toHex(seed, { size: 32 })]
    })
    return sendCall(anvil, key, {
      to: contract,
      gas: 90_000_000n,
      value: BigInt(each),
      data: concatHex([pad(addressOf("Depository")), toHex(each, { size: 32 }), inner])
    })
  }
})
