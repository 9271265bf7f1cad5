/** A local Bitcoin chain for tests of the ports: a user with coins in blocks, a depository, and nodes that can fail. */
import { Effect, Redacted, Result } from "effect"
import type { NodeFault } from "../../../hosts/localnet/nodes/NodeFault.ts"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import { Bitcoin } from "../../../hosts/localnet/nodes/bitcoin/Bitcoin.ts"
import type { BitcoinKey } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import { keyOfName } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import { saying, signed } from "../../../hosts/localnet/nodes/bitcoin/node/Payment.ts"
import type { Paid, Spent } from "../../../hosts/localnet/nodes/bitcoin/node/Payment.ts"
import { serve } from "../../../hosts/localnet/nodes/bitcoin/node/rpc/Server.ts"
import { bitcoinPrefixes } from "../../../src/domain/families/bitcoin/BitcoinPrefixes.ts"
import { addressCodec } from "../../../src/domain/families/index.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { bitcoin as configured } from "../../../src/domain/quote/testing/Chains.ts"

const codec = addressCodec("bitcoin-vm", "regtest")
export const account = (text: string) => Result.getOrThrow(codec.parse(text))

/** Blocks on top of a block that make it final. */
export const FINAL_AFTER = 6
const COIN = 10_000_000n
const FEE = 1_000n

export const startLocalBitcoin = Effect.gen(function*() {
  const local = yield* Bitcoin.start()
  const [user, other, depository] = (["user", "other", "depository"] as const).map((name) =>
    keyOfName(`causeway.contracts.bitcoin.${name}`)
  ) as [BitcoinKey, BitcoinKey, BitcoinKey]
  const chain: Chain = {
    ...configured,
    network: "regtest",
    genesisHash: bitcoinPrefixes.regtest.genesis,
    depository: account(depository.address),
    finality: { _tag: "Depth", blocks: FINAL_AFTER, seconds: 0 }
  }
  /** A second node of the same chain, with faults of its own. */
  const addNode = Effect.gen(function*() {
    const port = yield* anyFree
    let fault: NodeFault | undefined
    yield* serve(local.chain, port, { node: () => fault, explorer: () => undefined }, { kind: "open" })
    return {
      url: Redacted.make(`http://127.0.0.1:${port}`),
      setFault: (next: NodeFault | undefined) => Effect.sync(() => void (fault = next))
    }
  })
  /** A coin of this key, in a block. */
  const coin = Effect.fnUntraced(function*(key: BitcoinKey) {
    const { id, index } = yield* Effect.promise(() => local.chain.fund(key.script, COIN))
    yield* local.mine()
    return { id, index, value: COIN, key } satisfies Spent
  })
  /** Spends the coins, pays the fee, and returns the rest to the first owner. In no block yet. */
  const send = Effect.fnUntraced(
    function*(inputs: readonly [Spent, ...ReadonlyArray<Spent>], outputs: ReadonlyArray<Paid>, fee = FEE) {
      const sum = (amounts: ReadonlyArray<bigint>) => amounts.reduce((total, each) => total + each, 0n)
      const amount = sum(inputs.map(({ value }) => value)) - sum(outputs.map((each) => each.amount)) - fee
      const transaction = signed({ inputs, outputs: [...outputs, { script: inputs[0].key.script, amount }] })
      const id = yield* Effect.promise(() => local.chain.submit(transaction.toBuffer()))
      return Result.getOrThrow(parseTransactionId(chain.family, id))
    }
  )
  const into = (amount: bigint): Paid => ({ script: depository.script, amount })
  return {
    ...local,
    bitcoin: chain,
    url: Redacted.make(local.url),
    user,
    other,
    depository,
    addNode,
    coin,
    send,
    into,
    saying
  }
})
