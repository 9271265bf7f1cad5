/**
 * The port `ChainObserver`: what a quorum of nodes shows of a transfer. Also the facts that a configuration is compared
 * with.
 */
import { Effect, Layer } from "effect"
import { finalityOf, NO_ANSWER, NO_TOKEN, type Observation } from "causeway-kit"
import {
  type FamilyCheck,
  type FamilyQuorums,
  type FamilyReader,
  type HttpJson,
  makeObserver
} from "causeway-kit/adapters/quorum"
import { ChainObserver } from "causeway-kit/ports"
import { transferFacts } from "../rules/Evidence.ts"
import { transferId } from "../ledger/Transfer.ts"
import type { Place } from "./Answers.ts"
import { ask, asked, type Connect, isOn } from "./LedgerNode.ts"

const blockOf = ({ hash, height, time }: Place) => ({ height: BigInt(height), hash, time })

const nothing = { deposits: [], payments: [], orderIds: [] }

/** One transfer as one node shows it. A node of another ledger does not count. */
const read: FamilyReader<HttpJson>["read"] = Effect.fnUntraced(function*(node, chain, id, { deadline, verify }) {
  if (verify && !isOn((yield* asked(node, ask.ledger, deadline)).genesis, chain)) {
    return yield* Effect.fail("wrong-chain" as const)
  }
  const { final, head, transfer: record } = yield* asked(node, ask.transfer(id), deadline)
  const heads = { finalHeight: BigInt(final.height), head: { height: BigInt(head.height), time: head.time } }
  if (record === undefined) {
    return { heads, observedAt: (): Observation => ({ _tag: "Absent", chain: chain.slug, transactionId: id }) }
  }
  // The node's record must be the requested transfer.
  if (record.id !== id || transferId(record.transfer) !== id) return yield* Effect.fail("contradiction" as const)
  const block = blockOf(record.block)
  const facts = record.succeeded ? transferFacts(record.transfer, chain.depository) : nothing
  return {
    heads,
    observedAt: (pinned): Observation => ({
      _tag: "Transaction",
      chain: chain.slug,
      transactionId: id,
      outcome: record.succeeded ? "succeeded" : "reverted",
      block,
      finality: finalityOf(chain.finality, block, pinned),
      routerCalls: [],
      ...facts
    })
  }
})

export const layer = (connect: Connect, quorums: FamilyQuorums) =>
  Layer.effect(
    ChainObserver,
    makeObserver<HttpJson>({
      read,
      isOn: (node, chain, deadline) =>
        Effect.map(asked(node, ask.ledger, deadline), ({ genesis }) => isOn(genesis, chain)),
      open: connect
    }, quorums)
  )

export const check = (connect: Connect): FamilyCheck<HttpJson> => ({
  open: connect,
  read: (node, _chain, questions, deadline) =>
    Effect.map(asked(node, ask.ledger, deadline), ({ currencies, genesis }) =>
      questions.map((each) => {
        if (each._tag === "Network") return genesis
        if (each._tag !== "Decimals") return NO_ANSWER
        return currencies.find(({ address }) => address === each.of)?.decimals.toString() ?? NO_TOKEN
      }))
})
