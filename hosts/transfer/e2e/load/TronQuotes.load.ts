/**
 * Quotes a second to and from Tron, compared with those between EVM chains, in one run: the host alone on one core, each
 * quote durably stored. A quote from Tron has its calls tried by the node, which is in this process, on the other core,
 * with the load.
 */
import { Effect } from "effect"
import { join } from "node:path"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { alternate, printRows } from "../../../http/testing/load/Rounds.ts"
import type { Load } from "../../../http/testing/load/ClosedLoop.ts"
import { canPin, MEASURED_CORE, moveAside, startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { nativeRequest } from "../../testing/Client.ts"
import { fromTron, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

const CONNECTIONS = 32
const ROUND_MS = 5_000
const ETHER = parseEther("0.01")
const NATIVE = "0x0000000000000000000000000000000000000000"

const program = Effect.gen(function*() {
  const { chains, environment, wallet } = yield* startTronNetwork
  const port = yield* anyFree
  yield* Effect.acquireRelease(
    Effect.promise(() =>
      startPinned(join(import.meta.dirname, "../../main.ts"), [], "listening on", {
        core: MEASURED_CORE,
        environment: { ...environment, TRANSFER_PORT: `${port}` }
      })
    ),
    (child) => Effect.promise(() => stopPinned(child))
  )
  const users = chains.users.map((key) => privateKeyToAccount(key).address)
  const recipient = newTronAddress()
  let next = 0
  const user = () => users[next++ % users.length] ?? ""
  const load = {
    host: "127.0.0.1",
    port,
    connections: CONNECTIONS,
    ms: ROUND_MS,
    method: "POST",
    path: () => "/quote"
  } as const
  const to = (currency: string) => () =>
    JSON.stringify(toTron(user(), recipient, chains.alpha.chainId, currency, { amount: `${ETHER}` }))
  const from = (currency: string) => () =>
    JSON.stringify(fromTron(wallet, user(), [chains.alpha.chainId, NATIVE], [currency, 50_000_000n]))
  const loads: Record<string, Load> = {
    "EVM to EVM": { ...load, body: () => JSON.stringify(nativeRequest(user(), chains.alpha, chains.beta, ETHER)) },
    "EVM to TRX": { ...load, body: to(TRX) },
    "EVM to USDT": { ...load, body: to(usdt) },
    "TRX to EVM": { ...load, body: from(TRX) },
    "USDT to EVM": { ...load, body: from(usdt) }
  }
  printRows(
    `Transfer service: quotes a second, one core${
      canPin ? "" : " (not pinned: taskset is missing)"
    }, ${CONNECTIONS} connections`,
    yield* Effect.promise(() => alternate(loads))
  )
})

moveAside()
await Effect.runPromise(Effect.scoped(program))
