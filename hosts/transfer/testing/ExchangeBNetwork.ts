/**
 * Two EVM chains, a simulated exchange B, and a transfer host over the three, with the environment that an operator
 * would set.
 */
import { Effect } from "effect"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import type { Hex } from "viem"
import type { ExchangeFault } from "../../localnet/nodes/exchange-a/node/Fault.ts"
import { serve } from "../../localnet/nodes/exchange-b/ExchangeB.ts"
import { exchangeBSlug, readOnlyToken } from "../../localnet/nodes/exchange-b/ExchangeBChain.ts"
import { State } from "../../localnet/nodes/exchange-b/node/State.ts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { hostsOver, startNetwork } from "./TransferNetwork.ts"
import type { Network } from "./TransferNetwork.ts"

export const [DEPOSITORY, SOLVER, USER, OTHER] = [1_000, 1_100, 1_001, 1_002] as const

/** Smallest units: a hundred thousand USDC on each route, and as many hundred-millionths of ether. */
const FUNDS = 100_000_000_000

/** What a transfer to another owner costs, smallest units of USDC. */
export const TRANSFER_FEE = 300_000

/** An account and the key of its owner. */
export interface ExchangeBAccount {
  readonly index: number
  readonly owner: Hex
}

const API_KEYS = [4, 5, 6].map((index) => `${index}:0x${`0${index}`.repeat(40)}`).join(",")

/** Adds the exchange to a network, and to the environment of its hosts. */
export const exchangeBOver = Effect.fnUntraced(function*(evm: Network) {
  const state = new State()
  state.transferFee = TRANSFER_FEE
  let fault: ExchangeFault | undefined
  const port = yield* anyFree
  const exchangeUrl = yield* serve(state, { port, fault: () => fault })
  const account = (index: number): ExchangeBAccount => ({ index, owner: generatePrivateKey() })
  const [wallet, other, solver, depository] = [account(USER), account(OTHER), account(SOLVER), account(DEPOSITORY)]
  for (const { index, owner } of [wallet, other, solver, depository]) {
    state.open(index, privateKeyToAddress(owner))
    for (const route of [0, 1]) for (const asset of [1, 3]) state.credit(index, asset, route, FUNDS)
  }
  const environment: Readonly<Record<string, string>> = {
    ...evm.environment,
    CHAINS: `${evm.environment["CHAINS"]},${exchangeBSlug}`,
    EXCHANGEB_RPC_URL: exchangeUrl,
    EXCHANGEB_DEPOSITORY: `${DEPOSITORY}`,
    EXCHANGEB_SOLVER_PRIVATE_KEY: solver.owner,
    EXCHANGEB_SOLVER_ACCOUNT: `${SOLVER}`,
    EXCHANGEB_SOLVER_API_KEYS: API_KEYS,
    EXCHANGEB_DEPOSITORY_TOKEN: readOnlyToken(DEPOSITORY),
    EXCHANGEB_REQUESTS_PER_MINUTE: "10000000"
  }
  return {
    ...evm,
    depository,
    environment,
    exchangeUrl,
    other,
    solver,
    state,
    wallet,
    misbehave: (next: ExchangeFault | undefined) => Effect.sync(() => void (fault = next)),
    ...hostsOver(environment)
  }
})

export const startExchangeBNetwork = Effect.flatMap(startNetwork, exchangeBOver)
