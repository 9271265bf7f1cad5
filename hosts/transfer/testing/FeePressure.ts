/**
 * A chain whose blocks demand higher fees than the pending transactions offer. The test controls mining meanwhile
 * (`holdMining`).
 */
import { Effect, Schema, Semaphore } from "effect"
import type { Hex } from "viem"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import type { Network } from "./TransferNetwork.ts"

const HexText = Schema.TemplateLiteral(["0x", Schema.String])
const Pooled = Schema.Struct({ hash: HexText, nonce: HexText, maxFeePerGas: HexText })
const Pool = Schema.Record(Schema.String, Schema.Record(Schema.String, Pooled))
const decodePool = Schema.decodeUnknownEffect(Schema.Struct({ pending: Pool, queued: Pool }))

export interface PooledTransaction {
  readonly hash: Hex
  readonly nonce: number
  readonly maxFeePerGas: bigint
}

/** An account's pending transactions in the node's pool, by nonce. */
export const pooled = Effect.fnUntraced(function*(anvil: Anvil, account: Hex) {
  const { pending, queued } = yield* Effect.orDie(decodePool(yield* anvil.request("txpool_content")))
  const own = [pending, queued].flatMap((pool) => Object.entries(pool)).filter(([from]) =>
    from.toLowerCase() === account.toLowerCase()
  )
  return own.flatMap(([, transactions]) => Object.values(transactions)).map((
    { hash, maxFeePerGas, nonce }
  ): PooledTransaction => ({
    hash,
    nonce: Number(nonce),
    maxFeePerGas: BigInt(maxFeePerGas)
  })).toSorted((one, other) => one.nonce - other.nonce)
})

/** Mines a block at this base fee. */
export const mineAt = (anvil: Anvil, baseFeePerGas: bigint) =>
  Effect.andThen(anvil.request("anvil_setNextBlockBaseFeePerGas", [`0x${baseFeePerGas.toString(16)}`]), anvil.mine())

/**
 * Mines blocks above the offered fees until `done`, so that no transaction of the account is mined. `alone`: a higher
 * offer reaches the node neither between the look and the block nor during either.
 */
export const priceOut = Effect.fnUntraced(
  function*<E, R>(
    anvil: Anvil,
    offered: bigint,
    done: Effect.Effect<boolean, E, R>,
    alone: Semaphore.Semaphore = Semaphore.makeUnsafe(1)
  ) {
    const step = Effect.gen(function*() {
      const over = yield* done
      if (!over) yield* mineAt(anvil, offered + 1n)
      return over
    })
    while (!(yield* alone.withPermits(1)(step))) yield* Effect.sleep(300)
  }
)

/**
 * Without a base fee gas costs the same in every block and in every run, so that caps and pages can name it to the
 * unit. The fees of the next blocks are told from those of the last.
 */
export const calm = Effect.fnUntraced(function*({ chains: { alpha, beta } }: Network) {
  for (const anvil of [alpha, beta]) yield* anvil.request("anvil_setNextBlockBaseFeePerGas", ["0x0"])
  yield* Effect.sleep("2500 millis")
})
