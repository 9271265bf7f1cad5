/**
 * One transaction as one endpoint of exchange B shows it (EXCHANGEB-1). Status 2 or 3: done, and final. Status 4 or 5:
 * it will never be done. Before that it is in flight.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { transferFacts } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { FinalitySeen } from "../../../src/domain/evidence/Finality.ts"
import type { Observation } from "../../../src/domain/evidence/TransactionEvidence.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { NotFound, RawTransaction, RootAnswer, TRANSFER, transferIn } from "../decode/NodeAnswers.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"

const decodeTransaction = Schema.decodeUnknownEffect(RawTransaction)
const decodeRoot = Schema.decodeUnknownEffect(RootAnswer)
const isNotFound = Schema.is(NotFound)

export const undecodable = Effect.mapError((): ReadFault => "undecodable")

/** Undefined when the endpoint knows no such transaction. */
export const readRaw = Effect.fnUntraced(
  function*(
    rpc: ExchangeBClient,
    hash: string,
    deadline: number
  ): Effect.fn.Return<RawTransaction | undefined, ReadFault> {
    const said = yield* rpc.transaction(hash, deadline)
    if (isNotFound(said)) return undefined
    const raw = yield* undecodable(decodeTransaction(said))
    return raw.hash.toLowerCase().replace(/^0x/, "") === hash.toLowerCase().replace(/^0x/, "")
      ? raw
      : yield* Effect.fail("contradiction" as const)
  }
)

/** Seconds, by the exchange's clock. */
export const readTime = (rpc: ExchangeBClient, deadline: number): Effect.Effect<number, ReadFault> =>
  Effect.map(Effect.flatMap(rpc.root(deadline), (said) => undecodable(decodeRoot(said))), ({ timestamp }) => timestamp)

const nothing = { deposits: [], payments: [], orderIds: [], routerCalls: [], withdrawals: [] } as const

export const isDone = ({ status }: RawTransaction): boolean => status === 2 || status === 3
const isOver = ({ status }: RawTransaction): boolean => status === 4 || status === 5

const factsOf = Effect.fnUntraced(function*(raw: RawTransaction, { depository, network }: Chain) {
  if (isOver(raw)) return { outcome: "reverted", ...nothing } as const
  if (raw.type !== TRANSFER) return { outcome: "succeeded", ...nothing } as const
  const shown = transferIn(raw.info)
  if (shown === undefined) return yield* Effect.fail("undecodable" as const)
  return { outcome: "succeeded", ...nothing, ...transferFacts(shown.transfer, depository, network) } as const
})

const onItsWay: FinalitySeen = { _tag: "Pending", confirmations: 0, needed: 0, secondsLeft: 0 }

export const readTransaction: FamilyReader<ExchangeBClient>["read"] = Effect.fnUntraced(
  function*(rpc, chain, id, { deadline }) {
    const raw = yield* readRaw(rpc, id, deadline)
    const none = { finalHeight: 0n, head: { height: 0n, time: 0 } }
    if (raw === undefined) {
      return { heads: none, observedAt: (): Observation => ({ _tag: "Absent", chain: chain.slug, transactionId: id }) }
    }
    const facts = yield* factsOf(raw, chain)
    const height = BigInt(raw.block_height)
    const block = { height, hash: raw.block_height.toString(), time: Math.floor(raw.queued_at / 1_000) }
    const standing = isDone(raw) || isOver(raw)
    return {
      heads: standing ? { finalHeight: height, head: { height, time: 0 } } : none,
      observedAt: (heads): Observation => ({
        _tag: "Transaction",
        chain: chain.slug,
        transactionId: id,
        block,
        finality: standing ? finalityOf(chain.finality, block, heads) : onItsWay,
        ...facts
      })
    }
  }
)
