/** The answer of GET /chains, prepared for the chains that are paused now: it changes with nothing else (ROW-1). */
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { SentTransactions } from "../../../../ports/chain/SentTransactions.ts"
import { SettlementChain } from "../../../../ports/hub/SettlementChain.ts"
import { OrderSigner } from "../../../../ports/signing/OrderSigner.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { isChainPaused } from "../../../../src/domain/pause/Pause.ts"
import { Pausing } from "../../../../src/services/operations/Pausing.ts"
import { prepare } from "../../../http/ahead/PreparedAnswer.ts"
import type { AskedHeaders, PreparedAnswer } from "../../../http/ahead/PreparedAnswer.ts"
import { chainRow } from "./ChainRows.ts"
import { ChainsAnswer } from "./ChainsApi.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(ChainsAnswer))

/** Makes answers for requests with these headers. Each asks the store for the pauses. */
export const makeChainsAnswer = Effect.gen(function*() {
  const { all } = yield* Chains
  const pausing = yield* Pausing
  const { solver } = yield* OrderSigner
  const { accountsOn } = yield* SentTransactions
  const { chain: { id: chainId }, token } = yield* SettlementChain
  const settlement = { chainId, token, solver }

  const made = (isPaused: (chain: Chain) => boolean): PreparedAnswer => {
    const row = (chain: Chain) => chainRow(chain, [...new Set([solver, ...accountsOn(chain)])], isPaused(chain))
    const text = encode({ chains: all.map(row), settlement })
    return prepare(HttpServerResponse.text(text, { contentType: "application/json" }))
  }

  let last: { readonly paused: string; readonly answer: PreparedAnswer } | undefined

  return (headers: AskedHeaders) =>
    Effect.map(pausing.all, (pauses) => {
      const isPaused = ({ id }: Chain) => isChainPaused(pauses, id)
      const paused = all.filter(isPaused).map(({ id }) => id).join()
      if (last?.paused !== paused) last = { paused, answer: made(isPaused) }
      return last.answer(headers)
    })
})
