/**
 * Quotes a second by the class of pair, compared with those between EVM chains: accounts, coins and exchanges as origin
 * and as destination. One host on one core, on SQLite, each quote durably stored. A quote from Bitcoin reads the user's
 * coins and builds a PSBT; one from Tron or Solana reads what the user's account has.
 */
import { Effect } from "effect"
import { join } from "node:path"
import { canPin, MEASURED_CORE, moveAside, startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { alternate, printRows } from "../../../http/testing/load/Rounds.ts"
import type { Load } from "../../../http/testing/load/ClosedLoop.ts"
import { matrixFamilies } from "../../testing/matrix/Families.ts"
import { startMatrix } from "../../testing/matrix/StartMatrix.ts"

const CONNECTIONS = 16
const ROUND_MS = 5_000

/** By the families' names; the first is what the others are compared with. */
const classes = [
  ["ethereum-vm", "ethereum-vm", "EVM → EVM"],
  ["ethereum-vm", "solana-vm", "EVM → Solana"],
  ["solana-vm", "ethereum-vm", "Solana → EVM"],
  ["bitcoin-vm", "ethereum-vm", "coins → account: Bitcoin → EVM"],
  ["ethereum-vm", "bitcoin-vm", "account → coins: EVM → Bitcoin"],
  ["tron-vm", "ethereum-vm", "Tron → EVM"],
  ["ethereum-vm", "tron-vm", "EVM → Tron"],
  ["exchangea-vm", "ethereum-vm", "exchange A → EVM"],
  ["ethereum-vm", "exchangea-vm", "EVM → exchange A"],
  ["exchangeb-vm", "ethereum-vm", "exchange B → EVM"],
  ["ethereum-vm", "exchangeb-vm", "EVM → exchange B"],
  ["bitcoin-vm", "exchangea-vm", "coins → exchange A"]
] as const

const program = Effect.gen(function*() {
  const { environment, families } = yield* startMatrix(matrixFamilies)
  yield* Effect.acquireRelease(
    Effect.promise(() =>
      startPinned(join(import.meta.dirname, "../../main.ts"), [], "listening on", { core: MEASURED_CORE, environment })
    ),
    (child) => Effect.promise(() => stopPinned(child))
  )
  const started = (name: string) => Effect.fromNullishOr(families.find((each) => each.name === name)).pipe(Effect.orDie)
  const loads: Record<string, Load> = {}
  for (const [origin, destination, title] of classes) {
    const [{ chain: from, native: paid }, { chain, native: received, second }] = yield* Effect.all([
      started(origin),
      started(destination)
    ])
    const to = origin === destination ? second ?? chain : chain
    const user = yield* from.user(paid)
    const recipient = yield* to.wallet.newAddress
    const body = JSON.stringify({
      user: user.address,
      recipient,
      originChainId: from.chainId,
      destinationChainId: to.chainId,
      originCurrency: paid.address,
      destinationCurrency: received.address,
      amount: `${paid.some}`,
      tradeType: "EXACT_INPUT"
    })
    loads[title] = {
      host: "127.0.0.1",
      port: Number(environment["TRANSFER_PORT"]),
      connections: CONNECTIONS,
      ms: ROUND_MS,
      method: "POST",
      path: () => "/quote",
      body: () => body
    }
  }
  printRows(
    `Transfer service: quotes a second by the class of pair, one core${
      canPin ? "" : " (not pinned: taskset is missing)"
    }, ${CONNECTIONS} connections`,
    yield* Effect.promise(() => alternate(loads))
  )
})

moveAside()
await Effect.runPromise(Effect.scoped(program))
