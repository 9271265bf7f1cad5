/**
 * The optional exchange A of the network: the simulator in this process, over a book that is stored with the other
 * chains' state. The ten accounts and the solver have money on perps and spot. The depository is a separate account.
 */
import { Effect, Option } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { readJson } from "../../run/state/AtomicFile.ts"
import type { AttestedChain, StartAttested } from "../../run/services/AttestedChain.ts"
import { Book, KeptBook } from "./node/Book.ts"
import { USDC } from "./node/Token.ts"
import { serve } from "./ExchangeA.ts"
import { ExchangeError } from "../ExchangeError.ts"
import { isFree } from "../Port.ts"
import type { Keys } from "../../run/state/Keys.ts"
import { keep } from "../../run/state/KeptFile.ts"
import { keyNamed } from "../../run/state/NamedKey.ts"

export const exchangeASlug = "exchangea-local"
export const EXCHANGE_A_CHAIN_ID = 616120

export const depositoryKey = keyNamed("causeway.local.exchange-a.depository")

/**
 * The solver's key on exchange A, derived from its key on the EVM chains: no secret of the transfer service may equal
 * another.
 */
export const exchangeASolverKey = ({ solver }: Pick<Keys, "solver">): `0x${string}` =>
  keyNamed(`causeway.localnet.exchange-a:${solver}`)

/** Smallest units: a million USDC, on perps and on spot each. */
const FUNDS = 100_000_000_000_000n

/** Accounts that have something are left as they are. The depository has an account, as on the exchange. */
const fund = (book: Book, keys: Keys) => {
  for (const key of [...keys.accounts, exchangeASolverKey(keys), depositoryKey]) {
    const address = privateKeyToAddress(key)
    if (!book.exists(address)) { for (const dex of ["", "spot"]) book.credit(address, dex, FUNDS) }
  }
}

export const start = Effect.fnUntraced(function*({ keys, paths, ports: { exchangeA: port } }: StartAttested) {
  if (!(yield* isFree(port))) {
    return yield* new ExchangeError({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` })
  }
  const damaged = Effect.mapError(({ message }: { readonly message: string }) =>
    new ExchangeError({ kind: "not-started", message })
  )
  const kept = Option.getOrUndefined(yield* damaged(readJson(paths.exchangeA, KeptBook)))
  const book = new Book([USDC], kept)
  fund(book, keys)
  yield* damaged(keep(paths.exchangeA, () => book.kept()))
  const url = yield* serve(book, { port })
  const account = (privateKey: Keys["accounts"][number]) => ({ address: privateKeyToAddress(privateKey), privateKey })
  const depository = account(depositoryKey)
  const reached = { EXCHANGEA_RPC_URL: url, EXCHANGEA_DEPOSITORY: depository.address.toLowerCase() }
  return {
    slug: exchangeASlug,
    transfer: {
      ...reached,
      EXCHANGEA_SOLVER_PRIVATE_KEY: exchangeASolverKey(keys),
      EXCHANGEA_WEIGHT_PER_MINUTE: "1000000"
    },
    tried: "25",
    environment: {
      ...reached,
      EXCHANGEA_PROXY_API_URL: "",
      EXCHANGEA_PROXY_API_KEY: ""
    },
    described: {
      exchangeA: {
        id: exchangeASlug,
        chainId: EXCHANGE_A_CHAIN_ID,
        vmType: "exchangea-vm",
        rpcUrl: url,
        depository,
        accounts: keys.accounts.map(account),
        solver: account(exchangeASolverKey(keys))
      }
    },
    died: Effect.never
  } satisfies AttestedChain
})
