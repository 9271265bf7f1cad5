import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { make, table } from "./Screen.ts"

describe("the terminal's output", () => {
  it("is coloured only on a terminal, and never against NO_COLOR", () => {
    const write = () => true
    assert.strictEqual(make({ write }, {}).bold("a"), "a")
    assert.strictEqual(make({ write, isTTY: true }, {}).bold("a"), "\u001b[1ma\u001b[0m")
    assert.strictEqual(make({ write, isTTY: true }, { NO_COLOR: "1" }).bold("a"), "a")
    assert.strictEqual(make({ write, isTTY: true }, { TERM: "dumb" }).bold("a"), "a")
  })

  it.effect("has a progress line that the next output replaces, on a terminal alone", () =>
    Effect.gen(function*() {
      const shownOn = Effect.fnUntraced(function*(isTTY: boolean) {
        let text = ""
        const screen = make({ write: (more) => text += more, isTTY }, {})
        yield* screen.progress("one")
        yield* screen.progress("two")
        yield* screen.line("done")
        yield* screen.line("next")
        return text
      })
      const erased = "\r\u001b[2K"
      assert.strictEqual(yield* shownOn(true), `one${erased}two${erased}done\nnext\n`)
      assert.strictEqual(yield* shownOn(false), "done\nnext\n")
    }))

  it.effect("breaks a line that is wider than the terminal, and neither a command nor what is no terminal", () =>
    Effect.gen(function*() {
      let text = ""
      const written = { write: (more: string) => text += more }
      const narrow = make({ ...written, isTTY: true, columns: 60 }, {})
      const long = `  ${"word ".repeat(13)}${narrow.dim("0xab and more")}`
      yield* narrow.line(long)
      // oxlint-disable-next-line no-control-regex
      const lines = text.trimEnd().replaceAll(/\u001b\[\d+m/gu, "").split("\n")
      assert.deepStrictEqual(lines.map((line) => line.length), [56, 29])
      assert.strictEqual(lines[1], `      ${"word ".repeat(2)}0xab and more`)
      text = ""
      yield* narrow.command(long)
      yield* make(written, {}).line(long)
      assert.strictEqual(text, `${long}\n${long}\n`)
    }))

  it("is aligned in columns", () => {
    assert.deepStrictEqual(table([["a", "bb"], ["ccc", "d"]]), ["a    bb", "ccc  d"])
  })
})
