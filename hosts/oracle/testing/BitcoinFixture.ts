/**
 * The Bitcoin fixture: the local chain behind three nodes and an explorer, each of which can fail or lie, a hub with
 * its gate, and an oracle configured by environment variables alone. Blocks are mined on command.
 */
import { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import { generatePrivateKey } from "viem/accounts"
import type { BitcoinOptions } from "../../localnet/nodes/bitcoin/Bitcoin.ts"
import type { NodeFault } from "../../localnet/nodes/NodeFault.ts"
import { Bitcoin } from "../../localnet/nodes/bitcoin/Bitcoin.ts"
import type { BitcoinKey } from "../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { keyOfName } from "../../localnet/nodes/bitcoin/node/LocalKey.ts"
import type { Paid, Spent } from "../../localnet/nodes/bitcoin/node/Payment.ts"
import { signed } from "../../localnet/nodes/bitcoin/node/Payment.ts"
import { serve } from "../../localnet/nodes/bitcoin/node/rpc/Server.ts"
import { startHubFixture } from "./HubFixture.ts"
import { faultyEndpoints } from "./FaultyEndpoints.ts"

export const BTC = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8"
/** Blocks on top of a block that make it final. */
export const FINAL_AFTER = 6
export const COIN = 10_000_000n
export const FEE = 1_000n

const keyNamed = (name: string): BitcoinKey => keyOfName(`causeway.test.bitcoin.${name}`)

export const startBitcoinFixture = Effect.fnUntraced(
  function*(access: NonNullable<BitcoinOptions["access"]>, explorer: Readonly<Record<string, string>>) {
    const [user, other, solver] = [keyNamed("user"), keyNamed("other"), keyNamed("solver")]
    const depository = keyOfName("causeway.local.bitcoin.depository")
    const bitcoin = yield* Bitcoin.start({ access })
    const { chain } = bitcoin
    const { misbehave, urls } = yield* faultyEndpoints((port, fault: () => NodeFault | undefined) =>
      serve(chain, port, { node: fault, explorer: () => undefined }, { kind: "key", key: generatePrivateKey() })
    )
    const fixture = yield* startHubFixture({
      slug: "bitcoin-local",
      family: "bitcoin-vm",
      network: "regtest",
      native: BTC,
      depository: depository.address,
      environment: {
        BITCOIN_RPC_URL: urls.join(","),
        BITCOIN_ESPLORA_COMPATIBLE_API_URL: bitcoin.explorerUrl,
        BITCOIN_EXPLORER_TOKEN_URL: bitcoin.tokenUrl,
        ...explorer
      }
    })

    /** Makes a coin of this key, in a block. */
    const coin = Effect.fnUntraced(function*(key: BitcoinKey, value: bigint = COIN) {
      const { id, index } = yield* Effect.promise(() => chain.fund(key.script, value))
      yield* bitcoin.mine()
      return { id, index, value, key } satisfies Spent
    })
    /** Spends coins for outputs, and returns the rest less the fee to their first owner. The id, in no block yet. */
    const send = (inputs: ReadonlyArray<Spent>, outputs: ReadonlyArray<Paid>, fee = FEE) =>
      Effect.promise(() => {
        const left = inputs.reduce((sum, { value }) => sum + value, 0n) - outputs.reduce((sum, { amount }) =>
          sum + amount, 0n) -
          fee
        const [first] = inputs
        return chain.submit(
          signed({
            inputs,
            outputs: left > 546n && first !== undefined
              ? [...outputs, { script: first.key.script, amount: left }]
              : outputs
          }).toBuffer()
        )
      })
    const finalize = bitcoin.mine(FINAL_AFTER + 1)
    /** The same with a new coin of the key, and final. */
    const done = Effect.fnUntraced(function*(key: BitcoinKey, ...outputs: ReadonlyArray<Paid>) {
      const id = yield* send([yield* coin(key)], outputs)
      yield* finalize
      return id
    })
    const into = (amount: bigint): Paid => ({ script: depository.script, amount })

    /** A signed order from bitcoin to the given payment; `changes` are made before signing. */
    const order = (amount: bigint, payment: Parameters<typeof fixture.order>[1], changes?: object) =>
      fixture.order(amount, payment, chain.ledger.tip.block.timestamp + 360_000, changes)

    return {
      ...fixture,
      bitcoin,
      chain,
      user,
      other,
      solver,
      depository,
      misbehave,
      coin,
      send,
      finalize,
      done,
      into,
      order,
      transaction: (id: string): Transaction => chain.ledger.transaction(id) ?? new Transaction()
    }
  }
)
