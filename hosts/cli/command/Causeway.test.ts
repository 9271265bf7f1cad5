/** Every command of `causeway` has its help, its usage errors and its exit codes, as docs/command.md says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { helpText, WIDTH } from "../Help.ts"
import { helpPages } from "../HelpPages.ts"
import { runCommand } from "../testing/RunCommand.ts"
import { causeway } from "./Causeway.ts"

const pages = helpPages(causeway)
const nobody = "http://127.0.0.1:1"
const request = `0x${"ab".repeat(32)}`
const ends = ["--from", "alpha", "--to", "beta", "--amount", "1", "--user", "0x1"]

/** What each command says that asks a service, when none answers. */
const unanswered: ReadonlyArray<ReadonlyArray<string>> = [
  ["chains"],
  ["price", ...ends],
  ["quote", ...ends],
  ["status", request],
  ["follow", request],
  ["balance", `0x${"a1".repeat(20)}`],
  ["keys", "list"],
  ["webhooks", "listen"],
  ["webhooks", "list"],
  ["transfer", ...ends.slice(0, -2), "--trust"],
  ["deposit-address", ...ends.slice(0, -2), "--refund-to", "0x1", "--trust"]
]

describe("causeway", () => {
  it("has help for each command, with a description, in lines of 80 columns", () => {
    assert.isAbove(pages.length, 15)
    for (const { doc, path } of pages) {
      assert.notStrictEqual(doc.description, "", path)
      assert.deepStrictEqual(helpText(doc).split("\n").filter((line) => line.length > WIDTH), [], path)
      assert.deepStrictEqual((doc.globalFlags ?? []).filter(({ name }) => name === "json").length, 1, path)
    }
  })

  it.effect("ends with 2 and the way to its help after wrong usage, and with one line of JSON where asked for", () =>
    Effect.forEach(
      pages,
      Effect.fnUntraced(function*({ path }) {
        const words = path.split(" ").slice(1)
        const wrong = yield* runCommand([...words, "--nonsense"])
        assert.deepStrictEqual([wrong.code, wrong.out], [2, ""], path)
        assert.include(wrong.error, `${path}: `)
        assert.include(wrong.error, `npx ${path} --help`)
        const json = yield* runCommand([...words, "--nonsense", "--json"])
        assert.deepStrictEqual([json.code, json.error], [2, ""], path)
        assert.match(json.out, /^\{"error":\{"reason":"usage","message":"[^\n]+"\}\}\n$/u)
      }),
      { discard: true }
    ))

  it.live("ends with 1 and a reason when no service answers, and never shows a secret", () =>
    Effect.forEach(
      unanswered,
      Effect.fnUntraced(function*(words) {
        const secrets = { API_KEY: "cwk_secret", ADMIN_TOKEN: "an admin's secret", WALLET_PRIVATE_KEY: "0xsecret" }
        const { code, error, out } = yield* runCommand([...words, "--url", nobody, "--json"], secrets)
        assert.deepStrictEqual([code, error], [1, ""], words.join(" "))
        assert.include(out, "\"reason\":\"no-answer\"", words.join(" "))
        assert.notInclude(out, "secret")
      }),
      { concurrency: 4, discard: true }
    ))

  it.live("asks the service of --url, then that of TRANSFER_URL", () =>
    Effect.gen(function*() {
      const named = yield* runCommand(["chains", "--url", "http://127.0.0.1:1"], {
        TRANSFER_URL: "http://127.0.0.1:2"
      })
      assert.include(named.error, "http://127.0.0.1:1/chains")
      const variable = yield* runCommand(["chains"], { TRANSFER_URL: "http://127.0.0.1:2/" })
      assert.include(variable.error, "http://127.0.0.1:2/chains")
      assert.strictEqual((yield* runCommand(["chains", "--url", "file:///etc"])).code, 2)
    }))
})
