/**
 * Quotes a second by kind, compared with plain ones: paid by a sponsor, swapped by the user, swapped in the fill. On
 * SQLite and on PostgreSQL, one host for each store, all on one core, each quote durably stored. A sponsored quote
 * reads key, wallet, balance, holds and budget from that store. A quote that swaps asks Uniswap's contracts on a real
 * chain, and simulates the fill.
 */
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { canPin, MEASURED_CORE, moveAside, startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { alternate, printRows } from "../../../http/testing/load/Rounds.ts"
import type { Load } from "../../../http/testing/load/ClosedLoop.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { nativeRequest } from "../../testing/Client.ts"
import { addSponsors, keyOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { GEM, USDC, USDT } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const CONNECTIONS = 32
const ROUND_MS = 5_000
const sponsor: TestSponsor = { id: "load", wallet: toHex(0x10ad, { size: 20 }), balance: 10n ** 12n }

/** A host of the network over its own store, which knows the sponsor. */
const hostOn = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>, DATABASE_URL: string) {
  yield* addSponsors(DATABASE_URL, [sponsor])
  const port = yield* anyFree
  const own = { ...environment, DATABASE_URL, TRANSFER_PORT: `${port}`, RUNNER_PORT: `${yield* anyFree}` }
  yield* Effect.acquireRelease(
    Effect.promise(() =>
      startPinned(join(import.meta.dirname, "../../main.ts"), [], "listening on", {
        core: MEASURED_CORE,
        environment: own
      })
    ),
    (child) => Effect.promise(() => stopPinned(child))
  )
  return port
})

const program = Effect.gen(function*() {
  const { chains, environment } = yield* startNetwork
  const programs = requirePostgres()
  const stores: Array<readonly [name: string, url: string]> = [["SQLite", environment["DATABASE_URL"] ?? ""]]
  if (programs !== undefined) {
    const server = yield* PostgresServer.start(programs)
    stores.push(["PostgreSQL", Redacted.value(yield* server.createDatabase)])
  }
  const users = chains.users.map((key) => privateKeyToAccount(key).address)
  let next = 0
  const body = (changes: object) => () =>
    JSON.stringify(
      nativeRequest(users[next++ % users.length] ?? "", chains.alpha, chains.beta, 100_000_000n, {
        originCurrency: USDC.address,
        destinationCurrency: USDT.address,
        ...changes
      })
    )
  const loads: Record<string, Load> = {}
  for (const [name, url] of stores) {
    const load = {
      host: "127.0.0.1",
      port: yield* hostOn(environment, url),
      connections: CONNECTIONS,
      ms: ROUND_MS,
      method: "POST",
      path: () => "/quote"
    } as const
    loads[`plain, ${name}`] = { ...load, body: body({}) }
    loads[`a sponsor pays, ${name}`] = { ...load, body: body({ subsidizeFees: true }), headers: keyOf(sponsor) }
    loads[`the user swaps, ${name}`] = { ...load, body: body({ destinationChainId: chains.alpha.chainId }) }
    loads[`a swap in the fill, ${name}`] = { ...load, body: body({ destinationCurrency: GEM.address }) }
  }
  printRows(
    `Transfer service: quotes of 100 USDC a second, one core${
      canPin ? "" : " (not pinned: taskset is missing)"
    }, ${CONNECTIONS} connections`,
    yield* Effect.promise(() => alternate(loads))
  )
})

moveAside()
await Effect.runPromise(Effect.scoped(program))
