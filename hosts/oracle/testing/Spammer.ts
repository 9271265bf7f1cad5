/**
 * An attacker's contract that emits the events of routers, in any number and size, and makes a deposit in the same
 * transaction.
 */
import { Effect } from "effect"
import { concatHex, createWalletClient, encodeAbiParameters, encodeFunctionData, http, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi } from "../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { topics } from "../../../src/domain/families/ethereum/evidence/Events.ts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { reader } from "../../transfer/testing/Client.ts"

/**
 * The contract's code. Its calldata is the number of events, the deposit's 68 bytes, and the content of every event.
 */
const codeOf = (depository: Hex): Hex => {
  const run = concatHex([
    // The content goes to memory; its length and the count stay on the stack.
    "0x60643603806064600037600035",
    "0x5b8015603f57",
    "0x7f",
    topics.callExecuted,
    "0x826000a1",
    "0x60019003600d56",
    "0x5b",
    "0x60446020600037",
    "0x600060006044600034",
    "0x73",
    depository,
    "0x5af100"
  ])
  const length = toHex((run.length - 2) / 2, { size: 1 })
  return concatHex(["0x60", length, "0x600c600039", "0x60", length, "0x6000f3", run])
}

/** Deploys the contract and returns its address. */
export const deploySpammer = (anvil: Anvil, key: Hex, depository: Hex) =>
  Effect.promise(async () => {
    const wallet = createWalletClient({ account: privateKeyToAccount(key), transport: http(anvil.url) })
    const hash = await wallet.sendTransaction({ data: codeOf(depository), chain: null })
    return (await reader(anvil).waitForTransactionReceipt({ hash })).contractAddress ?? "0x"
  })

/**
 * Calldata that makes it emit this many events, each of a call with this many bytes, and deposit native currency under
 * an id.
 */
export const spam = (events: number, bytes: number, depositor: Hex, id: Hex): Hex =>
  concatHex([
    toHex(events, { size: 32 }),
    encodeFunctionData({ abi, functionName: "depositNative", args: [depositor, id] }),
    encodeAbiParameters([{ type: "address" }, { type: "bytes" }, { type: "uint256" }], [
      depositor,
      `0x${"ab".repeat(bytes)}`,
      7n
    ])
  ])
