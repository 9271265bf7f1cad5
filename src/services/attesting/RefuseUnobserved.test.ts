import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { ChainSlug } from "../../domain/chain/ChainId.ts"
import { refuseUnobserved } from "./RefuseUnobserved.ts"

describe("a chain that cannot be read", () => {
  it.effect("is refused when that is permanent, and unavailable when it may change", () =>
    Effect.gen(function*() {
      for (
        const kind of [
          "timeout",
          "unreachable",
          "wrong-chain",
          "refused",
          "behind",
          "not-served",
          "no-explorer",
          "too-large"
        ] as const
      ) {
        const failed = yield* Effect.flip(
          refuseUnobserved(
            Effect.fail(new ChainUnavailable({ chain: ChainSlug.make("n"), operation: "reading", kind }))
          )
        )
        assert.strictEqual(
          failed._tag === "Refusal" ? `${failed.reason} ${failed.detail}` : failed._tag,
          kind === "not-served"
            ? "not-observed n"
            : kind === "no-explorer" || kind === "too-large"
            ? `${kind} n`
            : "ChainUnavailable"
        )
      }
    }))
})
