import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { attestedNames } from "./services/AttestedChain.ts"
import { valuesOf } from "../../cli/testing/Words.ts"
import { flags, wantedBy } from "./Wanted.ts"

const wanted = (...words: ReadonlyArray<string>) => Result.getOrThrow(wantedBy(valuesOf(flags, words)))

describe("the arguments of npm start", () => {
  it("default to running Solana; each flag adds or removes one family, and one adds all", () => {
    assert.deepStrictEqual(wanted(), { fresh: false, chainsOnly: false, solana: true, attested: [] })
    assert.deepStrictEqual(wanted("--fresh", "--without-solana"), {
      fresh: true,
      chainsOnly: false,
      solana: false,
      attested: []
    })
    assert.isTrue(wanted("--chains-only").chainsOnly)
    assert.deepStrictEqual(wanted("--with-bitcoin").attested, ["bitcoin"])
    assert.deepStrictEqual(wanted("--with-tron").attested, ["tron"])
    assert.deepStrictEqual(wanted("--with-exchange-a").attested, ["exchangeA"])
    assert.deepStrictEqual(wanted("--with-exchange-b", "--without-solana"), {
      fresh: false,
      chainsOnly: false,
      solana: false,
      attested: ["exchangeB"]
    })
    assert.deepStrictEqual(wanted("--all-families"), {
      fresh: false,
      chainsOnly: false,
      solana: true,
      attested: attestedNames
    })
    assert.deepStrictEqual(wanted("--all-families", "--with-bitcoin", "--fresh"), {
      fresh: true,
      chainsOnly: false,
      solana: true,
      attested: attestedNames
    })
  })

  it("are refused: unknown flags, a word without a flag, and a contradiction as wrong usage", () => {
    for (const words of [["--refresh"], ["bitcoin"], ["--with-bitcoin=perhaps"]]) {
      assert.throws(() => valuesOf(flags, words), undefined, undefined, words.join(" "))
    }
    const refused = Result.getOrThrow(Result.flip(wantedBy(valuesOf(flags, ["--all-families", "--without-solana"]))))
    assert.strictEqual(refused.reason, "usage")
    assert.include(refused.message, "--without-solana")
  })
})
