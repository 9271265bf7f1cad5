/** The drawn code is the encoder's, module by module, with its quiet zone. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { encode } from "uqr"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { qrCode } from "./QrCode.ts"

/** The modules that a path of horizontal runs fills. */
const drawn = (svg: string): ReadonlyArray<ReadonlyArray<boolean>> => {
  const size = Number(/viewBox="0 0 (\d+) \d+"/u.exec(svg)?.[1])
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/gu)) {
    for (let at = Number(x); at < Number(x) + Number(length); at += 1) {
      const row = rows[Number(y)] ?? assert.fail("outside")
      assert.isFalse(row[at], "drawn twice or outside")
      row[at] = true
    }
  }
  return rows
}

describe("a QR code", () => {
  it("is drawn module by module, dark ones only, with four light ones around it", () => {
    const uris = fc.stringMatching(/^[a-zA-Z0-9:?=&@/.-]{1,200}$/u)
    fc.assert(
      fc.property(uris, (uri) => {
        const modules = drawn(qrCode(uri, "a code").text)
        assert.deepStrictEqual(modules, encode(uri, { ecc: "M", border: 4 }).data)
        const edge = [...modules.slice(0, 4), ...modules.slice(-4), ...modules.map((row) => row.slice(0, 4))]
        assert.isFalse(edge.flat().includes(true))
        assert.isTrue(modules[4]?.slice(4, 11).every((isDark) => isDark), "the finder pattern's first row")
      }),
      { numRuns: inputs(200, 2_000) }
    )
  })

  it("says what it is to who cannot see it, escaped", () => {
    assert.include(qrCode("x", "on \"Alpha\"").text, "role=\"img\" aria-label=\"on &quot;Alpha&quot;\"")
  })
})
