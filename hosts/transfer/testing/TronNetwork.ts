/**
 * Two EVM chains, a Tron chain, and a transfer host over the three, with the environment that an operator would set.
 * Blocks of the Tron chain come on command.
 */
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { encodeFunctionData, erc20Abi } from "viem"
import { tronSlug } from "../../localnet/nodes/tron/TronChain.ts"
import { solver, Tron } from "../../localnet/nodes/tron/Tron.ts"
import { toEvm } from "../../localnet/nodes/tron/node/Account.ts"
import { keyOf } from "../../localnet/nodes/tron/node/LocalKey.ts"
import { slowingBlocks } from "./SlowingBlocks.ts"
import { hostsOver, startNetwork } from "./TransferNetwork.ts"
import type { Network } from "./TransferNetwork.ts"

export const TRX = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"

/** An account that nobody has used. */
export const newTronAddress = (): string => keyOf(`0x${randomBytes(32).toString("hex")}`).address

/** Adds the chain to a network, and to the environment of its hosts. */
export const tronOver = Effect.fnUntraced(function*(evm: Network) {
  // Deposits are judged by the time of their block.
  const tron = yield* Tron.start({ atClock: true })
  const wallet = yield* tron.wallet("somebody")
  const other = yield* tron.wallet("somebody else")
  const environment: Readonly<Record<string, string>> = {
    ...evm.environment,
    CHAINS: `${evm.environment["CHAINS"]},${tronSlug}`,
    TRON_RPC_URL: tron.url,
    TRON_SOLVER_PRIVATE_KEY: solver.privateKey,
    DEPOSIT_ADDRESS_SEED: `0x${randomBytes(32).toString("hex")}`
  }
  return {
    ...evm,
    environment,
    tron,
    wallet,
    other,
    tronSolver: solver,
    /** Units of a currency that an account holds at the newest block. */
    heldOnTron: (currency: string, of: string) =>
      Effect.promise(async () => {
        const { evm: node, ledger: { tip } } = tron.chain
        const holder = toEvm(of)
        if (currency === TRX) return node.balance(holder, tip.evmHeight)
        const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [holder] })
        const answer = await node.call({ from: holder, to: toEvm(currency), data }, tip.evmHeight)
        return BigInt(answer.data)
      }),
    /** Blocks come while this runs, and soon are solidified. */
    whileMining: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.raceFirst(body, slowingBlocks(tron.mine(7))),
    ...hostsOver(environment)
  }
})

export const startTronNetwork = Effect.flatMap(startNetwork, tronOver)
