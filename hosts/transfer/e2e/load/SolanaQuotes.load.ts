/**
 * Quotes a second to and from Solana, plain and with a swap, compared with those between EVM chains, in one run: the host
 * alone on one core, each quote durably stored. A swap is quoted by a server of routes and simulated by the node; both are
 * in this process, on the other core, with the load.
 */
import { Effect } from "effect"
import { join } from "node:path"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Load } from "../../../http/testing/load/ClosedLoop.ts"
import { canPin, MEASURED_CORE, moveAside, startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { alternate, printRows } from "../../../http/testing/load/Rounds.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { keyOfName } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { gem } from "../../../localnet/nodes/solana/pools/Pools.ts"
import { solanaChainId } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { nativeRequest } from "../../testing/Client.ts"
import { endedAnywhere, fromSolana, quoteSolana, sendSolana, stepOf, toSolana } from "../../testing/SolanaClient.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"

const CONNECTIONS = 32
const ROUND_MS = 5_000
const ETHER = parseEther("0.01")
const NATIVE = "0x0000000000000000000000000000000000000000"

const program = Effect.gen(function*() {
  const { chains, environment, solana, solanaUsers: [seller] } = yield* startSolanaNetwork()
  if (seller === undefined) return yield* Effect.die(new Error("no user on Solana"))
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
  // The seller holds GEM, so that the node simulates each of its transactions.
  const url = `http://127.0.0.1:${port}`
  const swap = { originChainId: solanaChainId, destinationChainId: solanaChainId, tradeType: "EXACT_INPUT" }
  const own = (from: string, to: string, amount: bigint) => ({
    ...swap,
    user: seller.address,
    originCurrency: from,
    destinationCurrency: to,
    amount: `${amount}`
  })
  const bought = yield* quoteSolana(url, own(usdc.address, gem.address, 300_000_000n))
  yield* sendSolana(solana.url, [seller], stepOf(bought))
  yield* endedAnywhere(url, bought)

  const users = chains.users.map((key) => privateKeyToAccount(key).address)
  const recipient = keyOfName("causeway.load.recipient").address
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
    JSON.stringify(toSolana(user(), recipient, NATIVE, currency, chains.alpha.chainId, ETHER))
  const from = (currency: string, amount: bigint) => () =>
    JSON.stringify(fromSolana(seller.address, user(), currency, NATIVE, chains.beta.chainId, amount))
  const loads: Record<string, Load> = {
    "EVM to EVM": { ...load, body: () => JSON.stringify(nativeRequest(user(), chains.alpha, chains.beta, ETHER)) },
    "EVM to SOL": { ...load, body: to(SOL) },
    "EVM to GEM, swapped in the fill": { ...load, body: to(gem.address) },
    "SOL to EVM": { ...load, body: from(SOL, 100_000_000n) },
    "GEM to EVM, swapped before the deposit": { ...load, body: from(gem.address, 10_000_000_000n) },
    "SOL to GEM, by the user": { ...load, body: () => JSON.stringify(own(SOL, gem.address, 100_000_000n)) }
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
