/**
 * The optional exchange B of the network: the simulator in this process, over a state that is stored with the other
 * chains'. Its accounts are numbered, and each belongs to an Ethereum account: one of the ten, or the depository's.
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

const slug = "exchangeb-local"
const chainId = 616121

const DEPOSITORY = 1_000

/** USDC is asset 3, on perps (route 0) and spot (route 1): a million of each. */
const USDC = 3
const FUNDS = 1_000_000_000_000

interface Owned {
  readonly index: number
  readonly privateKey: Keys["accounts"][number]
}

const describe = ({ index, privateKey }: Owned) => ({ index, address: privateKeyToAddress(privateKey), privateKey })

const openAll = (state: State, depository: Owned, accounts: ReadonlyArray<Owned>) => {
  for (const { index, privateKey } of [depository, ...accounts]) state.open(index, privateKeyToAddress(privateKey))
  for (const { index } of accounts) for (const route of [0, 1]) state.credit(index, USDC, route, FUNDS)
}

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
  if (kept === undefined) openAll(state, depository, accounts)
  yield* damaged(keep(paths.exchangeB, () => state.kept()))
  const url = yield* serve(state, { port })
  return {
    slug,
    environment: { EXCHANGEB_RPC_URL: url, EXCHANGEB_DEPOSITORY: `${DEPOSITORY}`, EXCHANGEB_RPC_API_KEY: "" },
    described: {
      exchangeB: {
        id: slug,
        chainId,
        vmType: "exchangeb-vm",
        rpcUrl: url,
        depository: describe(depository),
        accounts: accounts.map(describe)
      }
    },
    died: Effect.never
  } satisfies AttestedChain
})
