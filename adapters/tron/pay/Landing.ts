/**
 * Where a payment stands, as one node shows it: in a block, waiting, or dead (TRON-9).
 *
 * SECURITY: a dead payment is signed again. "The node does not know it" proves nothing: nodes are behind, lose what
 * waits, and keep only a part of history. So the solidified part must have passed the expiration before it is asked,
 * must hold the block that the payment names, and must be no further back afterwards.
 */
import { Effect, Schema } from "effect"
import type { PaymentOutcome } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { deliveredBy, hasDelivered } from "../../../src/domain/families/tron/payment/Delivered.ts"
import { isPast } from "../../../src/domain/families/tron/payment/Lifetime.ts"
import type { StoredPayment } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { isNothing } from "../decode/NodeAnswers.ts"
import { logsIn, RawInfo } from "../decode/PaymentAnswers.ts"
import { assertOn, blockAt, newest, newestSolid, undecodable } from "../observe/ReadPlace.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import type { TronFault, TronRead } from "../rpc/TronRpc.ts"

const decodeInfo = Schema.decodeUnknownEffect(RawInfo)

/** What one part of the node knows of a transaction that is in a block. */
export const infoOf = Effect.fnUntraced(
  function*(
    part: TronNode["wallet"],
    id: string,
    deadline: number
  ): Effect.fn.Return<RawInfo | undefined, TronFault> {
    const answer = yield* part("gettransactioninfobyid", { value: id }, deadline)
    if (isNothing(answer)) return undefined
    const info = yield* undecodable(decodeInfo(answer))
    return info.id === id ? info : yield* Effect.fail("contradiction" as const)
  }
)

/** A transaction in a block. */
export interface Place {
  readonly block: BlockRef
  readonly info: RawInfo
}

/** Undefined when no block of the node's best chain holds it. */
export const placeOf = Effect.fnUntraced(
  function*(node: TronNode, id: string, deadline: number): Effect.fn.Return<Place | undefined, TronFault> {
    const info = yield* infoOf(node.wallet, id, deadline)
    return info === undefined
      ? undefined
      : { info, block: yield* blockAt(node, BigInt(info.blockNumber), deadline) }
  }
)

const hasRun = ({ receipt, result }: RawInfo): boolean =>
  result === undefined && (receipt?.result ?? "SUCCESS") === "SUCCESS"

/** A call that succeeded without moving the whole amount has not paid (TRON-8). */
export const hasPaid = (info: RawInfo, transaction: StoredPayment["transaction"]): boolean =>
  hasRun(info) && hasDelivered(transaction, logsIn(info.log))

/** What a call that has not paid has moved nevertheless (TRON-22). */
const partIn = (info: RawInfo, transaction: StoredPayment["transaction"]): { readonly deliveredPart?: bigint } => {
  const delivered = hasRun(info) ? deliveredBy(transaction, logsIn(info.log)) : undefined
  return delivered === undefined || delivered.moved === 0n || delivered.moved >= delivered.whole
    ? {}
    : { deliveredPart: delivered.moved }
}

/** `solid`: the newest solidified block, read before. */
const isFinal = Effect.fnUntraced(
  function*(
    node: TronNode,
    { finality }: Chain,
    { block, info }: Place,
    solid: BlockRef,
    deadline: number
  ): Effect.fn.Return<boolean, TronFault> {
    if (finality._tag !== "Tag") {
      return block.height <= (yield* newest(node, deadline)).height - BigInt(finality.blocks)
    }
    if (block.height > solid.height) return false
    const [seen, there] = yield* Effect.all([
      infoOf(node.solidity, info.id, deadline),
      blockAt({ wallet: node.solidity }, block.height, deadline)
    ], { concurrency: "unbounded" })
    // The two parts are apart: they may be two nodes, of which one is on a fork.
    return seen?.blockNumber === info.blockNumber && there.hash === block.hash
      ? true
      : yield* Effect.fail("behind" as const)
  }
)

