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
import type { BtcOutpoint, BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { orderIdsOf, paymentsOf } from "../../../src/domain/families/bitcoin/evidence/Payments.ts"
import { pays } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { BtcDepository } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { Observation } from "../../../src/domain/evidence/TransactionEvidence.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { bytesOfHex, Info, RawBytes, RawTransaction } from "../decode/NodeAnswers.ts"
import { genesisCall, headerCall, infoCall, resultOf, resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { asHeader, canonical, decodedAs, headsOf, isGenesis } from "./ReadPlace.ts"

const infoOf = resultOf(Info)
const rawOf = resultOrNone(RawTransaction)
const bytesOf = resultOf(RawBytes)

/** The most earlier transactions that are read when the node does not say what the inputs spend. */
const MOST_SOURCES = 500
const SOURCES_AT_ONCE = 25

/** What the inputs spend, read from the transactions that created it. */
const fromSources = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    { inputs }: BtcTransaction,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<Uint8Array>, ReadFault> {
    const ids = [...new Set(inputs.map(({ transactionId }) => transactionId))]
    if (ids.length > MOST_SOURCES) return yield* Effect.fail("refused" as const)
    const scripts = new Map<BtcOutpoint, Uint8Array>()
    for (let from = 0; from < ids.length; from += SOURCES_AT_ONCE) {
      const asked = ids.slice(from, from + SOURCES_AT_ONCE)
      const answers = yield* rpc.answers(asked.map((id) => transactionCall(id, 0)), deadline)
      for (const [at, id] of asked.entries()) {
        const { outputs } = yield* decodedAs(id, yield* bytesOf(answers[at]))
        for (const input of inputs.filter(({ transactionId }) => transactionId === id)) {
          const script = outputs[input.index]?.script
          // Copied: a script is a view of the transaction's bytes, and would keep megabytes of them in memory.
          if (script !== undefined) scripts.set(input, script.slice())
        }
      }
    }
    return yield* Effect.forEach(inputs, (input) => {
      const script = scripts.get(input)
      return script === undefined ? Effect.fail("contradiction" as const) : Effect.succeed(script)
    })
  }
)

const spentOf = (
  rpc: CoreRpc,
  transaction: BtcTransaction,
  { vin }: RawTransaction,
  deadline: number
): Effect.Effect<ReadonlyArray<Uint8Array>, ReadFault> => {
  if (isCoinbase(transaction)) return Effect.succeed([])
  const told = vin.flatMap(({ prevout }) => prevout === undefined ? [] : [bytesOfHex(prevout.scriptPubKey.hex)])
  return vin.length === transaction.inputs.length && told.length === vin.length
    ? Effect.succeed(told)
    : fromSources(rpc, transaction, deadline)
}

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
    const spending = { ...transaction, spent: yield* spentOf(rpc, transaction, raw, deadline) }
    return { deposits: depositsOf(spending, depository), payments: paymentsOf(spending, depository), orderIds }
  }
)

/** `verify` also asks for the first block: the endpoint may have moved to another chain since the last check. */
export const readTransaction: FamilyReader<CoreRpc>["read"] = Effect.fnUntraced(
  function*(rpc, chain, id, { deadline, verify }) {
    const [told, found, genesis] = yield* rpc.answers([
      infoCall,
      transactionCall(id, 2),
      ...(verify ? [genesisCall] : [])
    ], deadline)
    if (verify && !isGenesis(chain, genesis)) return yield* Effect.fail("wrong-chain" as const)
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
