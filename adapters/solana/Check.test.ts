/** What a node's answers say of a configured mint. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { programs } from "../../src/domain/families/solana/evidence/Programs.ts"
import { solana } from "../../src/domain/quote/testing/Chains.ts"
import { check } from "./Check.ts"

const MINT_BYTES = 166

/** A mint of Token-2022 with these extensions, of so many bytes each. */
const mint = (extensions: ReadonlyArray<readonly [type: number, size: number]>): string => {
  const data = new Uint8Array(MINT_BYTES + extensions.reduce((sum, [, size]) => sum + 4 + size, 0))
  data[44] = 8
  data[45] = 1
  data[165] = 1
  const view = new DataView(data.buffer)
  let at = MINT_BYTES
  for (const [type, size] of extensions) {
    view.setUint16(at, type, true)
    view.setUint16(at + 2, size, true)
    at += 4 + size
  }
  return Buffer.from(data).toString("base64")
}

const decimalsOf = (extensions: ReadonlyArray<readonly [number, number]>) => {
  const account = { owner: programs.token2022, executable: false, space: 166, data: [mint(extensions), "base64"] }
  return Effect.map(
    check.read(
      { batch: () => Effect.succeed(["genesis", { value: [account] }]) },
      solana,
      [{ _tag: "Decimals", of: "mint" }],
      1_000
    ),
    ([told]) => told
  )
}

describe("a mint of Token-2022", () => {
  it.effect("has decimals, unless its amounts are shown otherwise than they are stored", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* decimalsOf([]), "8")
      // A transfer fee, a pointer to metadata, a hook: they change no unit.
      assert.strictEqual(yield* decimalsOf([[1, 108], [18, 64], [14, 64]]), "8")
      for (const type of [10, 25]) {
        assert.strictEqual(yield* decimalsOf([[type, 56]]), "amounts that are shown scaled", `${type}`)
        assert.strictEqual(yield* decimalsOf([[18, 64], [19, 3_000], [type, 56]]), "amounts that are shown scaled")
      }
    }))
})
