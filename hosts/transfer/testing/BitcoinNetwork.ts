/**
 * Two EVM chains, a Bitcoin chain, and a transfer host over the three, with the environment that an operator would set.
 * Blocks of the Bitcoin chain come on command.
 */
import { assert } from "@effect/vitest"
import { networks } from "bitcoinjs-lib"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { walletsOn } from "../../../src/domain/families/bitcoin/steps/testing/Wallets.ts"
import type { Wallet } from "../../../src/domain/families/bitcoin/steps/testing/Wallets.ts"
import { Bitcoin } from "../../localnet/nodes/bitcoin/Bitcoin.ts"
import { bitcoinSlug } from "../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { hostsOver, startNetwork } from "./TransferNetwork.ts"
import type { Network } from "./TransferNetwork.ts"

export const BTC = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8"

/** Blocks that make what is in the block before them final. */
export const FINAL_AFTER = 6

const ONE = 100_000_000n
const SOLVER_COINS = 10

/** Adds the chain to a network, and to the environment of its hosts. */
export const bitcoinOver = Effect.fnUntraced(function*(evm: Network) {
  const bitcoin = yield* Bitcoin.start()
  const solver = keyOf(new Uint8Array(randomBytes(32)))
  /** New coins of a script, in a block. */
  const give = Effect.fnUntraced(function*(script: Uint8Array, ...amounts: ReadonlyArray<bigint>) {
    for (const amount of amounts) yield* Effect.promise(() => bitcoin.chain.fund(script, amount))
    yield* bitcoin.mine()
  })
  yield* give(solver.script, ...Array.from({ length: SOLVER_COINS }, () => ONE))
  const environment: Readonly<Record<string, string>> = {
    ...evm.environment,
    CHAINS: `${evm.environment["CHAINS"]},${bitcoinSlug}`,
    BITCOIN_RPC_URL: bitcoin.url,
    BITCOIN_ESPLORA_COMPATIBLE_API_URL: bitcoin.explorerUrl,
    BITCOIN_SOLVER_PRIVATE_KEY: `0x${Buffer.from(solver.privateKey).toString("hex")}`,
    DEPOSIT_ADDRESS_SEED: `0x${randomBytes(32).toString("hex")}`
  }
  return {
    ...evm,
    environment,
    bitcoin,
    bitcoinSolver: solver,
    give,
    /** A user of its own, with an address of this kind and these coins in a block. */
    wallet: Effect.fnUntraced(function*(kind: Wallet["kind"], ...amounts: ReadonlyArray<bigint>) {
      const wallets = walletsOn(networks.regtest, new Uint8Array(randomBytes(32)))
      const wallet = wallets.find((each) => each.kind === kind) ?? assert.fail(`no ${kind} address`)
      yield* give(wallet.script, ...amounts)
      return wallet
    }),
    /** What an address holds in blocks and nothing in a block has spent. Satoshi. */
    heldOnBitcoin: (address: string) =>
      bitcoin.chain.ledger.coinsOf(address).reduce((sum, { value }) => sum + value, 0n),
    ...hostsOver(environment)
  }
})

export const startBitcoinNetwork = Effect.flatMap(startNetwork, bitcoinOver)
