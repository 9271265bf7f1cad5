import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import * as Ports from "../../run/Ports.ts"
import { generate } from "../../run/state/Keys.ts"
import { pathsBelow } from "../../run/state/Paths.ts"
import { temporaryFolder } from "../../testing/TemporaryFolder.ts"
import { start } from "./BitcoinChain.ts"
import { listCoins } from "./Faucet.ts"

describe("the network's Bitcoin chain", () => {
  it.live("has its parties' coins in a block before a service reads them", () =>
    Effect.scoped(Effect.gen(function*() {
      const paths = pathsBelow(yield* temporaryFolder)
      mkdirSync(paths.state, { recursive: true })
      const { described: { bitcoin } } = yield* start({ paths, keys: yield* generate, ports: yield* Ports.choose })
      for (const { address } of [bitcoin.solver, ...bitcoin.accounts]) {
        const coins = yield* Effect.promise(() => listCoins(bitcoin, address))
        assert.isNotEmpty(coins)
        assert.isTrue(coins.every(({ status }) => status.confirmed), address)
      }
    })))
})