/** Whether the node keeps it for a coming block. Not every node says so, which then only means to send it again. */
const isWaiting = ({ wallet }: TronNode, id: string, deadline: number): Effect.Effect<boolean> =>
  Effect.orElseSucceed(
    Effect.map(wallet("gettransactionfrompending", { value: id }, deadline), (answer) => !isNothing(answer)),
    () => false
  )

/** Whether the node's solidified chain proves that no block will hold any of them. */
const isExpired = Effect.fnUntraced(
  function*(
    node: TronNode,
    chain: Chain,
    payments: ReadonlyArray<StoredPayment>,
    solid: BlockRef,
    deadline: number
  ): Effect.fn.Return<boolean, TronFault> {
    if (!payments.every(({ expiration }) => isPast(solid, expiration))) return false
    for (const { reference, transaction: { id } } of payments) {
      const [info, sent] = yield* Effect.all([
        infoOf(node.solidity, id, deadline),
        node.solidity("gettransactionbyid", { value: id }, deadline),
        // A node that does not reach so far back fails here.
        blockAt({ wallet: node.solidity }, reference, deadline)
      ], { concurrency: "unbounded" })
      if (info !== undefined || !isNothing(sent)) return yield* Effect.fail("behind" as const)
    }
    const [after] = yield* Effect.all([newestSolid(node, deadline), assertOn(node, chain, deadline)], {
      concurrency: "unbounded"
    })
    return after.height < solid.height ? yield* Effect.fail("behind" as const) : true
  }
)

/** What the transfer that funds a sweep has taken from the solver's account, in sun, and whether that can change. */
const fundingPaid = Effect.fnUntraced(
  function*(
    node: TronNode,
    chain: Chain,
    { expiration, funding }: StoredPayment,
    solid: BlockRef,
    deadline: number
  ): Effect.fn.Return<{ readonly sun: bigint; readonly final: boolean }, TronFault> {
    if (funding === undefined) return { sun: 0n, final: true }
    const { act, id } = funding.transaction
    const place = yield* placeOf(node, id, deadline)
    // The address had the TRX from elsewhere, while a reorg has taken the transfer back.
    if (place === undefined) return { sun: 0n, final: isPast(solid, expiration) }
    const amount = act._tag === "Transfer" ? act.amount : 0n
    return { sun: amount + BigInt(place.info.fee ?? 0), final: yield* isFinal(node, chain, place, solid, deadline) }
  }
)

/** A variant of a payment, as it is stored. */
export interface DecodedVariant extends StoredPayment {
  readonly transactionId: TransactionId
  /** A deposit address has made it, not the solver's account. */
  readonly isSweep: boolean
}

/** `variants`: oldest first. */
export const readOutcome = (chain: Chain, variants: ReadonlyArray<DecodedVariant>): TronRead<PaymentOutcome> =>
  Effect.fnUntraced(function*(node, deadline): Effect.fn.Return<PaymentOutcome, TronFault> {
    // The solidified block first: what the node shows afterwards is at least as new.
    const solid = yield* newestSolid(node, deadline)
    for (const variant of variants) {
      const { isSweep, transaction, transactionId } = variant
      const place = yield* placeOf(node, transaction.id, deadline)
      if (place === undefined) continue
      const funded = yield* fundingPaid(node, chain, variant, solid, deadline)
      return {
        _tag: "Included",
        transactionId,
        block: place.block,
        succeeded: hasPaid(place.info, transaction),
        ...partIn(place.info, transaction),
        // Of a sweep the address pays the fee itself, from what it was sent.
        gasPaid: isSweep ? funded.sun : BigInt(place.info.fee ?? 0),
        final: (yield* isFinal(node, chain, place, solid, deadline)) && funded.final
      }
    }
    const last = variants.at(-1)
    if (last !== undefined && (yield* isWaiting(node, last.transaction.id, deadline))) return { _tag: "Pending" }
    return { _tag: (yield* isExpired(node, chain, variants, solid, deadline)) ? "Expired" : "Unseen" }
  })
