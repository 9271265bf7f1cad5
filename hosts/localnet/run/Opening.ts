/** What every run begins with: the lock, the ports, and the chains, which were compared with the configuration. */
import { Effect } from "effect"
import { rmSync } from "node:fs"
import type { Screen } from "../../cli/Screen.ts"
import * as Leftovers from "./Leftovers.ts"
import * as Network from "./Network.ts"
import * as Ports from "./Ports.ts"
import * as RunLock from "./RunLock.ts"
import { isAttested } from "./services/AttestedChain.ts"
import type { Paths } from "./state/Paths.ts"
import { verify } from "./Verification.ts"
import type { Wanted } from "./Wanted.ts"

const tellPorts = (ports: Ports.Ports, { attested, solana }: Wanted, screen: Screen) =>
  Effect.forEach(Ports.names, (name) => {
    const runs = isAttested(name) ? attested.includes(name) : solana || (name !== "solana" && name !== "jupiter")
    if (!runs) return Effect.void
    const { usual, variable } = Ports.listeners[name]
    return ports[name] === usual
      ? Effect.void
      : screen.line(`  ${name}: port ${ports[name]} instead of ${usual} (${variable} chooses one)`)
  }, { discard: true })

/** Everything ends with the scope. Errors: another run in the folder, a port that is taken, chains that do not start. */
export const open = Effect.fn("Localnet.open")(function*(paths: Paths, wanted: Wanted, screen: Screen) {
  yield* screen.line(screen.bold("Causeway local network"))
  yield* RunLock.take(paths)
  yield* Effect.sync(() => rmSync(paths.localnetFile, { force: true }))
  const leftovers = yield* Leftovers.clear(paths)
  if (leftovers.length > 0) {
    yield* screen.line(`  ended what an earlier run had left behind: process ${leftovers.join(", ")}`)
  }
  const ports = yield* Ports.choose
  yield* tellPorts(ports, wanted, screen)
  const network = yield* Network.open(paths, ports, wanted, screen)
  yield* verify(network.chains)
  return { network, ports }
})
