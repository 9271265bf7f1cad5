/**
 * Looks at a page as it is in a browser: on a phone and a desktop, in light and dark, nothing overflows at the side, and
 * axe finds nothing.
 *
 * CAUSEWAY_PICTURES=<folder> keeps screenshots for people to look at.
 */
import { assert } from "@effect/vitest"
import axe from "axe-core"
import { Effect } from "effect"
import { join } from "node:path"
import { desktop, phone } from "./Browser.ts"
import type { Tab } from "./Browser.ts"

const violations =
  "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))"

/** Afterwards the page is as on a desktop. */
export const lookAt = Effect.fnUntraced(function*(tab: Tab, name: string) {
  const folder = process.env["CAUSEWAY_PICTURES"]
  yield* tab.evaluate(axe.source)
  for (const [at, viewport] of Object.entries({ phone, desktop })) {
    for (const scheme of ["light", "dark"] as const) {
      yield* tab.resize({ ...viewport, scheme })
      // A phone widens its window to fit overflowing content, so its own width is compared.
      const wide = (yield* tab.evaluate("Math.max(document.documentElement.scrollWidth, innerWidth)")) as number
      assert.strictEqual(wide, viewport.width, `${name}: wider than a ${at}`)
      if (folder !== undefined) yield* tab.picture(join(folder, `${name}-${at}-${scheme}.png`))
      assert.deepStrictEqual(yield* tab.evaluate(violations), [], `${name} on a ${at}, ${scheme}`)
    }
  }
  yield* tab.resize(desktop)
})

/** No errors were reported but those that are expected, and no other site was requested. */
export const assertQuiet = ({ heard }: Tab, url: string, isExpected: (complaint: string) => boolean = () => false) => {
  assert.deepStrictEqual(heard.complaints.filter((each) => !isExpected(each)), [])
  assert.deepStrictEqual(
    heard.requests.filter((asked) => !asked.startsWith(`${url}/`) && !asked.startsWith("data:")),
    []
  )
}
