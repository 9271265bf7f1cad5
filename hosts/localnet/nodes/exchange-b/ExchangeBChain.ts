/**
 * The optional exchange B of the network: the simulator in this process, over a state that is stored with the other
 * chains'. Its accounts are numbered, and each belongs to an Ethereum account: one of the ten, the solver's, or the
 * depository's.
 */
import { Effect, Option } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { readJson } from "../../run/state/AtomicFile.ts"
import type { AttestedChain, StartAttested } from "../../run/services/AttestedChain.ts"
import { KeptState, State } from "./node/State.ts"
import { serve } from "./ExchangeB.ts"
import { ExchangeError } from "../ExchangeError.ts"
import { isFree } from "../Port.ts"
import type { Keys } from "../../run/state/Keys.ts"
import { keep } from "../../run/state/KeptFile.ts"
import { keyNamed } from "../../run/state/NamedKey.ts"

export const exchangeBSlug = "exchangeb-local"
export const EXCHANGE_B_CHAIN_ID = 616121

const DEPOSITORY = 1_000
const SOLVER = 1_100

/** Seconds since 1970: in the year 2100. */
const NO_EXPIRY = 4_102_444_800

/** USDC is asset 3, on perps (route 0) and spot (route 1): a million of each. */
const USDC = 3
const FUNDS = 1_000_000_000_000

interface Owned {
  readonly index: number
  readonly privateKey: Keys["accounts"][number]
}

const describe = ({ index, privateKey }: Owned) => ({ index, address: privateKeyToAddress(privateKey), privateKey })

/** Accounts that are open are left as they are. The depository begins with nothing. */
const openAll = (state: State, depository: Owned, accounts: ReadonlyArray<Owned>) => {
  for (const { index, privateKey } of [depository, ...accounts]) {
    if (state.owners.has(index)) continue
    state.open(index, privateKeyToAddress(privateKey))
    if (index !== DEPOSITORY) { for (const route of [0, 1]) state.credit(index, USDC, route, FUNDS) }
  }
}

/**
 * The solver's keys on exchange B, derived from its key on the EVM chains: no secret of the transfer service may equal
 * another. API keys have 40 bytes.
 */
export const exchangeBSolverKeys = ({ solver }: Pick<Keys, "solver">) => {
  const named = (of: string) => keyNamed(`causeway.localnet.exchange-b.${of}:${solver}`)
  return {
    owner: named("owner"),
    apiKeys: [4, 5, 6].map((index) => `${index}:${named(`${index}`)}${"1b".repeat(8)}`).join(",")
  }
}

/** By which an account of the simulator may be read. */
export const readOnlyToken = (account: number): string => `ro:${account}:single:${NO_EXPIRY}:${"0b".repeat(16)}`

export const start = Effect.fnUntraced(function*({ keys, paths, ports: { exchangeB: port } }: StartAttested) {
  if (!(yield* isFree(port))) {
    return yield* new ExchangeError({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` })
  }
  const damaged = Effect.mapError(({ message }: { readonly message: string }) =>
    new ExchangeError({ kind: "not-started", message })
  )
  const kept = Option.getOrUndefined(yield* damaged(readJson(paths.exchangeB, KeptState)))
  const depository = { index: DEPOSITORY, privateKey: keyNamed("causeway.local.exchange-b.depository") }
  const accounts = keys.accounts.map((privateKey, at) => ({ index: DEPOSITORY + 1 + at, privateKey }))
  const state = new State(kept)
  const solver = exchangeBSolverKeys(keys)
  openAll(state, depository, [...accounts, { index: SOLVER, privateKey: solver.owner }])
  yield* damaged(keep(paths.exchangeB, () => state.kept()))
  const url = yield* serve(state, { port })
  const reached = { EXCHANGEB_RPC_URL: url, EXCHANGEB_DEPOSITORY: `${DEPOSITORY}`, EXCHANGEB_RPC_API_KEY: "" }
  return {
    slug: exchangeBSlug,
    transfer: {
      ...reached,
      EXCHANGEB_SOLVER_PRIVATE_KEY: solver.owner,
      EXCHANGEB_SOLVER_ACCOUNT: `${SOLVER}`,
      EXCHANGEB_SOLVER_API_KEYS: solver.apiKeys,
      EXCHANGEB_DEPOSITORY_TOKEN: readOnlyToken(DEPOSITORY),
      EXCHANGEB_REQUESTS_PER_MINUTE: "1000000"
    },
    environment: reached,
    described: {
      exchangeB: {
        id: exchangeBSlug,
        chainId: EXCHANGE_B_CHAIN_ID,
        vmType: "exchangeb-vm",
        rpcUrl: url,
        depository: describe(depository),
        accounts: accounts.map(describe),
        solver: describe({ index: SOLVER, privateKey: solver.owner })
      }
    },
    died: Effect.never
  } satisfies AttestedChain
})
