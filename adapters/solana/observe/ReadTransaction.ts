/**
 * One transaction as one endpoint shows it at commitment finalized, with the slot that is final for it (SOLANA-1,
 * QUORUM-1): two rounds of requests.
 *
 * Reads the final slot and the transaction, then the block of its slot, whose time must be the transaction's. A
 * transaction that is not finalized is looked up once more as confirmed, to report that it is in flight; it is never
 * final, whatever the heads say. An endpoint that contradicts itself, or is on another cluster, has no vote. An
 * endpoint whose history does not begin with the chain's has no vote about a missing transaction.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { FinalitySeen, Heads } from "../../../src/domain/evidence/Finality.ts"
import { depositsOf } from "../../../src/domain/families/solana/evidence/Deposits.ts"
import type { SvmDepository } from "../../../src/domain/families/solana/evidence/SvmDepository.ts"
import { withdrawalsOf } from "../../../src/domain/families/solana/evidence/ExecutedWithdrawals.ts"
import { orderIdsOf, paymentsOf } from "../../../src/domain/families/solana/evidence/Payments.ts"
import { vaultOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import type { SvmTransaction } from "../../../src/domain/families/solana/evidence/SvmTransaction.ts"
import type { Observation } from "../../../src/domain/evidence/TransactionEvidence.ts"
import type { EndpointReading } from "../../../src/domain/quorum/AgreeSoFar.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { JsonRpc } from "../../quorum/rpc/JsonRpc.ts"
import type { RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"
import { RawBlock, RawTransaction, Slot } from "../decode/NodeAnswers.ts"
import { decodeTransaction } from "../decode/WireTransaction.ts"
import { NEWEST_VERSION } from "../rpc/TransactionVersion.ts"

type Commitment = "confirmed" | "finalized"

const decodeSlot = Schema.decodeUnknownEffect(Slot)
const decodeBlock = Schema.decodeUnknownEffect(RawBlock)
const decodeRaw = Schema.decodeUnknownEffect(Schema.NullOr(RawTransaction))

export const undecodable = Effect.mapError((): ReadFault => "undecodable")

export const slotCall = (commitment: Commitment): RpcCall => ({ method: "getSlot", params: [{ commitment }] })
export const genesisCall: RpcCall = { method: "getGenesisHash", params: [] }

const transactionCall = (id: TransactionId, commitment: Commitment): RpcCall => ({
  method: "getTransaction",
  params: [id, { commitment, encoding: "base64", maxSupportedTransactionVersion: NEWEST_VERSION }]
})

export const blockCall = (slot: number, commitment: Commitment): RpcCall => ({
  method: "getBlock",
  params: [slot, {
    commitment,
    transactionDetails: "none",
    rewards: false,
    maxSupportedTransactionVersion: NEWEST_VERSION
  }]
})

export const asSlot = (answer: unknown) => undecodable(decodeSlot(answer))
export const asBlock = (answer: unknown) => undecodable(decodeBlock(answer))

/** True on the configured cluster. False when the configuration names no genesis. */
export const isGenesis = ({ genesisHash }: Pick<Chain, "genesisHash">, answer: unknown): boolean =>
  genesisHash !== undefined && answer === genesisHash

/** A failed transaction moved only its fee. No program of this family makes an order's calls. */
const factsOf = (shown: SvmTransaction | undefined, depository: SvmDepository) =>
  shown === undefined
    ? { outcome: "reverted", deposits: [], payments: [], orderIds: [], routerCalls: [], withdrawals: [] } as const
    : {
      outcome: "succeeded",
      deposits: depositsOf(shown, depository),
      payments: paymentsOf(shown, depository),
      orderIds: orderIdsOf(shown),
      routerCalls: [],
      withdrawals: withdrawalsOf(shown, depository.program)
    } as const

/** A confirmed transaction may become final between two answers. The next reading will see it finalized. */
const finalitySeen = (chain: Chain, at: BlockRef, commitment: Commitment, heads: Heads): FinalitySeen =>
  finalityOf(
    chain.finality,
    at,
    commitment === "finalized" || heads.finalHeight < at.height ? heads : { ...heads, finalHeight: at.height - 1n }
  )

/** The transaction as found at a commitment, with its block. */
const shownAt = Effect.fnUntraced(function*(
  rpc: JsonRpc,
  chain: Chain,
  id: TransactionId,
  raw: RawTransaction,
  commitment: Commitment,
  deadline: number
): Effect.fn.Return<EndpointReading["observedAt"], ReadFault> {
  const vault = vaultOf(chain.depository)
  if (vault === undefined) return yield* Effect.fail("undecodable" as const)
  const decoded = yield* undecodable(Effect.fromResult(decodeTransaction(raw, chain.depository)))
  const [answer] = yield* rpc.batch([blockCall(raw.slot, commitment)], deadline)
  const { blockTime, blockhash } = yield* asBlock(answer)
  if (decoded.id !== id || blockTime !== raw.blockTime) return yield* Effect.fail("contradiction" as const)
  const at = { height: BigInt(raw.slot), hash: blockhash, time: blockTime }
  const facts = factsOf(raw.meta.err === null ? decoded.transaction : undefined, { program: chain.depository, vault })
  return (heads): Observation => ({
    _tag: "Transaction",
    chain: chain.slug,
    transactionId: id,
    block: at,
    finality: finalitySeen(chain, at, commitment, heads),
    ...facts
  })
})

/**
 * Only a node with the complete past can say that a transaction is missing: nodes prune their ledgers, and answer null
 * for pruned transactions too. Asked after the null answer, so that it was true when the null was given.
 */
const absent = Effect.fnUntraced(
  function*(
    rpc: JsonRpc,
    chain: Chain,
    transactionId: TransactionId,
    deadline: number
  ): Effect.fn.Return<EndpointReading["observedAt"], ReadFault> {
    const [first] = yield* rpc.batch([{ method: "getFirstAvailableBlock", params: [] }], deadline)
    if ((yield* asSlot(first)) > 0) return yield* Effect.fail("pruned" as const)
    return (): Observation => ({ _tag: "Absent", chain: chain.slug, transactionId })
  }
)

/** `verify` also asks for the cluster: the endpoint may have moved to another cluster since the last check. */
export const readTransaction: FamilyReader["read"] = Effect.fnUntraced(function*(rpc, chain, id, { deadline, verify }) {
  const asked = [slotCall("finalized"), transactionCall(id, "finalized"), ...(verify ? [genesisCall] : [])]
  const [slot, found, genesis] = yield* rpc.batch(asked, deadline)
  if (verify && !isGenesis(chain, genesis)) return yield* Effect.fail("wrong-chain" as const)
  const finalHeight = BigInt(yield* asSlot(slot))
  const raw = yield* undecodable(decodeRaw(found))
  // Finality by tag needs no times.
  const heads = { finalHeight, head: { height: finalHeight, time: 0 } }
  if (raw !== null) return { heads, observedAt: yield* shownAt(rpc, chain, id, raw, "finalized", deadline) }
  const [newest, young] = yield* rpc.batch([slotCall("confirmed"), transactionCall(id, "confirmed")], deadline)
  const height = BigInt(yield* asSlot(newest))
  const pending = yield* undecodable(decodeRaw(young))
  return pending === null
    ? { heads, observedAt: yield* absent(rpc, chain, id, deadline) }
    : {
      heads: { finalHeight, head: { height, time: 0 } },
      observedAt: yield* shownAt(rpc, chain, id, pending, "confirmed", deadline)
    }
})
