/**
 * Whether the depository's account has executed a withdrawal, from the transactions that one endpoint of exchange A
 * lists (EXCHANGEA-7).
 *
 * The list holds the newest transactions only. A withdrawal that is not listed may have been executed long ago; its
 * transaction then proves it. So "not listed" never ends a withdrawal, at any age.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { transferFacts } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { Endpoint } from "../../quorum/Endpoints.ts"
import { remaining } from "../../quorum/ReadAtFinal.ts"
import type { FinalReading } from "../../quorum/ReadAtFinal.ts"
import { AccountAnswer, RawTransaction, transferOf } from "../decode/NodeAnswers.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { readTime, undecodable } from "./ReadTime.ts"
import { networkOf } from "./ReadTransaction.ts"

const decodeAccount = Schema.decodeUnknownEffect(AccountAnswer)
const isTransaction = Schema.is(Schema.toType(RawTransaction))

/** Blocks are not distinguished: everything that the exchange shows is final. */
const block = { height: 0n, hash: "final", time: 0 } as const

const executes = (raw: unknown, chain: Chain, id: Hex32): boolean => {
  if (!isTransaction(raw) || raw.error !== null || raw.user !== chain.depository) return false
  const transfer = transferOf(raw)
  return transfer !== undefined && transfer.hyperliquidChain === networkOf(chain) &&
    transferFacts({ sender: raw.user, transfer }, chain.depository, new Map(), 0).withdrawals?.includes(id) === true
}

export const withdrawalReading = (chain: Chain, id: Hex32): FinalReading<boolean, ExchangeAClient> => ({
  slug: chain.slug,
  heads: ({ rpc }: Endpoint<ExchangeAClient>, until) =>
    remaining(until).pipe(
      Effect.flatMap((deadline) => readTime(rpc, deadline)),
      Effect.map((time) => ({ finalHeight: 0n, head: { height: 0n, time } }))
    ),
  at: Effect.fnUntraced(function*({ rpc }, _height, until) {
    const { txs } = yield* undecodable(decodeAccount(yield* rpc.account(chain.depository, yield* remaining(until))))
    return { block, value: txs.some((raw) => executes(raw, chain, id)) }
  })
})
