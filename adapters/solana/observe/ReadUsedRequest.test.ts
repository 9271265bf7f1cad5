import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { solana, solanaPayer, solanaUser } from "../../../src/domain/quote/testing/Chains.ts"
import type { Endpoint } from "../../quorum/Endpoints.ts"
import { usedRequestReading } from "./ReadUsedRequest.ts"

const chain = { ...solana, genesisHash: solanaUser }

/** An endpoint that was on the right cluster at the last check. */
const endpointOn = (genesis: string): Endpoint => ({
  host: "one.example",
  verified: true,
  rpc: {
    batch: (calls) =>
      Effect.succeed(
        calls.map(({ method }) => method === "getGenesisHash" ? genesis : method === "getSlot" ? 7 : 1_700_000_000)
      )
  }
})

describe("the heads that a used request is read at", () => {
  it.live("are the cluster's, and are requested each time", () =>
    Effect.gen(function*() {
      const until = Date.now() + 60_000
      const { heads } = usedRequestReading(chain, solanaPayer)
      assert.deepStrictEqual(yield* heads(endpointOn(solanaUser), until), {
        finalHeight: 7n,
        head: { height: 7n, time: 1_700_000_000 }
      })
      assert.strictEqual(yield* Effect.flip(heads(endpointOn(solanaPayer), until)), "wrong-chain")
    }))
})
