/** Which words of `causeway` are those of a program of the checkout, and what an installed package says instead. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import manifest from "../../package.json" with { type: "json" }
import { handedOver, localPrograms, withoutProgram } from "./HandOver.ts"
import { runCommand } from "./testing/RunCommand.ts"

const root = join(import.meta.dirname, "../..")
const names = Object.keys(localPrograms)
const request = `0x${"ab".repeat(32)}`

describe("a command of the local network", () => {
  it("is the program of its npm script, with all of its words", () => {
    for (const [name, program] of Object.entries(localPrograms)) {
      assert.isTrue(existsSync(join(root, program.main)), program.main)
      assert.deepStrictEqual(handedOver([name, "--fresh", "--json"]), { program, words: ["--fresh", "--json"] })
      const script = Object.entries(manifest.scripts).find(([each]) => each === name)?.[1] ?? assert.fail(name)
      assert.match(script, new RegExp(`^(?:exec )?node .*--require \\S+ hosts/cli/causeway\\.ts ${name}$`, "u"))
    }
  })

  it("is status, too, without a request; with one it asks the service", () => {
    assert.include(handedOver(["status", "--json"])?.program.main, "commands/status/")
    for (const words of [["status", request], ["status", "--url", "http://127.0.0.1:1"], ["status", "--help"]]) {
      assert.isUndefined(handedOver(words), words.join(" "))
    }
  })

  it("is attest, too, without a transaction; with one, or an oracle's address, it asks that oracle", () => {
    for (
      const words of [[], ["--chain", "bitcoin-local", "--amount", "0.5", "--json"], ["--chain=alpha"], ["--nonsense"]]
    ) {
      assert.include(handedOver(["attest", ...words])?.program.main, "commands/attest/", words.join(" "))
    }
    for (
      const words of [
        [request],
        ["--chain", "alpha", request],
        [request, "--chain", "alpha"],
        ["--chain", "alpha", "--oracle-url", "http://127.0.0.1:1"],
        ["--peers"],
        ["--help"]
      ]
    ) {
      assert.isUndefined(handedOver(["attest", ...words]), words.join(" "))
    }
    assert.match(manifest.scripts.attest, /hosts\/cli\/causeway\.ts attest$/u)
  })

  it("is no other command, and no name of JavaScript's", () => {
    for (const words of [["transfer"], ["--help"], [], ["toString"], ["keys", "start"]]) {
      assert.isUndefined(handedOver(words), words.join(" "))
    }
  })

  it.effect("says in a package, whatever its flags, that the repository has it", () =>
    Effect.forEach(names, (name) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(withoutProgram([name, "--fresh", "--seed", "7", "--json"]), [name, "--json"])
        const { code, out } = yield* runCommand([...withoutProgram([name, "--fresh", "--json"])])
        assert.strictEqual(code, 1)
        assert.include(out, "\"reason\":\"needs-checkout\"")
        assert.include(out, `npm run ${name}`)
        assert.strictEqual((yield* runCommand([...withoutProgram([name, "--help", "--fresh"])])).code, 0)
      })))
})
