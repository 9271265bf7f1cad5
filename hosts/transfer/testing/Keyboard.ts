/**
 * A page by keyboard alone: Tab reaches each of its controls once, in the order of the page, and one sees where the
 * focus is.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Tab } from "./Browser.ts"

/** What a control is called: what a person looks for. */
const nameOf = `(each) => each === null || each === document.body ? "nothing" :
  each.getAttribute("aria-label") ?? each.labels?.[0]?.innerText ?? each.innerText.trim()`

const shownControls = `[...document.querySelectorAll("a[href], button, input, select, summary, textarea")]
  .filter((each) => !each.disabled && each.checkVisibility())`

/**
 * What has the focus: its place among the controls, -1 for none, and what is wrong with how it is shown. A control must
 * be in the window, uncovered, with an outline.
 */
const focused = `(() => {
  const each = document.activeElement
  const at = window.walkedControls.indexOf(each)
  const name = (${nameOf})(each)
  if (at === -1) return { at, name, wrong: "" }
  const { outlineStyle, outlineWidth } = getComputedStyle(each)
  const { height, left, top, width } = each.getBoundingClientRect()
  const over = document.elementFromPoint(left + width / 2, top + height / 2)
  const isSeen = over !== null && (each.contains(over) || over.contains(each))
  return { at, name, wrong: outlineStyle === "none" || parseFloat(outlineWidth) < 2 ? "no outline" : isSeen ? "" : "not seen" }
})()`

const Focused = Schema.Struct({ at: Schema.Int, name: Schema.String, wrong: Schema.String })
type Focused = typeof Focused.Type

const decodeFocused = Schema.decodeUnknownSync(Focused)
const decodeNames = Schema.decodeUnknownSync(Schema.Array(Schema.String))

/** Each control once around: a control that keeps the focus for several presses, as a date does, counts once. */
export const walkByKeyboard = Effect.fnUntraced(function*(tab: Tab) {
  const names = decodeNames(yield* tab.evaluate(`(window.walkedControls = ${shownControls}).map(${nameOf})`))
  yield* tab.evaluate("document.activeElement.blur()")
  const reached: Array<Focused> = []
  // A date has up to four places of its own.
  for (let presses = 0; presses < names.length * 5 + 5; presses += 1) {
    yield* tab.press("Tab")
    const now = decodeFocused(yield* tab.evaluate(focused))
    if (now.at === -1 || now.at === reached.at(-1)?.at) continue
    if (now.at === reached[0]?.at) break
    reached.push(now)
  }
  const first = reached.findIndex(({ at }) => at === 0)
  const inOrder = [...reached.slice(first), ...reached.slice(0, first)]
  assert.deepStrictEqual(inOrder, names.map((name, at) => ({ at, name, wrong: "" })))
})

/** Presses Tab until the control with this name has the focus. */
export const tabTo = Effect.fnUntraced(function*(tab: Tab, name: string) {
  const passed: Array<string> = []
  for (let presses = 0; presses < 100; presses += 1) {
    yield* tab.press("Tab")
    const now = String(yield* tab.evaluate(`(${nameOf})(document.activeElement)`))
    if (now === name) return
    passed.push(now)
  }
  assert.fail(`Tab does not reach ${name}, only ${[...new Set(passed)].join(", ")}`)
})
