/**
 * One transaction as one node shows it, with what it spends and the heads of its chain (BITCOIN-1, QUORUM-1).
 *
 * Reads the best block and the transaction first, then the headers of both blocks, then the block at the transaction's
 * height. If that is not the transaction's block, the chain has left it, and the transaction counts as missing. So does
 * a transaction that is in no block. The node may say what the inputs spend; otherwise it is read from the earlier
 * transactions, by their own ids.
 */
import { Effect } from "effect"
import { depositsOf } from "../../../src/domain/families/bitcoin/evidence/Deposits.ts"
import type { BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { orderIdsOf, paymentsOf } from "../../../src/domain/families/bitcoin/evidence/Payments.ts"
import { pays } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { BtcDepository } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { Observation } from "../../../src/domain/evidence/TransactionEvidence.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import { Info, RawTransaction } from "../decode/NodeAnswers.ts"
import { headerCall, identityCall, infoCall, resultOf, resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { asHeader, canonical, decodedAs, headsOf, isOnChain } from "./ReadPlace.ts"
import { readSpent } from "./ReadSpent.ts"

const infoOf = resultOf(Info)
const rawOf = resultOrNone(RawTransaction)

const nothing = { deposits: [], payments: [], orderIds: [] } as const

/** Nothing more is read for a transaction that neither pays the depository nor names an order. */
const factsOf = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    transaction: BtcTransaction,
    raw: RawTransaction,
    depository: BtcDepository,
    deadline: number
  ) {
    const orderIds = orderIdsOf(transaction)
    if (orderIds.length === 0 && !transaction.outputs.some(({ script }) => pays(script, depository))) return nothing
    const spending = { ...transaction, spent: yield* readSpent(rpc, transaction, raw, deadline) }
    return { deposits: depositsOf(spending, depository), payments: paymentsOf(spending, depository), orderIds }
  }
)

/** `verify` also asks for the block that identifies the chain: the endpoint may have moved to another chain since the last check. */
export const readTransaction: FamilyReader<CoreRpc>["read"] = Effect.fnUntraced(
  function*(rpc, chain, id, { deadline, verify }) {
    const [told, found, identity] = yield* rpc.answers([
      infoCall,
      transactionCall(id, 2),
      ...(verify ? [identityCall(chain)] : [])
    ], deadline)
    if (verify && !isOnChain(chain, identity)) return yield* Effect.fail("wrong-chain" as const)
    const { bestblockhash, blocks } = yield* infoOf(told)
    const raw = yield* rawOf(found)
    const blockhash = raw?.blockhash
    const [best, placed] = yield* rpc.answers([
      headerCall(bestblockhash),
      ...(blockhash === undefined ? [] : [headerCall(blockhash)])
    ], deadline)
    const head = yield* asHeader(best, bestblockhash)
    if (head.height !== BigInt(blocks)) return yield* Effect.fail("contradiction" as const)
    const heads = headsOf(chain, head)
    const absent = { heads, observedAt: (): Observation => ({ _tag: "Absent", chain: chain.slug, transactionId: id }) }
    if (raw === undefined || blockhash === undefined) return absent
    const transaction = yield* decodedAs(id, raw.hex)
    const block = yield* asHeader(placed, blockhash)
    if (!(yield* canonical(rpc, block, deadline))) return absent
    const facts = yield* factsOf(rpc, transaction, raw, { address: chain.depository, network: chain.network }, deadline)
    return {
      heads,
      observedAt: (pinned): Observation => ({
        _tag: "Transaction",
        chain: chain.slug,
        transactionId: id,
        outcome: "succeeded",
        block,
        finality: finalityOf(chain.finality, block, pinned),
        routerCalls: [],
        ...facts
      })
    }
  }
)
