/**
 * Quotes a second to and from Bitcoin, compared with those between EVM chains, in one run: the host alone on one core,
 * each quote durably stored. A quote from Bitcoin lists the user's coins at the explorer and reads them at the node; both
 * are in this process, on the other core, with the load.
 */
import { Effect } from "effect"
import { join } from "node:path"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { alternate, printRows } from "../../../http/testing/load/Rounds.ts"
import type { Load } from "../../../http/testing/load/ClosedLoop.ts"
import { canPin, MEASURED_CORE, moveAside, startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { fromBitcoin } from "../../testing/BitcoinClient.ts"
import { BTC, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { nativeRequest } from "../../testing/Client.ts"

const CONNECTIONS = 32
const ROUND_MS = 5_000
const WALLETS = 10
const NATIVE = "0x0000000000000000000000000000000000000000"

const program = Effect.gen(function*() {
  const { chains, environment, wallet } = yield* startBitcoinNetwork
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
  const wallets = yield* Effect.forEach(
    Array.from({ length: WALLETS }),
    () => wallet("P2WPKH", 300_000n, 200_000n, 100_000n)
  )
  const [first] = wallets
  if (first === undefined) return yield* Effect.die(new Error("no wallet on Bitcoin"))
  let next = 0
  const own = () => ({
    user: users[next % users.length] ?? "",
    from: wallets[next++ % wallets.length] ?? first
  })
  const between = (changes: object) => () =>
    JSON.stringify(nativeRequest(own().user, chains.alpha, chains.beta, parseEther("0.01"), changes))
  const load = {
    host: "127.0.0.1",
    port,
    connections: CONNECTIONS,
    ms: ROUND_MS,
    method: "POST",
    path: () => "/quote"
  } as const
  const loads: Record<string, Load> = {
    "EVM to EVM": { ...load, body: between({}) },
    "EVM to Bitcoin": {
      ...load,
      body: between({ recipient: first.address, destinationChainId: bitcoinChainId, destinationCurrency: BTC })
    },
    "Bitcoin to EVM": {
      ...load,
      body: () => {
        const { from, user } = own()
        return JSON.stringify(fromBitcoin(from, user, [chains.alpha.chainId, NATIVE], 50_000n))
      }
    }
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
