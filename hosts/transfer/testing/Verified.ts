/**
 * Checks a real quote like a careful client before it pays: `verifyQuote`, with the chains as the client knows them.
 */
import { assert } from "@effect/vitest"
import { ConfigProvider, Effect, Result } from "effect"
import { accountOfKey } from "../../../src/domain/encoding/Signature.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { verifyQuote } from "../../../src/domain/quote/verify/VerifyQuote.ts"
import type { QuoteExpectation } from "../../../src/domain/quote/verify/VerifyQuote.ts"
import { loadMarket } from "../../configuration/LoadChains.ts"
import { postQuote } from "./Client.ts"
import type { TestChains } from "./TestChains.ts"

/**
 * The client's check of any answer to this body. `known`: the chains that it knows and how they are reached, by default
 * the two.
 */
export const verifierOf = Effect.fnUntraced(
  function*(
    { alpha, beta, solverKey }: TestChains,
    body: object,
    bounds: Pick<QuoteExpectation, "minimumDeposit" | "minimumRefundOnDestination"> = {},
    known: Readonly<Record<string, string>> = {}
  ) {
    const environment = { CHAINS: "alpha,beta", ALPHA_RPC_URL: alpha.url, BETA_RPC_URL: beta.url, ...known }
    const loading = loadMarket("local", environment.CHAINS.split(","))
    const { chains, settlement } = yield* Effect.orDie(
      Effect.provideService(loading, ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
    )
    return (answer: unknown) =>
      verifyQuote(answer, body, {
        chains,
        solver: Result.getOrThrow(accountOfKey(Hex32.make(solverKey))),
        ...bounds,
        settlement: settlement.chain.slug,
        now: Math.floor(Date.now() / 1000)
      })
  }
)

/**
 * Requests a quote and fails unless everything in it was checked and found good. Returns the quote, and the client's
 * check for other quotes.
 */
export const verified = Effect.fnUntraced(
  function*(url: string, chains: TestChains, request: object, headers: Readonly<Record<string, string>> = {}) {
    const body = { ...request, includeProtocolData: true }
    const verify = yield* verifierOf(chains, body)
    const answer = yield* postQuote(url, body, headers)
    assert.strictEqual(answer.status, 200, answer.text)
    const { checks, ok } = verify(answer.json())
    assert.isTrue(ok, JSON.stringify(checks.filter(({ outcome }) => outcome !== "ok")))
    return { answer: answer.json(), verify }
  }
)
