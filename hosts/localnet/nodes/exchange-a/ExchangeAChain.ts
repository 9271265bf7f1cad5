/**
 * The optional exchange A of the network: the simulator in this process, over a book that is stored with the other
 * chains' state. The ten accounts have money on perps and spot. The depository is a separate account.
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

const slug = "exchangea-local"
const chainId = 616120

const depositoryKey = keyNamed("causeway.local.exchange-a.depository")

/** Smallest units: a million USDC, on perps and on spot each. */
const FUNDS = 100_000_000_000_000n

const fund = (book: Book, { accounts }: Keys) => {
  for (const key of accounts) for (const dex of ["", "spot"]) book.credit(privateKeyToAddress(key), dex, FUNDS)
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
  if (kept === undefined) fund(book, keys)
  yield* damaged(keep(paths.exchangeA, () => book.kept()))
  const url = yield* serve(book, { port })
  const account = (privateKey: Keys["accounts"][number]) => ({ address: privateKeyToAddress(privateKey), privateKey })
  const depository = account(depositoryKey)
  return {
    slug,
    environment: {
      EXCHANGEA_RPC_URL: url,
      EXCHANGEA_DEPOSITORY: depository.address.toLowerCase(),
      EXCHANGEA_PROXY_API_URL: "",
      EXCHANGEA_PROXY_API_KEY: ""
    },
    described: {
      exchangeA: {
        id: slug,
        chainId,
        vmType: "exchangea-vm",
        rpcUrl: url,
        depository,
        accounts: keys.accounts.map(account)
      }
    },
    died: Effect.never
  } satisfies AttestedChain
})
