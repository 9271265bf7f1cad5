/** What importing the core costs a service: which modules, no socket, how long; and the examples, run as they are. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { Quote } from "./domain/quote/wire/Quote.ts"
import { runWatched } from "./testing/Embedded.ts"

const root = join(import.meta.dirname, "..")

const core = /\/src\/(?:index\.ts$|public\/|domain\/)/
const packages = /\/node_modules\/(?:effect|@noble\/hashes|@noble\/secp256k1|@scure\/base)\//

describe("embedding", () => {
  it("the example assembles a sponsored quote with the core alone, and opens nothing", () => {
    const { modules, status, stderr, stdout } = runWatched(["examples/embed.ts"], root)
    assert.strictEqual(status, 0, stderr)
    const others = modules.filter((url) => !core.test(url) && !packages.test(url))
    assert.deepStrictEqual(others.map((url) => url.slice(url.indexOf("/examples/"))), ["/examples/embed.ts"])
    const { details, fees, feeSponsorship } = Schema.decodeUnknownSync(Schema.fromJsonString(Quote))(stdout)
    // 21,000 gas at 1 gwei and two cents of execution, all of it the sponsor's: what goes in comes out.
    assert.strictEqual(fees.relayer.amount, "29000000000000")
    assert.strictEqual(fees.subsidized?.amount, "29000000000000")
    assert.strictEqual(details.currencyOut.amount, details.currencyIn.amount)
    assert.strictEqual(feeSponsorship?.quoted.sponsoredTotal.amount, "29000000000000")
    assert.strictEqual(feeSponsorship?.quoted.userPaysTotal.amount, "0")
  })

  it("a source of prices of one's own is an adapter of a port, held to the rule for prices", () => {
    const { status, stderr, stdout } = runWatched(["examples/own-prices.ts"], root)
    assert.strictEqual(status, 0, stderr)
    assert.deepStrictEqual(stdout.trim().split("\n"), [
      "they agree:     2500.000000 dollars",
      "too far apart:  no usable price for ETH now; try again",
      "too old:        no usable price for ETH now; try again"
    ])
  })

  it("the watch detects everything that opens a socket", () => {
    const { status, stderr } = runWatched(["--eval", "require('node:net').connect(9)"], root)
    assert.notStrictEqual(status, 0)
    assert.include(stderr, "connect was called")
  })

  it("a team's own split passes the laws in its own suite, without our test runner", () => {
    const { status, stdout } = spawnSync(process.execPath, ["--test", "examples/own-sponsorship.test.ts"], {
      cwd: root,
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stdout)
    assert.match(stdout, /pass 1[0-9]/)
  })
})
