/**
 * The port `WithdrawalObserver`: whether a final block has executed the depository's transfer. Its block decides, so
 * nodes at different heights give one answer.
 */
import { Clock, Effect, Layer, Result } from "effect"
import { type Chain, parseTransactionId, type WithdrawalEvidence } from "causeway-kit"
import {
  type AtFinal,
  type FamilyQuorums,
  type FinalReading,
  type HttpJson,
  makeWithdrawalObserver
} from "causeway-kit/adapters/quorum"
import { type SoughtWithdrawal, WithdrawalObserver } from "causeway-kit/ports"
import { transferId } from "../ledger/Transfer.ts"
import { ledgerRules } from "../rules/LedgerRules.ts"
import { ask, asked, type Connect, isOn } from "./LedgerNode.ts"

/** `over`: its block did not execute it, and no other block can. */
type Standing = "unused" | "over" | `executed ${string}`

/** Milliseconds. */
const remaining = (until: number) => Effect.map(Clock.currentTimeMillis, (now) => Math.max(1, until - now))

const reading = (chain: Chain, { id }: SoughtWithdrawal): FinalReading<Standing, HttpJson> => {
  const transaction = id.slice(2)
  return {
    slug: chain.slug,
    heads: Effect.fnUntraced(function*({ rpc }, until) {
      const { final, genesis, head } = yield* asked(rpc, ask.ledger, yield* remaining(until))
      if (!isOn(genesis, chain)) return yield* Effect.fail("wrong-chain" as const)
      return { finalHeight: BigInt(final.height), head: { height: BigInt(head.height), time: head.time } }
    }),
    at: Effect.fnUntraced(function*({ rpc }, height, until) {
      const { block } = yield* asked(rpc, ask.block(height), yield* remaining(until))
      if (block === undefined) return yield* Effect.fail("refused" as const)
      const { transfer: record } = yield* asked(rpc, ask.transfer(transaction), yield* remaining(until))
      const seen = { height, hash: block.hash, time: block.time }
      if (record === undefined || BigInt(record.block.height) > height) return { block: seen, value: "unused" }
      if (record.id !== transaction || transferId(record.transfer) !== transaction) {
        return yield* Effect.fail("contradiction" as const)
      }
      return { block: seen, value: record.succeeded ? `executed ${transaction}` : "over" }
    })
  }
}

const stateOf = ({ block, headTime, value }: AtFinal<Standing>): WithdrawalEvidence["state"] => {
  if (value === "over") return { _tag: "SpentOtherwise" }
  if (value === "unused") return { _tag: "Unused", finalTime: block.time, headTime }
  return {
    _tag: "Executed",
    transactionIds: [Result.getOrThrow(parseTransactionId(ledgerRules, value.slice("executed ".length)))]
  }
}

export const layer = (connect: Connect, quorums: FamilyQuorums) =>
  Layer.effect(
    WithdrawalObserver,
    makeWithdrawalObserver({ name: "LedgerWithdrawals", open: connect, reading, stateOf }, quorums)
  )
