import { assert, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { alpha, beta } from "../quote/testing/Chains.ts"
import { ChainId } from "./ChainId.ts"
import { servedChain } from "./ChainNotServed.ts"

it("an unconfigured chain is named by the requested id, never by another chain", () => {
  assert.strictEqual(Result.getOrThrow(servedChain([alpha, beta], beta.id)), beta)
  const missing = servedChain([alpha, beta], ChainId.make(4_711))
  assert.isTrue(Result.isFailure(missing))
  if (Result.isFailure(missing)) assert.strictEqual(missing.failure.message, "chain 4711 is not served here")
})
