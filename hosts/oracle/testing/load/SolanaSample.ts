/**
 * One final deposit on a local Solana chain, as its node shows it, for the stub's answers. The chain has ended when the
 * sample is returned.
 */
import { Effect } from "effect"
import { createNoopSigner } from "@solana/kit"
import { Solana } from "../../../localnet/nodes/solana/Solana.ts"
import { localTransaction } from "../../../localnet/nodes/solana/node/Faucet.ts"
import { keyOfName } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { depositNative } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { genesis } from "../../../localnet/nodes/solana/Genesis.ts"

export interface SolanaSample {
  readonly genesisHash: string
  readonly slot: number
  /** In the form in which `getTransaction` and `getBlock` answer. */
  readonly transaction: { readonly transaction: readonly [string, "base64"] }
  readonly block: unknown
}

const ask = async (url: string, method: string, params: ReadonlyArray<unknown>): Promise<unknown> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  const { result } = await response.json() as { readonly result: unknown }
  return result
}

export const sampleDeposit: Effect.Effect<SolanaSample> = Effect.scoped(Effect.gen(function*() {
  const [user, other] = [keyOfName("causeway.bench.user"), keyOfName("causeway.bench.other")]
  const node = yield* Effect.orDie(
    Solana.start({ genesis: genesis({ accounts: [user.address], solver: other.address, allocator: other.address }) })
  )
  const deposit = depositNative({
    sender: createNoopSigner(user.address),
    amount: 1_000_000_000n,
    id: new Uint8Array(32).fill(0xee)
  })
  const outcome = node.chain.submit(localTransaction(node.chain, [user], [deposit]))
  if (outcome._tag === "Dropped") return yield* Effect.die(new Error("the deposit was dropped"))
  yield* node.finalize
  const common = { commitment: "finalized", maxSupportedTransactionVersion: 0 }
  return yield* Effect.promise(async () => {
    const { signature } = outcome.record
    const transaction = await ask(node.url, "getTransaction", [signature, { ...common, encoding: "base64" }]) as
      & SolanaSample["transaction"]
      & { readonly slot: number }
    const block = await ask(node.url, "getBlock", [transaction.slot, {
      ...common,
      transactionDetails: "none",
      rewards: false
    }])
    const slot = await ask(node.url, "getSlot", [{ commitment: "finalized" }]) as number
    return { genesisHash: node.chain.genesisHash, slot, transaction, block }
  })
}))
