/**
 * Two EVM chains, a Solana chain, and a transfer host over the three, with the environment that an operator would set.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { Solana } from "../../localnet/nodes/solana/Solana.ts"
import type { LocalKey } from "../../localnet/nodes/solana/node/LocalKey.ts"
import { keyOfSeed } from "../../localnet/nodes/solana/node/LocalKey.ts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import * as Jupiter from "../../localnet/nodes/solana/jupiter/JupiterServer.ts"
import { genesis } from "../../localnet/nodes/solana/Genesis.ts"
import { solanaSlug } from "../../localnet/nodes/solana/SolanaChain.ts"
import { walletText } from "../../localnet/nodes/solana/SolanaKeys.ts"
import { hostsOver, startNetwork } from "./TransferNetwork.ts"
import type { Network } from "./TransferNetwork.ts"

export const SOL = "11111111111111111111111111111111"

const newKey = (): LocalKey => keyOfSeed(new Uint8Array(randomBytes(32)))

/**
 * Adds the chain to a network, and to the environment of its hosts. `slotTime`: milliseconds between slots.
 * `finalizedAfter`: how many slots later a slot is final.
 */
export const solanaOver = Effect.fnUntraced(function*(evm: Network, slotTime: number = 100, finalizedAfter?: number) {
  const [solver, allocator] = [newKey(), newKey()]
  const users = Array.from({ length: 10 }, newKey)
  const solana = yield* Solana.start({
    slotTime,
    finalizedAfter,
    genesis: genesis({
      accounts: users.map(({ address }) => address),
      solver: solver.address,
      allocator: allocator.address
    })
  })
  const jupiter = yield* Jupiter.start(solana.chain, yield* anyFree)
  const environment: Readonly<Record<string, string>> = {
    ...evm.environment,
    CHAINS: `${evm.environment["CHAINS"]},${solanaSlug}`,
    SOLANA_RPC_URL: solana.url,
    SOLANA_GENESIS_HASH: solana.chain.genesisHash,
    SOLANA_SOLVER_PRIVATE_KEY: walletText(solver),
    DEPOSIT_ADDRESS_SEED: `0x${randomBytes(32).toString("hex")}`,
    JUPITER_API_URL: jupiter.url
  }
  return {
    ...evm,
    environment,
    solana,
    jupiter,
    solanaUsers: users,
    solanaSolver: solver.address,
    /** The user of each family with this number. */
    partyOf: (index: number) => ({
      key: evm.key(index),
      evmUser: evm.user(index),
      solanaUser: users[index] ?? assert.fail(`no user ${index}`)
    }),
    ...hostsOver(environment)
  }
})

export const startSolanaNetwork = (slotTime?: number, finalizedAfter?: number) =>
  Effect.flatMap(startNetwork, (evm) => solanaOver(evm, slotTime, finalizedAfter))
