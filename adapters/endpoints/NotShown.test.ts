import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../scripts/testing/Tally.ts"
import { notShownBy } from "./NotShown.ts"

const shownBy = (host: string, upTo: bigint, ...items: ReadonlyArray<readonly [string, bigint]>) => ({
  host,
  upTo,
  items: new Map(items)
})

describe("what a host does not show", () => {
  it("is what another one shows in blocks that this one was read up to", () => {
    const [honest, liar, short] = [
      shownBy("a.example", 9n, ["x", 5n], ["y", 8n]),
      shownBy("b.example", 9n, ["x", 5n]),
      shownBy("c.example", 6n, ["x", 5n])
    ]
    assert.deepStrictEqual([...notShownBy([honest, liar, short])], [["y", ["b.example"]]])
    assert.deepStrictEqual([...notShownBy([honest])], [])
    assert.deepStrictEqual([...notShownBy([])], [])
  })

  it("is never blamed on a host that shows all, and always on one that hides one item of those", () => {
    const items = fc.uniqueArray(fc.tuple(fc.string(), fc.bigInt({ min: 0n, max: 9n })), {
      minLength: 1,
      selector: ([name]) => name
    })
    fc.assert(
      fc.property(items, fc.nat(), fc.integer({ min: 1, max: 3 }), (all, which, honest) => {
        const [hidden] = all[which % all.length] ?? assert.fail("no item")
        const blamed = notShownBy([
          ...Array.from({ length: honest }, (_, n) => shownBy(`honest-${n}`, 9n, ...all)),
          shownBy("liar", 9n, ...all.filter(([name]) => name !== hidden))
        ])
        assert.deepStrictEqual([...blamed], [[hidden, ["liar"]]])
      }),
      { numRuns: inputs(400, 10_000) }
    )
  })
})
