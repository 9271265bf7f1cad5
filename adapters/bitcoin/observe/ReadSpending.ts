/**
 * Whether a withdrawal's coins are spent, as one node shows it at a final block (BITCOIN-4, QUORUM-1). The explorer's
 * hints name the spenders.
 *
 * Hints are checked, never believed. A hinted spender must be in the chain at or below that block, and spend the coin
 * by its own bytes. A coin that is hinted as unspent must be unspent, or be spent by a transaction that is not final
 * yet, or not exist. SECURITY: a node that shows none of this has no vote, so an explorer that lies or lags cannot make
 * a withdrawal unused.
 */
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { spendingOf } from "../../../src/domain/families/bitcoin/evidence/WithdrawnCoins.ts"
import type { Spending } from "../../../src/domain/families/bitcoin/evidence/WithdrawnCoins.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import type { Psbt } from "../../../src/domain/families/bitcoin/Psbt.ts"
import type { Endpoint } from "../../quorum/Endpoints.ts"
import { remaining } from "../../quorum/ReadAtFinal.ts"
import type { FinalReading, Seen } from "../../quorum/ReadAtFinal.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { Hash, Info, RawTransaction, TxOut } from "../decode/NodeAnswers.ts"
import { coinCall, hashCall, identityCall, infoCall, resultOf, resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { canonical, decodedAs, headsOf, isOnChain, readHeader } from "./ReadPlace.ts"

const infoOf = resultOf(Info)
const hashOf = resultOf(Hash)
const coinOf = resultOf(TxOut)
const rawOf = resultOrNone(RawTransaction)

/** A coin, and its spender according to an explorer. */
export interface HintedCoin extends BtcOutpoint {
  readonly spender: string | undefined
}

/**
 * `executed` and the transaction, `otherwise`, or `unused`. Texts, so that the answers of endpoints can be compared.
 */
export type SpendingSeen = "unused" | "otherwise" | `executed ${string}`

const heads = Effect.fnUntraced(
  function*(endpoint: Endpoint<CoreRpc>, chain: Chain, until: number): Effect.fn.Return<Heads, ReadFault> {
    const { rpc } = endpoint
    const [told, identity] = yield* rpc.answers([infoCall, identityCall(chain)], yield* remaining(until))
    if (!isOnChain(chain, identity)) return yield* Effect.fail("wrong-chain" as const)
    endpoint.verified = true
    const { bestblockhash } = yield* infoOf(told)
    return headsOf(chain, yield* readHeader(rpc, bestblockhash, yield* remaining(until)))
  }
)

/** The position of a transaction in the best chain. Undefined when it is not there. */
const standing = Effect.fnUntraced(function*(rpc: CoreRpc, id: string, until: number) {
  const [answer] = yield* rpc.answers([transactionCall(id, 1)], yield* remaining(until))
  const raw = yield* rawOf(answer)
  if (raw?.blockhash === undefined) return undefined
  const transaction = yield* decodedAs(id, raw.hex)
  const block = yield* readHeader(rpc, raw.blockhash, yield* remaining(until))
  return (yield* canonical(rpc, block, yield* remaining(until))) ? { transaction, block } : undefined
})

const spends = (psbt: Psbt, coin: BtcOutpoint, spender: Effect.Success<ReturnType<typeof standing>>): boolean =>
  spender?.transaction.inputs.some(({ index, transactionId }) =>
      index === coin.index && transactionId === coin.transactionId
    ) === true &&
  spendingOf(psbt, spender.transaction) !== "untouched"

/** Fails unless the node itself shows that no block spends the coin. */
const unspent = Effect.fnUntraced(
  function*(rpc: CoreRpc, { index, transactionId }: BtcOutpoint, until: number): Effect.fn.Return<void, ReadFault> {
    const [coin] = yield* rpc.answers([coinCall(transactionId, index)], yield* remaining(until))
    if ((yield* coinOf(coin)) !== null) return
    // No coin: it is spent, or never existed. An output of a transaction that is in no block cannot be spent.
    if ((yield* standing(rpc, transactionId, until)) !== undefined) return yield* Effect.fail("contradiction" as const)
  }
)

/** What one spender has done by that height. Undefined when it has done nothing. */
const doneBy = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    psbt: Psbt,
    coin: HintedCoin,
    height: bigint,
    until: number
  ): Effect.fn.Return<Exclude<Spending, "untouched"> | undefined, ReadFault> {
    const found = coin.spender === undefined ? undefined : yield* standing(rpc, coin.spender, until)
    if (found === undefined || !spends(psbt, coin, found)) {
      yield* unspent(rpc, coin, until)
      return undefined
    }
    if (found.block.height > height) return undefined
    return spendingOf(psbt, found.transaction) === "executed" ? "executed" : "otherwise"
  }
)

/** Takes the coins in the order of the PSBT. The first spent coin decides. */
export const spendingReading = (
  chain: Chain,
  psbt: Psbt,
  coins: ReadonlyArray<HintedCoin>
): FinalReading<SpendingSeen, CoreRpc> => {
  const seenAt = Effect.fnUntraced(
    function*(rpc: CoreRpc, height: bigint, until: number): Effect.fn.Return<SpendingSeen, ReadFault> {
      for (const coin of coins) {
        const done = yield* doneBy(rpc, psbt, coin, height, until)
        if (done !== undefined) return done === "executed" ? `executed ${coin.spender ?? ""}` : "otherwise"
      }
      return "unused"
    }
  )
  return {
    slug: chain.slug,
    heads: (endpoint, until) => heads(endpoint, chain, until),
    at: Effect.fnUntraced(
      function*(
        { rpc }: Endpoint<CoreRpc>,
        height: bigint,
        until: number
      ): Effect.fn.Return<Seen<SpendingSeen>, ReadFault> {
        const [answer] = yield* rpc.answers([hashCall(Number(height))], yield* remaining(until))
        const block: BlockRef = yield* readHeader(rpc, yield* hashOf(answer), yield* remaining(until))
        if (block.height !== height) return yield* Effect.fail("contradiction" as const)
        return { block, value: yield* seenAt(rpc, height, until) }
      }
    )
  }
}
