/**
 * A stranger who reads the pool: just before a fill reaches it, he makes the contract that the fill calls burn all its
 * gas, by a transaction that blocks order first. Each transfer calls a contract of its own, so that the trial of one
 * fill does not see the flag of another, which waits for the next block.
 */
import { Effect, Schema, Semaphore } from "effect"
import { createWalletClient, http, parseTransaction, toHex } from "viem"
import type { Hex, TransactionSerializable } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Anvil } from "../../../../localnet/nodes/ethereum/Anvil.ts"
import { chainOf } from "../../../testing/Client.ts"
import { lyingNode } from "../../../testing/LyingNode.ts"
import type { Lie } from "../../../testing/LyingNode.ts"
import { ON } from "../../../testing/RevertingCalls.ts"

/** The contract on beta that a transfer calls, by the transfer's number. Its code is `FLAGGED`. */
export const calledBy = (index: number): Hex => toHex(0xca11ed_0000_0000n + BigInt(index), { size: 20 })

const calledIn = (data: string): ReadonlyArray<Hex> =>
  (data.match(/ca11ed0000[0-9a-f]{4}/g) ?? []).map((found) => toHex(BigInt(`0x${found}`), { size: 20 }))

const decodeRaw = Schema.decodeUnknownSync(Schema.TemplateLiteral(["0x", Schema.String]))

/**
 * A node of this chain that tells the stranger each transaction before it takes it. He offers only a little more: fees
 * far above would be those that the next fills have to pay.
 */
export const flagFirst = Effect.fnUntraced(function*(anvil: Anvil, stranger: Hex) {
  const node = yield* lyingNode(anvil.url)
  const wallet = createWalletClient({
    account: privateKeyToAccount(stranger),
    chain: chainOf(anvil),
    transport: http()
  })
  const flagged = new Set<Hex>()
  // One after the other: the wallet asks the node for its next nonce.
  const alone = Semaphore.makeUnsafe(1)
  const flag = (to: Hex, { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }: TransactionSerializable) =>
    alone.withPermits(1)(Effect.promise(async () => {
      if (flagged.has(to)) return
      await wallet.sendTransaction({
        to,
        data: ON,
        gas: 100_000n,
        maxFeePerGas: maxFeePerGas + 1n,
        maxPriorityFeePerGas: maxPriorityFeePerGas + 1n
      })
      flagged.add(to)
    }))
  const tell: Lie = async ({ method, params }, truth) => {
    if (method === "eth_sendRawTransaction") {
      const fill = parseTransaction(decodeRaw(params?.[0]))
      const called = calledIn(fill.data ?? "0x")
      await Effect.runPromise(Effect.forEach(called, (to) => flag(to, fill), { discard: true }))
    }
    return truth()
  }
  node.lie(tell)
  return node
})
