/**
 * How long a payment can be executed, by the quorum, while the endpoints are some blocks apart: since Alpenglow the newest
 * confirmed block is hardly older than the time that it takes to other endpoints (SOLANA-27).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { solana as configured, solanaPayer, solanaUser } from "../../../src/domain/quote/testing/Chains.ts"
import { blockhash } from "@solana/kit"
import { makeRotation } from "../../endpoints/Rotation.ts"
import { family } from "../rpc/SolanaRpc.ts"
import { witnessLifetime } from "./Signing.ts"
import { fakeClient, inContext } from "./testing/FakeClient.ts"

const chain = { ...configured, genesisHash: solanaUser }
const SLOT = 100
const LAST = 500n

/** Endpoints that have the blockhash from their nth answer on. */
const endpoints = (from: ReadonlyArray<number>) => {
  const asked = from.map(() => 0)
  const urls = from.map((_, index) => Redacted.make(`http://node-${index}.example`))
  const clients = from.map((first, index) =>
    fakeClient({
      getGenesisHash: () => solanaUser,
      getBlockHeight: () => 350,
      isBlockhashValid: () => {
        asked[index] = (asked[index] ?? 0) + 1
        return inContext((asked[index] ?? 0) >= first, SLOT)
      }
    })
  )
  const rotation = makeRotation({
    ...family,
    open: (url) =>
      Effect.succeed(
        clients[urls.findIndex((each) => Redacted.value(each) === Redacted.value(url))] ?? fakeClient({})
      )
  }, { urls: new Map([[chain.id, urls]]) })
  return { asked, rotation }
}

const witnessed = (from: ReadonlyArray<number>) =>
  Effect.scoped(Effect.gen(function*() {
    const { asked, rotation } = endpoints(from)
    const asking = yield* Effect.forkChild(Effect.result(
      witnessLifetime(yield* rotation, chain, blockhash(solanaPayer), {
        lastValidBlockHeight: LAST,
        slot: BigInt(SLOT)
      })
    ))
    // The answers come in other turns of this process than the waits.
    while (asking.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
      yield* TestClock.adjust(250)
    }
    return { result: yield* Fiber.join(asking), asked }
  }))

describe("the lifetime of a payment", () => {
  it.effect("is that of endpoints which have its block a moment later", () =>
    Effect.gen(function*() {
      for (const from of [[1, 1, 1], [1, 2, 3], [1, 3, 3], [1, 1, 1_000]]) {
        assert.strictEqual((yield* witnessed(from)).result._tag, "Success", from.join())
      }
    }))

  it.effect("is refused once the others still do not know the block after two seconds", () =>
    Effect.gen(function*() {
      const { asked, result } = yield* witnessed([1, 1_000, 1_000])
      assert.strictEqual(result._tag, "Failure")
      assert.deepStrictEqual(asked, [9, 9, 9])
    }))
})
