/**
 * EIP-1271: asks a contract whether a signature is its own.
 *
 * SECURITY: the caller chooses the contract, which may answer anything. It is called raw: viem's `call` would follow a
 * revert that asks for an off-chain lookup (EIP-3668), and fetch an address of the contract's choice from within our
 * network. The contract gets a bounded amount of gas, and only the standard's exact word counts as a yes.
 */
import { Effect, Layer } from "effect"
import { BaseError, encodeFunctionData, numberToHex, parseAbi } from "viem"
import type { PublicClient } from "viem"
import { ContractWallets } from "../../../ports/chain/ContractWallets.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"

const abi = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])

/** A wallet's yes: the function's selector, at the left of a word. */
const YES = `0x1626ba7e${"0".repeat(56)}`

/** Many times what a wallet with many owners needs. */
const GAS = numberToHex(3_000_000)

/**
 * How nodes say that the call ran and did not return: geth's messages, and other nodes' that start with "EVM error".
 */
const ENDED_BADLY = /revert|opcode|out of gas|stack (?:under|over)flow|invalid jump|^evm error/iu

/** The node executed the call and reports how it ended. Every other error is the node's own problem. */
const didNotReturn = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof BaseError && ENDED_BADLY.test(cause.details)) !== null

const ask = async (client: PublicClient, to: string, data: `0x${string}`): Promise<boolean> => {
  try {
    return (await client.request({ method: "eth_call", params: [{ to: viemHex(to), data, gas: GAS }, "latest"] }))
      .toLowerCase() === YES
  } catch (error) {
    if (didNotReturn(error)) return false
    throw error
  }
}

export const layer = Layer.effect(
  ContractWallets,
  Effect.gen(function*() {
    const { call } = yield* EthereumRpc
    return ContractWallets.of({
      hasSigned: (chain, wallet, digest, signature) => {
        const data = encodeFunctionData({ abi, args: [viemHex(digest), viemHex(signature)] })
        return call(chain, "isValidSignature", (client) => ask(client, wallet, data))
      }
    })
  })
)
